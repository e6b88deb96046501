# Jobs that measure their machine (docs/MEASURING.md): what is kept, who reads it, what a file that is broken, a folder that
# cannot be written and jobs at once do. Results stay right.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/measure
cluster=$TOP_SRCDIR/tests/cluster/cluster
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset TOPOMPI_CACHE TOPOMPI_MEASURE

# job SECONDS [NAME=VALUE]...: $out is what it said, on 2 made-up nodes of 2 ranks; an hour older than it is where $age is set.
age=$TOP_BUILDDIR/tests/fuzz/.libs/aged.so
job() {
    local seconds=$1 settings=()
    shift
    for setting in "$@"; do settings+=(-x "$setting"); done
    out=$(apart mpi 4 -x LD_PRELOAD="${age:+$age:}$library" -x TOPOMPI_MACHINE="synthetic:node:2 core:2" \
        -x TOPOMPI_MEASURE="${measure:-on}" -x TOPOMPI_VERBOSE=1 -x TOPOMPI_STATS=1 "${settings[@]}" "$program" "$seconds" ${how:-} 2>&1)
}
says() { # NAME WORDS
    case $out in *"$2"*) pass "$1" ;; *) fail "$1" "$out" ;; esac
}
says_not() {
    case $out in *"$2"*) fail "$1" "$out" ;; *) pass "$1" ;; esac
}
right() {
    printf '%s\n' "$out" | grep -qx ok && pass "$1: results" || fail "$1: results" "$out"
}
files() { find "$work/$1" -type f 2>/dev/null; }

measured() { # NAME FOLDER [NAME=VALUE]...: a job measures and keeps
    local name=$1 folder=$2
    shift 2
    touch "$work/before"
    for try in 1 2 3 4 5 6; do # other work on this host may make probes long
        job 0.3 TOPOMPI_CACHE="$work/$folder" "$@"
        right "$name"
        [ -n "$(find "$work/$folder" -type f -newer "$work/before" 2>/dev/null)" ] && break
    done
    [ "$(files "$folder" | wc -l)" -eq 1 ] && pass "$name: one file, nothing beside it" || fail "$name: one file" "$out"
}
measured "a machine nobody knows" one
says "it tells that it is over" "measuring the machine is over: "
says "and where it is kept" "level parameters are kept in $work/one/"
says "STATS has the cost" "measuring the machine took "
file=$(files one)
"$TOP_BUILDDIR/tools/topo-dump/topo-dump" rules --machine "node:2 core:2" --tuning "$file" >"$work/rules" 2>&1 &&
    pass "topo-dump rules reads it" || fail "topo-dump rules reads it" "$(cat "$work/rules")"
grep -q "^level node alpha=.* beta=" "$file" && grep -q "^# .*Open MPI\|^# .*MPICH" "$file" && pass "it is a tuning file that says what it is of" ||
    fail "it is a tuning file" "$(cat "$file")"

before=$(cksum "$file")
job 0.1 TOPOMPI_CACHE="$work/one"
right "the next job"
says "the next job reads it" "level parameters as an earlier job measured them: $file"
says_not "and measures nothing" "measuring the machine"
[ "$before" = "$(cksum "$file")" ] && pass "the file stays" || fail "the file stays" "$(cat "$file")"

touch -d '40 days ago' "$file"
measured "an old file" one
says "an old file is not used" "measuring the machine is over: "
[ -z "$(find "$file" -mtime +1)" ] && pass "and replaced" || fail "and replaced" "$(ls -l "$file")"
echo 'level node alpha=1' >"$file"
how=dup measured "a broken file" one
says "which is said" "${file##*/}:1: "
says "a broken file is not used" "what an earlier job measured is not used"
grep -q "^level node alpha=.* beta=" "$file" && pass "and replaced" || fail "and replaced" "$(cat "$file")"
echo '# nothing' >"$file"
job 0.1 TOPOMPI_CACHE="$work/one"
says "a file without levels" "no line begins with level; what an earlier job measured is not used"

job 0.3 TOPOMPI_CACHE=/dev/null/there
right "a folder that cannot be"
says "which is told" "later jobs will measure again"
for try in 1 2 3 4 5 6; do # other work on this host may make probes long
    how=limited job 0.3 TOPOMPI_CACHE="$work/limited"
    right "files that may not be so long"
    case $out in *"too large; later jobs will"*) break ;; esac
done
says "which is told" ": File too large; later jobs will measure again"
[ -z "$(files limited)" ] && pass "and none is left" || fail "and none is left" "$(files limited)"
cd "$work" || exit
for try in 1 2 3 4 5 6; do
    how=away job 0.3 TOPOMPI_CACHE=there
    right "a folder named from where the job began"
    [ -n "$(files there)" ] && break
done
[ "$(files there | wc -l)" -eq 1 ] && pass "has the file" || fail "has the file" "$out"
cd "$OLDPWD" || exit
name="a program with a decimal comma"
if ! localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >"$work/log" 2>&1; then
    skip "$name" "no locale that has one (Debian: locales): $(tail -n 1 "$work/log")"
