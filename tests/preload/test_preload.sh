# The library preloaded under programs that know nothing of it.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
here=$TOP_SRCDIR/tests/preload
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
plain=$TOP_BUILDDIR/tests/preload/plain

# preloaded N OPTIONS... -- PROGRAM...: mpi with the library and NAME=VALUE settings in every rank.
preloaded() {
    local n=$1 settings=()
    shift
    while [ "$1" != -- ]; do settings+=(-x "$1"); shift; done
    shift
    apart mpi "$n" -x LD_PRELOAD="$library" "${settings[@]}" "$@"
}

# expect NAME OUTPUT PATTERN...: the output holds every pattern; "!PATTERN" must not occur.
expect() {
    local name=$1 out=$2 pattern
    shift 2
    for pattern in "$@"; do
        case $pattern in
        !*) if printf '%s\n' "$out" | grep -qE -- "${pattern#!}"; then fail "$name" "found '${pattern#!}' in: $out"; return; fi ;;
        *) if ! printf '%s\n' "$out" | grep -qE -- "$pattern"; then fail "$name" "no '$pattern' in: $out"; return; fi ;;
        esac
    done
    pass "$name"
}

ran='allgather .* bruck_reorder'
met='barrier .* leader'
given='bcast .* leader'
added='reduce .* leader'
joined='allgatherv .* leader'
exchanged='alltoall .* node_aware'
scattered='reduce_scatter .* leader'
cut='reduce_scatter_block .* lanes'
settings=(TOPOMPI_ALLGATHER=bruck_reorder TOPOMPI_BARRIER=leader TOPOMPI_BCAST=leader TOPOMPI_REDUCE=leader TOPOMPI_ALLGATHERV=leader TOPOMPI_ALLTOALL=node_aware TOPOMPI_REDUCE_SCATTER=leader TOPOMPI_REDUCE_SCATTER_BLOCK=lanes "TOPOMPI_MACHINE=synthetic:node:2 core:2" TOPOMPI_STATS=1)

# Programs that are not MPI programs at all.
check "true runs preloaded" env LD_PRELOAD="$library" true
check "ls runs preloaded" env LD_PRELOAD="$library" ls /
expect "a shell runs preloaded" "$(LD_PRELOAD=$library bash -c 'echo fine; exit 0' 2>&1)" '^fine$' '!topompi'
expect "mpirun itself preloaded" "$(LD_PRELOAD=$library TOPOMPI_STATS=1 TOPOMPI_ALLGATHER=ring apart mpi 4 "$plain")" \
    '^ok$' 'allgather .* ring'
expect "a program started alone" "$(LD_PRELOAD=$library timeout 60 "$plain" 2>&1)" '^ok$' '!topompi'

# Every language binding reaches our algorithm.
expect "C program" "$(preloaded 4 "${settings[@]}" -- "$plain")" '^ok$' "$ran" "$met" "$given" "$added" "$joined" "$exchanged" "$scattered" "$cut"
for binding in mpifh usempi f08; do
    if [ -z "${MPIFORT:-}" ]; then
        skip "Fortran $binding" "no mpifort (Debian: gfortran libopenmpi-dev)"
    elif ! "$MPIFORT" -fallow-argument-mismatch "-D$binding" -o "$work/$binding" "$here/binding.F90" -J "$work" > "$work/log" 2>&1; then
        skip "Fortran $binding" "does not compile: $(tail -n 3 "$work/log" | tr '\n' ' ')"
    else
        expect "Fortran $binding" "$(preloaded 4 "${settings[@]}" -- "$work/$binding")" '^ok$' "$ran" "$met" "$given" "$added" "$joined" "$exchanged" "$scattered" "$cut" '!wrong'
    fi
done
python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import mpi4py' 2> /dev/null && python=$candidate && break
done
if [ -n "$python" ]; then
    expect "Python mpi4py" "$(preloaded 4 "${settings[@]}" -- "$python" "$here/binding_python.py")" '^ok$' "$ran" "$met" "$given" "$added" "$joined" "$exchanged" "$scattered" "$cut"
    result=$(mpi 4 "$python" "$here/iterate.py" 2>&1 | grep '^result ')
    expect "an mpi4py program" "$(preloaded 4 TOPOMPI_STATS=1 -- "$python" "$here/iterate.py" 200)" \
        'allgather .* leader' '^result '
    for machine in "node:1 core:4" "node:2 core:2" "node:2 core:3,1"; do
        expect "an mpi4py program, $machine" \
            "$(preloaded 4 "TOPOMPI_MACHINE=synthetic:$machine" -- "$python" "$here/iterate.py")" "^${result:-none}$"
    done
