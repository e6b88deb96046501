# A rank that is killed, stopped, aborts or leaves without MPI_Finalize, in each phase of each form: the job ends as it does
# without the library, no process and no segment stays. FAULTS_ALL=1: every way in every form, 200 losses at any time.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/faults
named=$TOP_BUILDDIR/tests/.libs/named.so # node-shared memory has names in /dev/shm
export MPI_TIMEOUT=60
mark="faults-test-$$" # an argument of every process of these jobs, with the number of each
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ways=(kill abort exit leave stop)
leader=(ALLGATHER=leader ALLREDUCE=leader BARRIER=leader BCAST=leader REDUCE=leader ALLGATHERV=leader
    REDUCE_SCATTER=leader REDUCE_SCATTER_BLOCK=leader ALLTOALL=node_aware ALLTOALLV=node_aware)
lanes=(ALLGATHER=lanes ALLREDUCE=lanes BCAST=chain REDUCE=chain ALLGATHERV=lanes REDUCE_SCATTER=lanes
    REDUCE_SCATTER_BLOCK=lanes BARRIER=tree)
radix=(ALLGATHER=radix ALLGATHERV=radix)
by_itself=()
cases=()
for set in leader lanes radix; do
    declare -n rows=$set
    for row in "${rows[@]}"; do
        operation=${row%=*}
        cases+=("$set ${operation,,}")
    done
done

processes() { pgrep -f -- "$mark-$number-"; }
segments() { find /dev/shm -maxdepth 1 -name 'topompi-*' 2>/dev/null | sort; }

is_stopped() {
    local process state
    for process in $(processes); do
        read -r _ _ state _ 2>/dev/null <"/proc/$process/stat" || continue
        [ "$state" = T ] && return 0
    done
    return 1
}

# once WAY MPI-ARGUMENTS...: a job's exit status in $status. One with a stopped rank is ended as its user would: by its launcher.
once() {
    local way=$1 launcher
    shift
    status=0 stopped=1
    if [ "$way" != stop ]; then
        out=$(apart mpi 4 "$@") || status=$?
    else
        mpi 4 "$@" >"$work/stopped-$number" 2>&1 &
        launcher=$!
        for ((i = 0; i < 300; i++)); do
            is_stopped && break
            sleep 0.1
        done
        stopped=$((i < 300))
        # shellcheck disable=SC2046 # `timeout` below the shell that runs mpi(), which hands it on
        kill -TERM $(pgrep -P $launcher) 2>/dev/null
        wait $launcher || status=$?
        out=$(cat "$work/stopped-$number")
    fi
}

# A crash of mpirun, or that it went on for ten seconds after the signal to end, which `timeout` sends. Where it is well and
# ranks hang, the status is 124, which an abort or a killed rank never leaves behind; where a rank crashes, it says which.
mpirun_failed() { # WAY
    { [ $status = 137 ] && [ "$1" != kill ]; } || { [ $status = 124 ] && [[ $1 = abort || $1 = kill ]]; } ||
        { [ $status = 139 ] && ! grep -q 'mpirun noticed' <<<"$out"; } ||
        grep -q 'show_help\.c\|\] mpirun(' <<<"$out"
}

# job WAY MPI-ARGUMENTS...: again where mpirun itself failed. That of Open MPI 4.1.4 does so now and then as it ends ranks,
# without the library too: after an MPI_Abort in 3 of 60 jobs, with a rank stopped in 3 of 30.
job() {
    for _ in 1 2 3 4; do
        once "$@"
        mpirun_failed "$1" || break
    done
}

# What a job without the library ends with, in a file of a name that tells how a rank is lost when.
native() { # WAY PHASE
    job "$1" "$program" lose "$1" "$2" allreduce 1 "$mark-$number-"
    echo $status >"$work/native-$1-$2"
    echo "ok   natively: $1, $2 -> $status"
}

# lose SET WAY PHASE OPERATION VICTIM
lose() {
    local -n words=$1
    local name="$2, $3, $4 by $1, rank $5" settings=() word native=native-$2-$3 left i
    local preload=$library
    [[ $3 =~ ^[0-9]+$ ]] && native=native-$2-5000 preload=$library:$named
    native=$(cat "$work/$native")
    for word in "${words[@]}"; do settings+=(-x "TOPOMPI_$word"); done
    job "$2" -x LD_PRELOAD="$preload" -x "TOPOMPI_MACHINE=synthetic:node:2 core:2" "${settings[@]}" \
        "$program" lose "$2" "$3" "$4" "$5" "$mark-$number-"
    for ((i = 0; i < 100; i++)); do
        left=$(processes)
        [ -n "$left" ] || break
        sleep 0.1
    done
    if [ $status != "$native" ]; then
        fail "$name" "exit status $status, natively $native: $out"
    elif [ $stopped = 0 ]; then
        fail "$name" "no rank was stopped"
    elif [ -n "$left" ]; then
        fail "$name" "processes are left: $left"
    else
        pass "$name"
    fi
}

# Four at once: mpirun sleeps for a second before it kills what a lost rank leaves.
before=$(segments)
for way in "${ways[@]}"; do
    for phase in first constructor finalize row waiting; do in_turn native "$way" $phase; done
done
in_turn native kill 5000
all_through
turn=0
for phase in first constructor finalize; do
    for way in "${ways[@]}"; do
        in_turn lose by_itself "$way" $phase allreduce $((turn++ % 4))
    done
done
for entry in "${cases[@]}"; do
    for phase in row waiting; do
        for i in "${!ways[@]}"; do
            # Each way in turn, the phases with different ones.
            [ -n "$FAULTS_ALL" ] || [ "$i" = $(((turn + (0 + ${#phase})) % ${#ways[@]})) ] || continue
            [ -n "$FAULTS_ALL" ] || [ $phase = row ] || [ $((turn % 3)) = 0 ] || continue
            in_turn lose "${entry% *}" "${ways[i]}" $phase "${entry#* }" $((turn % 4))
        done
        turn=$((turn + 1))
    done
done
# Anywhere: where segments with names are made, too. The communicators' first calls come one after the other.
for ((i = 0; i < ${FAULTS_ALL:+200} + 6; i++)); do
    in_turn lose leader kill $((1000 + i * 7919 % 60000)) allreduce $((i % 4))
done
all_through

# A segment in /dev/shm has a name while it is handed out. What a lost process left then, the next job on the node removes, a minute later.
left=$(comm -13 <(echo "$before") <(segments))
planted=/dev/shm/topompi-$(bash -c 'echo $$')-$(printf '%032x' $$)
: >"$planted"
for name in $left $planted; do touch -d '2 minutes ago' "$name" 2>/dev/null; done
# Not the next but one after that, where a number of a lost process was another's by then.
for ((i = 0; i < 5; i++)); do
    job next -x LD_PRELOAD="$library:$named" -x TOPOMPI_ALLREDUCE=leader "$program" calls "$mark-$number-"
    remains=''
    for name in $left $planted; do
        process=${name#*topompi-}
        [ ! -e "$name" ] || [ -d "/proc/${process%%-*}" ] || remains+="$name "
    done
    [ -n "$remains" ] || break
done
[ -z "$remains" ] || fail "left after the next jobs" "$remains"
if [ $status = 0 ] && [ ! -e "$planted" ]; then
    pass "what lost processes left is removed by the next job"
else
    fail "what lost processes left is removed by the next job" "$out"
fi
rm -f "$planted"
finish
