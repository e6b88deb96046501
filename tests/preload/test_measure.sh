# What a job measures of its links (docs/MEASURING.md), what is kept, who reads it, what a file that is broken, a folder that
# cannot be written and jobs at once do. Results stay right.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/measure
roomy=$TOP_BUILDDIR/tests/preload/.libs/roomy.so
cluster=$TOP_SRCDIR/tests/cluster/cluster
built "$program" "$roomy"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset TOPOMPI_CACHE TOPOMPI_MEASURE

# job FOLDER [NAME=VALUE]...: $out is what it said, on made-up nodes with a processor for each rank, or as $machine, $ranks
# and $preload say; its sums run ours from the first on, whatever they take.
job() {
    local settings=(-x "TOPOMPI_CACHE=$1")
    shift
    for setting in "$@"; do settings+=(-x "$setting"); done
    out=$(apart mpi "${ranks:-4}" -x LD_PRELOAD="${preload-$roomy:}$library" -x TOPOMPI_MACHINE="synthetic:${machine:-node:2 core:2}" \
        -x TOPOMPI_ALLREDUCE=leader -x TOPOMPI_VERBOSE=1 "${settings[@]}" "$program" 0.1 ${how:-} 2>&1)
    printf '%s\n' "$out" | grep -qx ok && pass "$name: results" || fail "$name: results" "$out"
}
says() { # NAME WORDS
    case $out in *"$2"*) pass "$name: $1" ;; *) fail "$name: $1" "$out" ;; esac
}
says_not() {
    case $out in *"$2"*) fail "$name: $1" "$out" ;; *) pass "$name: $1" ;; esac
}
measures_not() { says_not "nothing is measured" "from messages of "; }
files() { find "$work/$1" -type f "${@:2}" 2>/dev/null; }
kept() { # FOLDER LEVELS: one file, nothing beside it
    file=$work/$1/links-synthetic-$2.conf
    [ "$(files "$1" ! -name 'verdicts-*')" = "$file" ] && grep -qx "level node alpha=[0-9.e-]* beta=[0-9.e-]*" "$file" && pass "$name: one file" ||
        fail "$name: one file" "$(files "$1") $out"
}

name="a machine nobody knows"
job "$work/one"
says "it measures" " us, from messages of "
says "and says where it is kept" "the links are kept in $work/one/links-synthetic-1.conf"
kept one 1
"$TOP_BUILDDIR/tools/topo-dump/topo-dump" rules --synthetic "node:2 core:2" --tuning "$file" >"$work/rules" 2>&1 &&
    pass "topo-dump rules reads it" || fail "topo-dump rules reads it" "$(cat "$work/rules")"

name="the next job"
before=$(cksum "$file")
job "$work/one"
says "it reads that" " us, from $file"
measures_not
[ "$before" = "$(cksum "$file")" ] && pass "$name: the file stays" || fail "$name: the file stays" "$(cat "$file")"

name="an old file"
touch -d '40 days ago' "$file"
job "$work/one"
says "it is not used" " us, from messages of "
[ -z "$(find "$file" -mtime +1)" ] && pass "$name: it is replaced" || fail "$name: it is replaced" "$(ls -l "$file")"
name="a broken file"
echo 'level node alpha=1' >"$file"
job "$work/one"
says "which is said" "${file##*/}:1: "
says "it is not used" "what an earlier job measured is not used"
kept one 1
name="a file without levels"
echo '# nothing' >"$file"
job "$work/one"
says "which is said" "no line begins with level; what an earlier job measured is not used"
kept one 1

# Switches, uneven nodes, more ranks a node than take part.
for row in "6 2 switch:2 node:2 core:2,1,2,1" "5 1 node:3 core:2,2,1" "20 1 node:2 core:10" "3 1 node:2 core:1,2" "4 2 switch:2 node:2"; do
    read -r ranks levels machine <<<"$row"
    name="$ranks ranks, $machine"
    job "$work/$ranks-$levels"
    kept "$ranks-$levels" "$levels"
done
ranks=4 machine="node:2 core:2"

name="ranks that share processors"
ranks=$(($(nproc) + 2)) machine="node:2 core:$(($(nproc) + 1))" preload='' job "$work/shared"
measures_not
[ -z "$(files shared)" ] && pass "$name: nothing is kept" || fail "$name: nothing is kept" "$(files shared)"
name="copies of MPI_COMM_WORLD alone"
how=dup job "$work/dup"
measures_not
name="a folder that cannot be"
job /dev/null/there
measures_not
name="files that may not be so long"
how=limited job "$work/limited"
says "which is told" ": File too large; later jobs will measure again"
[ -z "$(files limited)" ] && pass "$name: none is left" || fail "$name: none is left" "$(files limited)"
name="a folder named from where the job began"
cd "$work" || exit
how=away job there
cd "$OLDPWD" || exit
kept there 1
name="a program with a decimal comma"
if ! localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >"$work/log" 2>&1; then
    skip "$name" "no locale that has one (Debian: locales): $(tail -n 1 "$work/log")"
else
    how=locale job "$work/comma" LOCPATH="$work" LC_ALL=de_DE.UTF-8
    kept comma 1
    job "$work/comma"
    says "the next job reads it" " us, from $file"
fi
file=$work/one/links-synthetic-1.conf
for name in TOPOMPI_MEASURE=off TOPOMPI_GUARD=off; do
    job "$work/one" $name
    measures_not
    says_not "nothing is read" "from $file"
done
name="TOPOMPI_CACHE=off"
HOME=$work XDG_CACHE_HOME=$work/xdg job off
measures_not
[ -z "$(files xdg)$(files .cache)" ] && pass "$name: nothing is kept" || fail "$name: nothing is kept" "$(files xdg; files .cache)"
name="a machine described in words"
job off
says "this system says nothing of it" "link: 8 Gbit/s, 10 us, as shipped"
name="levels of a tuning file"
echo 'level node alpha=1e-5 beta=1e-9' >"$work/tuning"
job "$work/user" TOPOMPI_TUNING="$work/tuning"
measures_not
name="two at once"
for i in 1 2; do (job "$work/both" >"$work/out$i") & done
wait
cat "$work/out1" "$work/out2"
[ "$(grep -c '^ok' "$work/out1" "$work/out2" | grep -c ':1$')" = 2 ] || fail "$name" "$(cat "$work"/out?)"
kept both 1

name="what the system says"
if ! why=$("$cluster" can 2>&1); then
    skip "$name" "$why"
    finish
fi
emulated() { # [NAME=VALUE]: on links of 250 Mbit/s
    out=$("$cluster" with --nodes 2 --slots 2 --rate 250mbit -- run -- -x LD_PRELOAD="$library" -x TOPOMPI_VERBOSE=1 \
        -x "${1:-TOPOMPI_MEASURE=on}" "$program" 0.1 2>&1)
    printf '%s\n' "$out" | grep -qx ok && pass "$name: results" || fail "$name: results" "$out"
}
emulated
says "it is used" "link: 0.25 Gbit/s, 10 us, from /sys/class/net/eth0"
measures_not
emulated TOPOMPI_MEASURE=off
says "or not" "link: 8 Gbit/s, 10 us, as shipped"
emulated TOPOMPI_TUNING="$work/tuning"
says "a tuning file comes before it" "link: 8 Gbit/s, 10 us, from the tuning file"
finish