else
    skip "Python mpi4py" "no mpi4py (Debian: python3-mpi4py)"
fi

# What runs, and why.
expect "TOPOMPI_VERBOSE" "$(preloaded 4 "${settings[@]}" TOPOMPI_VERBOSE=1 -- "$plain")" '^ok$' \
    'TOPOMPI_ALLGATHER=bruck_reorder \(environment of rank 0\)' '!TOPOMPI_PREPARE' 'level 0: 2 x node' \
    "TopoMPI .*\($(dirname "$library")/$core\), .*MPI " \
    'allgather of 4 bytes, 4 ranks on 2 nodes: bruck_reorder, as TOPOMPI_ALLGATHER says$' '!the model gives'
expect "TOPOMPI_VERBOSE of native calls" "$(preloaded 4 "${settings[@]}" TOPOMPI=off TOPOMPI_VERBOSE=1 -- "$plain")" \
    'allgather of 4 bytes, 4 ranks on 2 nodes: native, as TOPOMPI=off says$'
said=$(preloaded 2 TOPOMPI_VERBOSE=1 TOPOMPI_ALLREDUCE=leader -- "$TOP_BUILDDIR/tests/preload/lives" 5 40 64 allreduce | grep -c 'allreduce of 64 bytes, 2 ranks')
if [ "$said" = 1 ]; then pass "it says of 40 communicators the same once"; else fail "said of 40 communicators" "$said times"; fi

# By itself: native for a few short calls on a communicator that the program made, ours from where it is used more.
auto=("TOPOMPI_MACHINE=synthetic:node:1 core:4" TOPOMPI_STATS=1)
expect "few calls stay native" "$(preloaded 4 "${auto[@]}" -- "$plain" 3 copy)" '^ok$' 'allgather .* native' '!allgather .* leader'
expect "many calls do not" "$(preloaded 4 "${auto[@]}" -- "$plain" 200 copy)" '^ok$' 'allgather .* native' 'allgather .* leader'

# The report says what ran where. What the model gives the native algorithm is shown where the model was measured here.
expect "TOPOMPI_STATS" "$(preloaded 4 "${settings[@]}" -- "$plain")" 'statistics of plain, 4 ranks on 2 nodes: 2 x node' \
    'topompi: TopoMPI .*libtopompi-core-.*\.so\), ' 'us a call +native us +communicator$' "$ran +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-3] +[?0-9>=%]+ +[0-9.]+ +[-0-9.]+ [A-Z ]+" \
    'total: [0-9]+ calls, [1-9][0-9]* of them by our algorithms, [0-9.]+ ms in them, [0-9.]+ % of [0-9.]+ s'
echo 'level node alpha=5e-6 beta=1e-10' >"$work/levels.conf"
expect "the model's time beside the measured one" \
    "$(preloaded 4 "${settings[@]}" TOPOMPI_TUNING="$work/levels.conf" -- "$plain")" \
    'us a call +native us +model us +communicator$' "$ran .* +[-0-9.]+ +[0-9]+\.[0-9]+ [A-Z ]+"
expect "the same by TOPOMPI_VERBOSE" \
    "$(preloaded 4 "${settings[@]}" TOPOMPI_VERBOSE=1 TOPOMPI_TUNING="$work/levels.conf" -- "$plain")" \
    'bruck_reorder, as TOPOMPI_ALLGATHER says; the model gives .* us'

expect "none without node-shared memory" "$(preloaded 4 "${auto[@]}" TOPOMPI_SHARED=0 -- "$plain" 200)" '^ok$' \
    'allgather .* native' '!allgather .* leader'

# Preparation as the communicator is created.
expect "TOPOMPI_PREPARE=create" "$(preloaded 4 "${settings[@]}" TOPOMPI_PREPARE=create -- "$plain")" '^ok$' "$ran"

