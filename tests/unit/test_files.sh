# What is read must be a file: FIFOs, folders and devices are refused with one line, and nothing waits for them.
. "$TOP_SRCDIR/tests/lib.sh"
tools=$TOP_BUILDDIR/tools
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkfifo "$work/fifo" "$work/rank-000000.topotrace"
mkdir "$work/folder"
printf '0,1\n1,0\n' >"$work/matrix.csv"

# refused NAME FILE COMMAND...: it fails at once with a line that names the file.
refused() {
    local name=$1 file=$2 out status
    shift 2
    out=$(timeout 20 "$@" 2>&1 < /dev/null)
    status=$?
    if [[ $status = [12] && $out == *"$file: not a regular file"* ]]; then pass "$name"; else fail "$name" "exit status $status: $out"; fi
}

for file in "$work/fifo" "$work/folder" /dev/zero; do
    kind=${file##*/}
    refused "topo-dump --machine, $kind" "$file" "$tools/topo-dump/topo-dump" --machine "$file"
    refused "topo-dump --tuning, $kind" "$file" \
        "$tools/topo-dump/topo-dump" --synthetic "node:2 core:2" --operation allreduce --tuning "$file"
    refused "topo-dump schedule --matrix, $kind" "$file" "$tools/topo-dump/topo-dump" schedule --matrix "$file"
    refused "topo-predict-dvm --par, $kind" "$file" \
        "$tools/topo-predict-dvm/topo-predict-dvm" "$TOP_SRCDIR/tests/data/dvm/loop.trc" -p "$file"
    refused "topo-bench report, $kind" "$file" "$tools/topo-bench/topo-bench" report "$file"
    refused "topo-dump stats, $kind" "$file" "$tools/topo-dump/topo-dump" stats --diff "$file" "$file"
    refused "topo-dump placement, $kind" "$file" "$tools/topo-dump/topo-dump" placement --hosts "$file" "$work/matrix.csv"
done
refused "topo-predict-dvm, a trace that is a FIFO" "$work/fifo" "$tools/topo-predict-dvm/topo-predict-dvm" "$work/fifo" -t 4
refused "topo-predict, a folder with a FIFO" "$work/rank-000000.topotrace" \
    "$tools/topo-predict/topo-predict" "$work" -m "node:2 core:2"
finish