else
    how=locale measured "$name" comma LOCPATH="$work" LC_ALL=de_DE.UTF-8
    job 0.1 TOPOMPI_CACHE="$work/comma"
    says "$name: the next job reads it" "level parameters as an earlier job measured them: $(files comma)"
fi
for off in TOPOMPI_MEASURE=off TOPOMPI_GUARD=off; do
    measure=${off#*=} job 0.3 TOPOMPI_CACHE="$work/one" $off
    right "$off"
    says_not "$off: nothing is measured" "measuring the machine"
    says_not "$off: nothing is read" "level parameters as an earlier job measured them"
done
HOME=$work XDG_CACHE_HOME=$work/xdg job 0.3 TOPOMPI_CACHE=off
right "TOPOMPI_CACHE=off"
[ -z "$(files xdg)$(files .cache)" ] && pass "nothing is kept there" || fail "nothing is kept there" "$(files xdg; files .cache)"
echo 'level node alpha=1e-5 beta=1e-9' >"$work/tuning"
job 0.3 TOPOMPI_CACHE="$work/user" TOPOMPI_TUNING="$work/tuning"
says_not "levels of a tuning file: nothing is measured" "measuring the machine"

# Two at once, one file in the end that can be read.
for i in 1 2; do (job 0.5 TOPOMPI_CACHE="$work/both" && printf '%s\n' "$out" >"$work/out$i") & done
wait
for i in 1 2; do out=$(cat "$work/out$i") && right "two jobs at once, $i"; done
[ "$(files both | wc -l)" -le 1 ] && pass "two jobs at once: at most one file" || fail "two jobs at once" "$(files both)"

# As old as it is: nothing is measured in its first two seconds, and then no more than can be afforded.
age='' job 1 TOPOMPI_CACHE=off
right "a short job"
says "a short job measures nothing" " for 0 probes, and is not through"
for seconds in 4 6 8; do
    age='' job $seconds TOPOMPI_CACHE=off
    right "a job of $seconds seconds"
    case $out in *" for 0 probes"*) ;; *) break ;; esac
done
case $out in
*" for 0 probes"*) skip "a job of some seconds measures something" "this host was too busy for the share of a job's time" ;;
*) pass "a job of some seconds measures something" ;;
esac

# What is found begins to hold in the same call on all ranks, whatever they remember of calls; the rules leave these
# all-gathers to the native algorithm, the model does not.
tools=$TOP_BUILDDIR/tests/preload/.libs/found_tool.so:$TOP_BUILDDIR/tests/fuzz/.libs/aged.so
for machine in "6 node:3 core:2" "5 node:3 core:2,2,1"; do
    for when in "early 3600" "late 3"; do
        for try in 1 2 3; do
            out=$(apart mpi "${machine%% *}" -x LD_PRELOAD="$library:$tools" -x TOPOMPI_MACHINE="synthetic:${machine#* }" -x TOPOMPI_MEASURE=on \
                -x TOPOMPI_CACHE=off -x FOUND_NODE=2 -x JOB_AGE="${when#* }" "$TOP_BUILDDIR/tests/preload/found" ${when% *} 2>&1)
            right "$machine, $when"
            says "$machine, $when: the end" "copy: "
            [[ $out = *"copy: 100 and 100 of 100 native"* ]] || break
        done
        case $out in
        *"copy: 100 and 100 of 100 native"*) skip "$machine, $when: what is found holds" "this host was too busy to find it" ;;
        *) pass "$machine, $when: what is found holds" ;;
        esac
    done
done

# On links: something is found. What else this host does makes them seem slower, or faster after they stood still.
if ! why=$("$cluster" can 2>&1); then
    skip "emulated clusters" "$why"
    finish
fi
emulated() { # MEGABITS: $rate is what was measured
    rm -rf "$work/cluster"
    out=$("$cluster" with --nodes 4 --slots 2 --rate "$1mbit" -- run -- -x LD_PRELOAD="$age:$library" -x TOPOMPI_MEASURE=on \
        -x TOPOMPI_CACHE="$work/cluster" -x TOPOMPI_VERBOSE=1 "$program" 1 2>&1)
    rate=$(cat $(files cluster) /dev/null | sed -nE 's/^level node .*beta=([0-9.e+-]+).*/\1/p' | awk '$1 > 0 { printf "%d", 8e-6 / $1 }')
}
for megabits in 200 1000; do
    for try in 1 2 3; do
        emulated $megabits
        [ -n "$rate" ] && break
    done
    right "4 nodes at $megabits Mbit/s"
    [ "${rate:-0}" -gt 0 ] && pass "4 nodes at $megabits Mbit/s: $rate" ||
        skip "4 nodes at $megabits Mbit/s: a rate" "this host was too busy to measure it"
done
finish