# A preload that reaches some ranks only, or is switched off in some, must not hang the job.
cat > "$work/some" <<EOF
#!/bin/sh
[ \$((OMPI_COMM_WORLD_RANK % 2)) = "\$1" ] && export LD_PRELOAD="$library"
exec "$plain"
EOF
chmod +x "$work/some"
expect "only odd ranks preloaded" "$(apart mpi 4 "$work/some" 1)" '^ok$' 'topompi: rank 0 runs without'
expect "only even ranks preloaded" "$(apart mpi 4 "$work/some" 0)" '^ok$' 'topompi: rank 1 runs without'
cat > "$work/off" <<EOF
#!/bin/sh
[ \$OMPI_COMM_WORLD_RANK = 2 ] && export TOPOMPI=off
exec "$plain"
EOF
chmod +x "$work/off"
expect "switched off on one rank" "$(preloaded 4 -- "$work/off")" '^ok$' 'topompi: rank 2 runs without'
expect "switched off" "$(preloaded 4 TOPOMPI=off -- "$plain")" '^ok$' '!topompi'
expect "switched off, another word" "$(preloaded 4 TOPOMPI=No TOPOMPI_ALLGATHER=brick -- "$plain")" '^ok$' '!topompi'
expect "switched off, reported: the baseline" \
    "$(preloaded 4 TOPOMPI=off TOPOMPI_STATS=1 "TOPOMPI_MACHINE=synthetic:node:2 core:2" TOPOMPI_ALLGATHER=ring -- "$plain" 200)" \
    '^ok$' 'TOPOMPI=off, so all are native: a baseline' 'allgather .* native' '!allgather .* (ring|leader)' ' 0 of them by our'
expect "switched off, verbose" "$(preloaded 4 TOPOMPI=0 TOPOMPI_VERBOSE=yes -- "$plain" 200)" '^ok$' \
    'allgather of .*: native' '!allgather of .*: [^n]'
expect "switched on by another word" "$(preloaded 4 TOPOMPI=1 TOPOMPI_ALLGATHER=Ring TOPOMPI_STATS=ON -- "$plain")" '^ok$' \
    'allgather .* ring'

# Rank 0's configuration is everyone's.
cat > "$work/differ" <<EOF
#!/bin/sh
[ \$OMPI_COMM_WORLD_RANK = 0 ] && export TOPOMPI_ALLGATHER=ring TOPOMPI_STATS=1 || export TOPOMPI_ALLGATHER=bruck_exch
exec "$plain"
EOF
chmod +x "$work/differ"
expect "rank 0's configuration wins" "$(preloaded 4 -- "$work/differ")" '^ok$' 'allgather .* ring' '!bruck'

# Bad input: one message from rank 0, and the job goes on natively, or ends when strict.
bad() {
    local name=$1 setting=$2 out
    shift 2
    out=$(preloaded 4 "$setting" -- "$plain")
    expect "$name" "$out" '^ok$' "$@" '!allgather .* calls'
    [ "$(printf '%s\n' "$out" | grep -c '^topompi:')" = 1 ] || fail "$name: once" "$out"
    out=$(preloaded 4 "$setting" TOPOMPI_STRICT=1 -- "$plain")
    expect "$name, strict" "$out" '!^ok$' "$@"
}
bad "unknown algorithm" TOPOMPI_ALLGATHER=brick 'TOPOMPI_ALLGATHER=brick' 'auto native ring'
expect "only the operation concerned is native" \
    "$(preloaded 4 TOPOMPI_ALLGATHER=brick "${settings[@]:1}" -- "$plain")" '^ok$' 'MPI_Allgather runs natively' \
    'allgather .* native' "$met" "$given" "$added"
