# tests/cluster/programs: its arguments, and where shares.py says a traced program's time is.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || { skip "tests/cluster/programs" "no python3" && finish; }
programs=$TOP_SRCDIR/tests/cluster/programs
shares=$TOP_SRCDIR/tests/cluster/shares.py

# ends STATUS WORDS COMMAND...: it ends so, and says these words.
ends() {
    local status=$1 words=$2 out
    shift 2
    out=$("$@" 2>&1)
    [ $? -eq "$status" ] && [[ $out == *"$words"* ]] || { echo "$out"; false; }
}
check "help" ends 0 "--shapes" "$programs" --help
check "a program that it does not know" ends 2 "word: of lammps" "$programs" word
check "a shape that is none" ends 2 "4x4@1gbit:slot" "$programs" --shapes 4x4
check "no repetition" ends 2 "--repeat -1" "$programs" --repeat -1

# Four ranks on two nodes, each with 0.1 ms in every collective after the last one came, the first after 0 to 3 ms; 2 ms in
# point-to-point calls; 7.75 ms in all.
mkdir "$work/trace"
python3 "$TOP_SRCDIR/tests/unit/write_trace.py" "$work/trace"
python3 "$shares" "$work/trace" >"$work/out" 2>&1
check "each operation has a row" test "$(grep -c '^| [a-z]' "$work/out")" -eq 7
row() { grep -qxF "$1" "$work/out" || { cat "$work/out"; false; }; }
check "an operation of ours" row "| allgather | 4 | 2 | 1 | 1 | 0.002 | 20.6 % |"
check "a native one" row "| barrier | 4 | 2 | 1 | 0 | 0.000 | 1.3 % |"
check "point-to-point" row "| point-to-point |  |  | 2 | 0 | 0.002 | 25.8 % |"
check "the whole" row "0.008 s from MPI_Init to MPI_Finalize; each figure is the mean of all ranks."
check "no trace" ends 1 "no trace in $work" python3 "$shares" "$work"
check "no folder" ends 2 "FOLDER" python3 "$shares"
finish
