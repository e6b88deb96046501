#!/bin/bash
# The emulated cluster: arguments, placement, isolation, link rate, and that nothing stays behind.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
cluster=$here/cluster
bench=${TOP_BUILDDIR:-$here/../..}/tools/topo-bench/topo-bench
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Own place for the clusters' files: whatever is in it at the end was left behind by us.
export TMPDIR=$folder/clusters
mkdir "$TMPDIR"

# refused WORDS ARGUMENT...: exit status 2, one line that holds WORDS, nothing made.
refused() {
    local words=$1 out status
    shift
    out=$(timeout 20 "$cluster" "$@" 2>&1)
    status=$?
    [ $status -eq 2 ] && [ "$(wc -l <<<"$out")" -eq 1 ] && [[ $out == *"$words"* ]] && [ -z "$(ls "$TMPDIR")" ] ||
        { echo "exit status $status: $out"; ls "$TMPDIR"; false; }
}
check "rate without unit" refused "--rate 1000: a rate with its unit" up t --rate 1000
check "rate of zero" refused "--rate 0gbit" up t --rate 0gbit
check "slots that are no list" refused "--slots 7,x" up t --slots 7,x
check "slots against nodes" refused "2 numbers for 3 nodes" up t --nodes 3 --slots 1,2
check "no nodes" refused "--nodes 0" up t --nodes 0
check "uneven racks" refused "does not divide 4 nodes" up t --racks 3 --uplink 1gbit
check "racks without uplink" refused "needs --uplink" up t --racks 2
check "uplink without racks" refused "--uplink 1gbit has no meaning" up t --uplink 1gbit
check "value missing" refused "--rate needs a value" up t --rate
check "unknown option" refused "unknown option --speed" up t --speed 1gbit
check "unknown command" refused "unknown command start" start t
check "name with a slash" refused "name 'a/b'" up a/b
check "more ranks than slots" refused "-np 5: the cluster has 4 slots" with --nodes 2 --slots 2 -- run -np 5 -- true
check "placement unknown" refused "--by rack" with --nodes 2 -- run --by rack -- true
check "command missing" refused "COMMAND is missing" with --nodes 2

# compare_refused WORDS ARGUMENT...: the same of the comparison.
compare_refused() {
    local words=$1 out status
    shift
    out=$(cd "$folder" && timeout 20 "$here/compare" "$@" 2>&1)
    status=$?
    [ $status -eq 2 ] && [[ $out == *"$words"* ]] && [ ! -e "$folder/compare-results" ] ||
        { echo "exit status $status: $out"; false; }
}
check "compare: rate without unit" compare_refused "--rate 1000: a whole number with its unit" --rate 1000
check "compare: unknown operation" compare_refused "--operations alltoallw: one of allgather" --operations alltoallw
check "compare: unknown argument" compare_refused "unknown argument fast" fast

if ! why=$("$cluster" can 2>&1); then
    skip "clusters" "$why"
    finish
fi

# Without the rights: a kernel that refuses is played by an unshare that does, for a user who is not root where there is one.
denied() {
    local as=() out status
    # That user must be able to read the scripts, which lie where the source is.
    setpriv --reuid 65534 --regid 65534 --clear-groups test -r "$here/network.sh" 2>/dev/null &&
        as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    mkdir -p "$folder/denied"
    printf '#!/bin/sh\necho "unshare: unshare failed: Operation not permitted" >&2\nexit 1\n' >"$folder/denied/unshare"
    chmod 755 "$folder" "$folder/denied" "$folder/denied/unshare"
    out=$(PATH=$folder/denied:$PATH "${as[@]}" "$cluster" "$@" 2>&1)
    status=$?
    [ $status -eq 77 ] && [[ $out == "cluster: skipped: no right to make namespaces"*"Operation not permitted" ]] &&
        [ "$(wc -l <<<"$out")" -eq 1 ] && [ -z "$(ls "$TMPDIR")" ] || { echo "exit status $status: $out"; ls "$TMPDIR"; false; }
}
check "no rights: can" denied can
check "no rights: up" denied up t
check "no rights: with" denied with --nodes 2 -- true

# The names of the hosts in rank order, of `run` with these arguments.
hosts_of() { timeout 60 "$cluster" run "$1" "${@:2}" -- sh -c 'echo $OMPI_COMM_WORLD_RANK $(hostname)' | sort -n | cut -d' ' -f2 | xargs; }
placed() {
    local want=$1 got
    shift
    got=$(hosts_of "$@")
    [ "$got" = "$want" ] || { echo "wanted: $want"; echo "got:    $got"; false; }
}
check "up" timeout 60 "$cluster" up one --nodes 3 --slots 3,2,1 --rate 400mbit
check "two at once" timeout 60 "$cluster" up two --nodes 4 --slots 1 --rate 400mbit --racks 2 --uplink 200mbit
check "the same name again is refused" bash -c "! timeout 60 '$cluster' up one 2>/dev/null"
check "list" test "$("$cluster" list | sort | xargs)" = "one two"
check "by slot" placed "node0 node0 node0 node1 node1 node2" one
check "by node" placed "node0 node1 node2 node0 node1 node0" one --by node
check "fewer ranks" placed "node0 node0 node0 node1" one -np 4
check "across racks" placed "node0 node1 node2 node3" two