bad "no word of a switch" TOPOMPI=never 'TOPOMPI=never: unknown value; allowed: on off yes no' 'natively|STRICT'
bad "no grid" TOPOMPI_CYCLIC_GRID=wide 'TOPOMPI_CYCLIC_GRID' 'is as if it were not set|STRICT'
bad "nonsense machine" TOPOMPI_MACHINE=nonsense 'TOPOMPI_MACHINE' 'synthetic:'
bad "sizes that do not sum up" "TOPOMPI_MACHINE=synthetic:node:3 core:2" 'TOPOMPI_MACHINE' '6'
printf 'SwitchName=s0 Nodes=elsewhere\nSwitchName s1\n' > "$work/topology.conf"
bad "malformed machine file" "TOPOMPI_MACHINE=file:$work/topology.conf" 'topology.conf:2'
printf 'SwitchName=s0 Nodes=elsewhere\n' > "$work/topology.conf"
bad "host missing from the machine file" "TOPOMPI_MACHINE=file:$work/topology.conf" "$(hostname)"
bad "machine file that is not there" "TOPOMPI_MACHINE=file:$work/nothing" "$work/nothing"
printf 'allgather bytes=0-100 brick\n' > "$work/tuning.conf"
bad "malformed tuning file" "TOPOMPI_TUNING=$work/tuning.conf" 'tuning.conf:1' 'topo-dump algorithms'
bad "tuning file that is not there" "TOPOMPI_TUNING=$work/absent" "$work/absent"
long=$work/$(printf '%0700d' 0)
bad "tuning file with a name that is too long" "TOPOMPI_TUNING=$long" "${work}/0.*0: File name too long"
bad "learnt file without a name" "TOPOMPI_TUNING=learn:" 'TOPOMPI_TUNING=learn:: no path; allowed: PATH'
mkdir "$work/slurm"
mkfifo "$work/fifo" "$work/slurm/topology.conf"
bad "tuning file that is a FIFO" "TOPOMPI_TUNING=$work/fifo" "$work/fifo: not a regular file"
bad "tuning file that is a device" TOPOMPI_TUNING=/dev/zero '/dev/zero: not a regular file'
bad "machine file that is a FIFO" "TOPOMPI_MACHINE=file:$work/fifo" "$work/fifo: not a regular file"
bad "machine file that is a folder" "TOPOMPI_MACHINE=file:$work" "$work: not a regular file"
expect "an empty tuning file" "$(preloaded 4 TOPOMPI_TUNING=/dev/null TOPOMPI_ALLGATHER=ring TOPOMPI_STATS=1 -- "$plain")" \
    '^ok$' 'allgather .* ring'
expect "a topology.conf that is a FIFO" \
    "$(preloaded 4 TOPOMPI_VERBOSE=1 -- env SLURM_JOB_ID=1 SLURM_CONF="$work/slurm/slurm.conf" "$plain")" \
    '^ok$' 'machine: no switches from Slurm: .*topology.conf: not a regular file'
printf '# test\nallgather ranks=4 bytes=0-100 bruck_exch\n' > "$work/tuning.conf"
expect "a tuning file decides" "$(preloaded 4 "TOPOMPI_TUNING=$work/tuning.conf" TOPOMPI_STATS=1 -- "$plain")" \
    '^ok$' 'allgather .* bruck_exch'

mkdir -p "$work/home/.config/topompi" "$work/config/topompi"
echo 'allgather ranks=4 ring' > "$work/home/.config/topompi/tuning.conf"
echo 'allgather ranks=4 bruck' > "$work/config/topompi/tuning.conf"
expect "the user's tuning file" "$(preloaded 4 HOME="$work/home" XDG_CONFIG_HOME= TOPOMPI_STATS=1 -- "$plain")" \
    '^ok$' 'allgather .* ring '
expect "the user's tuning file, XDG" \
    "$(preloaded 4 HOME="$work/home" XDG_CONFIG_HOME="$work/config" TOPOMPI_STATS=1 -- "$plain")" '^ok$' 'allgather .* bruck '
expect "a named one goes first" \
    "$(preloaded 4 HOME="$work/home" "TOPOMPI_TUNING=$work/tuning.conf" TOPOMPI_STATS=1 -- "$plain")" '^ok$' 'allgather .* bruck_exch '

echo 'allgather ranks=4 radix radix=2 drivers=1' >"$work/parameters.conf"
expect "parameters that a rule gives" "$(preloaded 4 "TOPOMPI_TUNING=$work/parameters.conf" \
    "TOPOMPI_MACHINE=synthetic:node:2 core:2" TOPOMPI_VERBOSE=1 -- "$plain")" '^ok$' \
    '4 ranks on 2 nodes: radix radix=2 drivers=1, by line 1 of the tuning file'

# What a job finds to be the fastest is written down, and the next job's first calls run it. Which that is time tells.
kept=$work/cache/topompi
found=("XDG_CACHE_HOME=$work/cache" "TOPOMPI_MACHINE=synthetic:node:2 core:2")
verdict='allgather ranks=4 nodes=2 per_node=2 placement=slot even=yes memory=shared racks=no processors=(own|shared) bytes=3-4'
expect "a job without a word of earlier ones" "$(preloaded 4 "${found[@]}" TOPOMPI_VERBOSE=1 -- "$plain" 3000)" '^ok$' \
    '!what earlier jobs found'
