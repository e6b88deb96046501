# topo-dump placement of a matrix: neighbours that are scattered over the nodes come together.
. "$TOP_SRCDIR/tests/unit/dump.sh"
words=(placement)
cd "$made" || exit 1

# 16 ranks, dealt to 4 nodes of 2 racks; each sends to the next of a ring that goes 0, 5, 10, ... mod 16.
for ((i = 0; i < 16; i++)); do
    echo "$i,$(((i + 5) % 16)),1000"
done | sed '1i sender,receiver,bytes' >ring.csv
for ((i = 0; i < 16; i++)); do echo "n$((i % 4))"; done >hosts
printf 'SwitchName=a Nodes=n[0,2]\nSwitchName=b Nodes=n[1,3]\nSwitchName=c Switches=a,b\n' >topology.conf
check "an order" sh -c '"$0" placement --hosts hosts -o better ring.csv >said' "$dump"
check "crosses less" grep -qx '100.0 % cross between nodes now, 25.0 % in this order' said
check "says no gain of time where none is known" sh -c '! grep gain said'
check "has the hosts it had" cmp <(sort hosts) <(sort better)
check "is what it says" python3 - <<'PYTHON'
host = open("better").read().split()
assert sum(host[i] != host[(i + 5) % 16] for i in range(16)) == 4, host
PYTHON
check "Open MPI's line" grep -qE 'mpirun --hostfile better --map-by seq ' said
check "Slurm's line" grep -qE 'SLURM_HOSTFILE=better srun -m arbitrary -n 16 ' said
check "MPICH's and Intel's line" grep -qE 'mpiexec -machinefile better -n 16 ' said
check "switches count first" sh -c '"$0" placement --hosts hosts --machine topology.conf ring.csv | grep -qE "^  between switches +16,000 +100.0 % +2,000 +12.5 %$"' "$dump"
check "an order that is good" sh -c '"$0" placement --hosts better ring.csv | grep -qx "25.0 % cross between nodes now, 25.0 % in this order"' "$dump"
head -n 15 hosts >few
refused 1 "few has 15 hosts, ring.csv 16 senders and 16 receivers" --hosts few ring.csv
refused 1 "nowhere: No such file" --hosts hosts nowhere
refused 1 "ring.csv:1: no report of a job" ring.csv
python3 - "$(sed -n "s/.*TOPO_REPORT_VERSION = \([0-9]*\).*/\1/p" "$TOP_SRCDIR/src/report/report.h")" <<'PYTHON'
import json, sys
ranks = [{"rank": i, "host": "n%d" % (i % 4), "run_ns": 3 * 10**9} for i in range(16)]
messages = [{"from": i, "to": (i + 5) % 16, "messages": 1, "bytes": 1000} for i in range(16)]
report = {"topompi": "1", "version": int(sys.argv[1]), "job": "j", "ranks": 16, "nodes": 4,
          "all": {"calls": [], "ranks": ranks, "total": {"mpi_ns": 48 * 10**9, "ns": 16 * 10**9}, "messages": messages}}
json.dump(report, open("report.json", "w"))
report["all"]["messages"] = []
json.dump(report, open("silent.json", "w"))
report["all"]["messages"], report["nodes"] = messages, 5
json.dump(report, open("cut.json", "w"))
PYTHON
check "messages of a report" sh -c '"$0" placement report.json >said' "$dump"
check "the same order" grep -qx '100.0 % cross between nodes now, 25.0 % in this order' said
check "gain, and its error" grep -qE '^gain: (0\.[0-9]{3}) \+- \1 s of a rank, which is 2\.000 of 3\.000 s in MPI beside' said
refused 1 "cut.json: 5 nodes, but 4 names of hosts" cut.json
refused 1 "silent.json: no rank sent a message" silent.json
refused 2 "a trace has its hosts" --hosts hosts "$made"
refused 2 "one folder of a trace or one matrix is needed"
mkdir empty
refused 1 "empty: " empty
finish