# Nodes of as many ranks as there are processors, all of which they share; two machines that are only described do not.
processors=$(getconf _NPROCESSORS_ONLN)
# shares_processors LINE [NAME=VALUE]: such a job takes this line of a tuning file.
shares_processors() {
    local line=$1 out
    shift
    printf 'barrier processors=shared tree\nbarrier leader\n' >"$folder/rules.conf"
    out=$(timeout 60 "$cluster" with --nodes 2 --slots "$processors" -- run -- env TOPOMPI_TUNING="$folder/rules.conf" \
        TOPOMPI_VERBOSE=1 "$@" "$bench" barrier --algorithms auto --time 0.01 --no-link-test 2>&1)
    [[ $out == *", by line $line of the tuning file"* ]] || { echo "$out"; false; }
}
if [ "$processors" -le 16 ]; then
    check "containers share processors" shares_processors 1
    check "described machines do not" shares_processors 2 "TOPOMPI_MACHINE=synthetic:node:2 core:$processors"
else
    skip "containers share processors" "too many ranks for this test"
fi
# MPICH's launcher, placements and variables.
mpich_placed() {
    local want=$1 got
    shift
    got=$(TOPOMPI_STATS=7 timeout 60 "$cluster" run one --mpi mpich "$@" -- sh -c 'echo $PMI_RANK $(hostname) $TOPOMPI_STATS' |
        sort -n | cut -d' ' -f2- | xargs)
    [ "$got" = "$want" ] || { echo "wanted: $want"; echo "got:    $got"; false; }
}
if command -v "${MPIEXEC_MPICH:-mpiexec.mpich}" >/dev/null; then
    check "MPICH by slot" mpich_placed "node0 7 node0 7 node0 7 node1 7 node1 7 node2 7"
    check "MPICH by node" mpich_placed "node0 7 node1 7 node2 7 node0 7 node1 7 node0 7" --by node
    check "MPICH, fewer ranks" mpich_placed "node0 7 node0 7 node0 7 node1 7" -np 4
else
    check "without MPICH: skipped, and it says so" bash -c "'$cluster' run one --mpi mpich -- true 2>&1 | grep -q 'is not installed'"
    skip "MPICH" "mpiexec.mpich is not installed"
fi
variables=$(TOPOMPI_STATS=7 LD_PRELOAD=libm.so.6 timeout 60 "$cluster" run two -- \
    sh -c 'echo $TOPOMPI_STATS $LD_PRELOAD ${TOPOMPI_MACHINE##*/}' | sort | uniq -c | xargs)
