# Mistakes, threads and unusual ends in programs that know nothing of the library, with the library preloaded.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
programs=$TOP_BUILDDIR/tests/preload
export MPI_TIMEOUT=100

# preloaded N [NAME=VALUE]... PROGRAM [ARGUMENT]...: on two nodes when N is 4.
preloaded() {
    local n=$1 settings=(-x LD_PRELOAD="$library")
    shift
    [ "$n" = 4 ] && settings+=(-x "TOPOMPI_MACHINE=synthetic:node:2 core:2")
    while [[ $1 == *=* ]]; do settings+=(-x "$1"); shift; done
    apart mpi "$n" "${settings[@]}" "$@"
}

# ok NAME OUTPUT: the program found nothing wrong.
ok() {
    if grep -q '^ok$' <<<"$2"; then pass "$1"; else fail "$1" "$2"; fi
}

by_itself=()
messages=(TOPOMPI_ALLGATHER=bruck_reorder TOPOMPI_ALLREDUCE=cyclic TOPOMPI_ALLTOALLV=css TOPOMPI_ALLTOALL=direct)
shared=(TOPOMPI_ALLGATHER=leader TOPOMPI_ALLREDUCE=lanes TOPOMPI_ALLTOALLV=node_aware TOPOMPI_BARRIER=leader TOPOMPI_BCAST=leader TOPOMPI_REDUCE=chain TOPOMPI_ALLGATHERV=radix TOPOMPI_ALLTOALL=node_aware TOPOMPI_REDUCE_SCATTER=lanes TOPOMPI_REDUCE_SCATTER_BLOCK=lanes)

for set in by_itself messages shared; do
    declare -n settings=$set
    ok "mistakes in arguments, ${set//_/ }" "$(preloaded 4 "${settings[@]}" "$programs/mistakes")"
    out=$(preloaded 2 "${settings[@]}" "$programs/threads")
    if [ "$out" = "no MPI_THREAD_MULTIPLE" ]; then skip "threads" "$out"; else ok "threads, ${set//_/ }" "$out"; fi
    for ending in fork pending callback own leak finalize; do
        out=$(preloaded 4 "${settings[@]}" TOPOMPI_STATS=1 "$programs/endings" "$ending")
        ok "$ending, ${set//_/ }" "$out"
        [ "$(grep -c 'operation .* calls' <<<"$out")" = 1 ] || fail "$ending, ${set//_/ }: one report" "$out"
    done
done

# Where native and ours take turns all ranks count the same calls.
ok "mistakes beside the calls of all" "$(preloaded 4 "$programs/mistakes" beside)"

# By one rank alone. What the native algorithms make of the calls that follow is theirs, so ours are asked for, also for the
# program's own operation.
for form in leader chain; do
    for memory in 64M 20K 0; do
        out=$(preloaded 4 "${shared[@]}" TOPOMPI_USER_OPS=cut TOPOMPI_REDUCE=$form TOPOMPI_BCAST=$form TOPOMPI_SHARED=$memory "$programs/mistakes" alone)
        ok "mistakes of one rank, $form, $memory shared" "$out"
    done
done

# A job that loses a process ends, and nothing of ours stays in shared memory. Jobs of others may have
# segments that still have a name at any one moment.
segments() { find /dev/shm -maxdepth 1 -name 'topompi-*' 2> /dev/null | sort; }
for ending in abort kill; do
    before=$(segments)
    out=$(preloaded 4 "${shared[@]}" "$programs/endings" "$ending")
    code=$?
    left=$(comm -13 <(echo "$before") <(segments))
    [ -z "$left" ] || { sleep 1; left=$(comm -12 <(echo "$left") <(segments)); }
    if [ $code = 0 ] || [ $code = 124 ]; then
        fail "$ending ends the job" "exit status $code: $out"
    elif [ -n "$left" ]; then
        fail "$ending leaves nothing behind" "$left"
    else
        pass "$ending ends the job and leaves nothing behind"
    fi
done

# Processes that are started later: jobs of their own, their common communicators are native. Between jobs Open MPI
# knows no shared memory.
export MPI_BTL=self,vader,tcp
if out=$(apart mpi 2 "$programs/endings" spawn); then
    ok "spawn, by itself" "$(preloaded 2 "$programs/endings" spawn)"
    ok "spawn, messages" "$(preloaded 2 "${messages[@]}" "$programs/endings" spawn)"
    ok "spawn, shared" "$(preloaded 2 "${shared[@]}" "$programs/endings" spawn)"
else
    skip "spawn" "does not work without the library either: $(tail -n 2 <<<"$out" | tr '\n' ' ')"
fi
finish