file=$(echo "$kept"/verdicts-synthetic-*-*.conf)
expect "what it found" "$(cat "$file")" '^# TopoMPI verdicts' "^$verdict [a-z_]+.* # 20[0-9-]+ .*[a-z_]+ [0-9.]+ us$"
expect "the next one reads it" "$(preloaded 4 "${found[@]}" TOPOMPI_VERBOSE=1 -- "$plain")" '^ok$' \
    "what earlier jobs found is in $file"
# In communicators of all ranks; those of halves have rows of their own.
for row in "2 native" "2 radix" "2 leader"; do
    read -r calls form <<<"$row"
    sed -Ei "s/^($verdict) .* # /\\1 $form # /" "$file"
    expect "its first two calls run the verdict, $form" "$(preloaded 4 "${found[@]}" TOPOMPI_STATS=1 -- "$plain" 1)" '^ok$' \
        "allgather +4 +$calls +$form "
done
expect "a file of the user's" "$(preloaded 4 "TOPOMPI_TUNING=learn:$work/own.conf" -- "$plain" 3000)" '^ok$' \
    "learn:$work/own.conf: each job finds out what is the fastest; what this one finds is kept there"
expect "it is there" "$(cat "$work/own.conf")" '^allgather ranks=4 '
echo 'allgather brick' >"$work/own.conf"
expect "one that is not ours stays" "$(preloaded 4 "TOPOMPI_TUNING=learn:$work/own.conf" -- "$plain" 3000)$(cat "$work/own.conf")" \
    '^ok$' 'own.conf: no file of verdicts; what earlier jobs found is not used' 'allgather brick$'
expect "a FIFO" "$(preloaded 4 "TOPOMPI_TUNING=learn:$work/fifo" -- "$plain")" '^ok$' 'fifo: not a regular file; what earlier'
sed -Ei "s/^($verdict) .*/\\1 brick/" "$file"
expect "a damaged one" "$(preloaded 4 "${found[@]}" -- "$plain" 3000)" '^ok$' 'unknown algorithm brick; .* what earlier jobs found is not used'
expect "is replaced" "$(cat "$file")" "^$verdict [a-z_]+" '!brick'

# What MPI_Init waits for: options and rules are broadcast at once, and so is the tree; an all-reduce follows each. For
# MPI_COMM_WORLD one agrees on tags and on room for memory; whether all ranks have it they tell each other in messages.
expect "collective calls of MPI_Init" \
    "$(preloaded 4 "TOPOMPI_TUNING=$work/tuning.conf" -- "$TOP_BUILDDIR/tests/preload/starting")" \
    '^3 Allreduce, 2 Bcast, 1 Comm_dup: 6 calls, '
expect "collective calls of MPI_Init, without shared memory" \
    "$(preloaded 4 "TOPOMPI_TUNING=$work/tuning.conf" TOPOMPI_SHARED=0 -- "$TOP_BUILDDIR/tests/preload/starting")" \
    '^2 Allreduce, 2 Bcast, 1 Comm_dup: 5 calls, '
# The first call of another communicator agrees on tags and room, then in messages on whether all have the memory, of whose
# name one rank tells three; nothing is agreed on later, nor at the end.
expect "collective calls of a communicator" "$(preloaded 4 -- "$TOP_BUILDDIR/tests/preload/starting" all)" \
    '^. first call, MPI_COMM_WORLD [|]  [|] 0 [|]' '^. first call, a copy [|] 1 Allreduce [|] 11 [|] 5 [|] 304 [|]' \
    '^. first call, every other rank [|] 1 Allreduce [|] 6 [|]' '^. MPI_Comm_free, the copy [|]  [|] 0 [|]'

out=$(preloaded 3 TOPOMPI_ALLGATHER=recursive_doubling TOPOMPI_STATS=1 -- "$plain")
expect "an algorithm that does not apply" "$out" '^ok$' 'TOPOMPI_ALLGATHER=recursive_doubling does not apply' \
    'not a power of two' 'allgather .* native'
expect "the same, strict" "$(preloaded 3 TOPOMPI_ALLGATHER=recursive_doubling TOPOMPI_STRICT=1 -- "$plain")" \
    '!^ok$' 'TOPOMPI_STRICT=1'