check "variables reach every rank" test "$variables" = "4 7 libm.so.6 topology.conf"
# All six ranks in one group of the kernel's scheduler. The file is empty for the group that has no number.
turns=$(timeout 60 "$cluster" run one -- sh -c 'echo "group $(cat /proc/self/autogroup 2>/dev/null)"' | sort | uniq -c)
check "ranks of all nodes take turns on a core" test "$(wc -l <<<"$turns") $(awk '{ print $1, $2 }' <<<"$turns")" = "1 6 group"
# Every algorithm's results are checked by topo-bench itself.
short_allgather() {
    local out
    out=$(timeout 60 "$cluster" run one -np 4 --by node -- "$bench" allgather -s 8,8K --time 0.01 --samples 2..2 \
        --batch 0 --no-link-test 2>&1) && grep -q "4 ranks on 3 nodes" <<<"$out" && ! grep -q WRONG <<<"$out" ||
        { echo "$out"; false; }
}
check "allgather" short_allgather
# rate CLUSTER MBITS ARGUMENT...: messages of 256 KiB and more from rank 0 to the last one pass no faster than 1.1 times
# the link's rate. A busy host only makes them slower, without a bound that a test could hold: what is below half of the
# rate in all of a few attempts is no such link.
rate() {
    local name=$1 mbits=$2 attempt out
    shift 2
    for attempt in 1 2 3 4 5; do
        out=$(timeout 60 "$cluster" run "$name" "$@" -- "$bench" levels -s 256K,1M --time 0.2 --statistic min) || return
        # The first table is that of the outermost level.
        awk -v want="$mbits" '/^#/ { tables++ } tables == 1 && $1 ~ /^[0-9]+$/ { seen++; if ($5 < 0.5 * want || $5 > 1.1 * want) bad++ }
            END { exit !(seen == 2 && !bad) }' <<<"$out" && return
    done
    echo "attempt $attempt, $mbits Mbit/s wanted: $out"
    false
}
# No message of 1 byte to 64 KiB, alone (median; timers are up to 20 us off) or one after the other, passes faster than
# the link allows; a busy host makes them only slower.
short_messages() {
    local out
    out=$(timeout 60 "$cluster" run one -np 4 --by node -- "$bench" levels -s 1..64K:2 --time 0.1) &&
        awk '/^#/ { tables++ } tables == 1 && $1 ~ /^[0-9]+$/ { seen++; if ($6 <= 0 || ($3 + 20) * 400 < 8 * $1 || $6 > 1.05 * 400) bad++ }
            END { exit !(seen == 17 && !bad) }' <<<"$out" || { echo "$out"; false; }
}
check "short messages obey the rate" short_messages
check "rate of a node's link" rate one 400 -np 4 --by node
check "rate of a rack's link" rate two 200
# topo-dump placement: neighbours that are scattered over nodes come together, by what it says for each launcher.
dump=${TOP_BUILDDIR:-$here/../..}/tools/topo-dump/topo-dump
halo=${TOP_BUILDDIR:-$here/../..}/tests/cluster/halo
check "a cluster for placement" timeout 60 "$cluster" up three --nodes 4 --slots 4
check "a trace" env LD_PRELOAD="${TOP_BUILDDIR:-$here/../..}/src/.libs/libtopompi.so" TOPOMPI_TRACE="$folder/trace" timeout 60 "$cluster" run three -- "$halo"
check "an order of it" sh -c '"$1" placement -o "$2/order" "$2/trace" >"$2/said"' - "$dump" "$folder"
check "crosses less" grep -qx '75.0 % cross between nodes now, 25.0 % in this order' "$folder/said"
# in_order LAUNCHER HOW...: its options in the report place the ranks so. Hydra 4.0.2 may end by SIGPIPE (141), with nothing printed,
# where ranks that are no MPI programs end early: again then.
in_order() {
    local options attempt
    options=$(sed -nE "s/^  $1 +mpi(run|exec) (.*) -np? 16 .*/\\2/p" "$folder/said")
    [ -n "$options" ] || return
    for attempt in 1 2 3 4 5 6 7 8; do
        timeout 60 "$cluster" run three --placed "$options" "${@:2}" -- sh -c 'echo rank ${OMPI_COMM_WORLD_RANK-$PMI_RANK} on $(hostname)' >"$folder/placed"
        [ $? = 141 ] || break
    done
    sort -k 2n "$folder/placed" | cut -d' ' -f4 >"$folder/hosts"
    diff "$folder/order" "$folder/hosts" || { echo "attempt $attempt"; false; }
}
check "Open MPI takes it" in_order "Open MPI 4 and 5"
if command -v "${MPIEXEC_MPICH:-mpiexec.mpich}" >/dev/null; then
    check "so does MPICH" in_order "MPICH and Intel MPI" --mpi mpich
fi
check "down three" timeout 60 "$cluster" down three
check "own shared memory on every node" test "$(timeout 60 "$cluster" exec one 0 touch /dev/shm/mark &&
    timeout 60 "$cluster" exec one 1 ls /dev/shm | wc -l)" = 0
check "the status is the program's" test "$(timeout 60 "$cluster" exec one 2 sh -c 'exit 5'; echo $?)" = 5
check "down" timeout 60 "$cluster" down one
check "the other one lives on" test "$("$cluster" list)" = two
check "down again is an error" bash -c "! timeout 60 '$cluster' down one 2>/dev/null"
check "down two" timeout 60 "$cluster" down two

# `with` under every way to end: nothing stays, of the files and of the processes.
nothing_left() {
    local tries
    for ((tries = 0; tries < 100; tries++)); do
        [ -z "$(ls "$TMPDIR")" ] && ! pgrep -f "$TMPDIR" >/dev/null && return
        sleep 0.1
    done
    ls "$TMPDIR"
    pgrep -af "$TMPDIR"
    false
}
with() { timeout "$@" "$cluster" with --nodes 2 --slots 1 -- run -- sleep 60; }
check "with: status" test "$(timeout 60 "$cluster" with --nodes 1 -- sh -c 'exit 3'; echo $?)" = 3
for signal in TERM INT KILL; do
    with -s $signal 1.5 >/dev/null 2>&1
    check "with: nothing left after $signal" nothing_left
done
check "no link of ours on the host" bash -c '! ip -o link | grep -Eq " (bridge|port)[0-9]+"'
finish