# The error of the first rank ends the job; what says why is rank 0's.
expect "the same, strict, rank 0 is late" "$(preloaded 3 TOPOMPI_ALLGATHER=recursive_doubling TOPOMPI_STRICT=1 -- "$plain" 1 late)" \
    '!^ok$' 'does not apply in a communicator of 3 ranks: .*TOPOMPI_STRICT=1'
expect "a grid that does not fit, strict, rank 0 is late" "$(preloaded 3 TOPOMPI_ALLREDUCE=cyclic TOPOMPI_CYCLIC_GRID=2x2 \
    TOPOMPI_STRICT=1 -- "$plain" 1 late)" '!^ok$' 'TOPOMPI_CYCLIC_GRID=2x2 is a grid of 4 ranks.*TOPOMPI_STRICT=1'
expect "where no rank may wait, the one that ends the job says why" \
    "$(preloaded 3 TOPOMPI_REDUCE=leader TOPOMPI_STRICT=1 -- "$plain" order)" 'TOPOMPI_REDUCE=leader does not apply .*TOPOMPI_STRICT=1'
expect "the same, strict, with the error returned" \
    "$(preloaded 3 TOPOMPI_ALLGATHER=recursive_doubling TOPOMPI_STRICT=1 -- "$plain" errors)" \
    '^allgather: MPI_ERR_UNSUPPORTED_OPERATION'
expect "a misspelt variable" "$(preloaded 4 TOPOMPI_ALGATHER=ring -- "$plain")" '^ok$' 'unknown variable TOPOMPI_ALGATHER is ignored'
expect "the same, strict" "$(preloaded 4 TOPOMPI_ALGATHER=ring TOPOMPI_STRICT=1 -- "$plain")" '!^ok$' \
    'unknown variable TOPOMPI_ALGATHER; .*TOPOMPI_STRICT=1 ends the job'
expect "what a site's module sets" "$(preloaded 4 TOPOMPI_ROOT=/opt TOPOMPI_STRICT=1 -- "$plain")" '^ok$' '!TOPOMPI_ROOT'

# A communicator of the program's has its native number, so that what MPI says of it is what it says natively.
named() { # PRELOAD: by which name a fatal message calls the program's 64th communicator; mpirun loses it now and then as the job ends
    local said
    for _ in 1 2 3 4 5 6 7 8 9; do
        said=$(mpi 2 ${1:+-x LD_PRELOAD="$1"} "$plain" fatal 2>&1 | sed -n 's/.*on communicator \(.*\)/\1/p' | head -n 1)
        [ -z "$said" ] || break
    done
    echo "$said"
}
native=$(named '') preloaded=$(named "$library")
if [ -z "$native" ]; then
    skip "a communicator's name" "this MPI library says none"
elif [ "$preloaded" = "$native" ]; then
    pass "a communicator's name: $native"
else
    fail "a communicator's name" "$preloaded, natively $native"
fi

# Nothing but wrappers, one of PMIx_Commit, and the public interface leaves the library.
defined() { nm -D --defined-only "$1" | awk '{print $3}' | sort; }
exported=$(defined "$library" | grep -viE '^p?mpi_|^topompi_|^PMIx_Commit$')
if [ -z "$exported" ]; then pass "exported symbols"; else fail "exported symbols" "$exported"; fi
# What it has by PMPI_X, it has by MPI_X, and what the core has, it has. AddressSanitizer has a symbol of its own for each variable.
names() { defined "$1" | grep -vE '^[Pp][Mm][Pp][Ii]_|^(__odr_asan\.)?topo_core_'; }
others=$(defined "$library" | sed -nE 's/^[Pp]([Mm][Pp][Ii]_)/\1/p' | sort | comm -23 - <(names "$library"))
if [ -z "$others" ]; then pass "PMPI_X beside MPI_X"; else fail "PMPI_X beside MPI_X" "$others"; fi
lacking=$(comm -13 <(names "$library") <(names "$(dirname "$library")/$core"))
if [ -z "$lacking" ]; then pass "the core's symbols"; else fail "the core's symbols" "$lacking"; fi
# The core calls no function of MPI by its name, which may lead back to us or to a tool: what is named here goes into job/mpi.def.
named=$(nm -D --undefined-only "$(dirname "$library")/$core" | awk '{print $2}' | grep -iE '^p?mpi_')
if [ -z "$named" ]; then pass "the core calls MPI by its table"; else fail "the core calls MPI by its table" "$named"; fi
finish
