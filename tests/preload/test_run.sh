# topompi-run hands the library and its variables on, by each launcher's own means.
. "$TOP_SRCDIR/tests/lib.sh"
run=$TOP_BUILDDIR/tools/topompi-run/topompi-run
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
plain=$TOP_BUILDDIR/tests/preload/plain
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD SLURM_EXPORT_ENV SRUN_EXPORT_ENV
for name in $(compgen -e | grep -E '^(TOPOMPI|SLURM_|PBS_|LSB_|PE_|OMPI_|PMI)'); do unset "$name"; done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Launchers that only say what they are and what they were given.
mkdir "$work/bin" "$work/hydra" "$work/other"
printf '#!/bin/sh\n[ "$1" = --version ] && echo "mpirun (Open MPI) 4.1.4" && exit\n' >"$work/bin/mpirun"
printf '#!/bin/sh\n[ "$1" = --version ] && echo "HYDRA build details:" && exit\n' >"$work/hydra/mpiexec"
printf '#!/bin/sh\necho "another one"\n' >"$work/other/mpirun"
printf '#!/bin/sh\necho "got $*"; env | grep -E "^(LD_PRELOAD|TOPOMPI)" | sort\n' >"$work/bin/srun"
mkdir "$work/pals"
printf '#!/bin/sh\n[ "$1" = --version ] && echo "PALS version 1.3.4"\n' >"$work/pals/mpiexec"
chmod +x "$work"/*/*

# shows NAME COMMAND WORD...: --dry-run prints that command, with LIBRARY for the library's name.
shows() {
    local name=$1 wanted=${2//LIBRARY/$library} got
    shift 2
    got=$(cd "$work" && PATH=$work/bin:$PATH "$run" --dry-run "$@" 2>&1)
    if [ "$got" = "$wanted" ]; then pass "$name"; else fail "$name" "$got, not $wanted"; fi
}
shows "Open MPI" "mpirun -x LD_PRELOAD=LIBRARY -x TOPOMPI_STATS=on -np 4 ./a b" --stats -- mpirun -np 4 ./a b
shows "a report as JSON" "mpirun -x LD_PRELOAD=LIBRARY -x TOPOMPI_STATS=json ./a" --stats=json mpirun ./a
shows "a report in a file" "mpirun -x LD_PRELOAD=LIBRARY -x TOPOMPI_STATS=$work/r.json ./a" --stats=r.json mpirun ./a
shows "no --" "mpirun -x LD_PRELOAD=LIBRARY -np 4 ./a --stats" mpirun -np 4 ./a --stats
shows "every option" "mpirun -x LD_PRELOAD=LIBRARY -x TOPOMPI=off -x TOPOMPI_VERBOSE=on -x TOPOMPI_STRICT=on -x TOPOMPI_TRACE=d -x TOPOMPI_TUNING=learn:$work/t -x TOPOMPI_REDUCE_SCATTER=lanes -x TOPOMPI_MACHINE=synthetic:node:2\\ core:2 -np 4 ./a" \
    --off --verbose --strict --trace d --tune=t --reduce-scatter=lanes --set "TOPOMPI_MACHINE=synthetic:node:2 core:2" mpirun -np 4 ./a
shows "Open MPI, two programs" "mpirun -x LD_PRELOAD=LIBRARY -x TOPOMPI_STATS=on -np 1 ./a : -x LD_PRELOAD=LIBRARY -x TOPOMPI_STATS=on -np 2 ./b" \
    --stats mpirun -np 1 ./a : -np 2 ./b
shows "Hydra, two programs" "mpiexec.hydra -genv LD_PRELOAD LIBRARY -n 1 ./a : -n 2 ./b" mpiexec.hydra -n 1 ./a : -n 2 ./b
shows "Hydra" "mpiexec.hydra -genv LD_PRELOAD LIBRARY -genv TOPOMPI_BCAST chain -n 4 ./a" --bcast=chain mpiexec.hydra -n 4 ./a
shows "an mpiexec of Hydra" "$work/hydra/mpiexec -genv LD_PRELOAD LIBRARY -n 4 ./a" "$work/hydra/mpiexec" -n 4 ./a
shows "an mpiexec of PALS" "$work/pals/mpiexec --env LD_PRELOAD=LIBRARY --env TOPOMPI_STATS=on -n 1 ./a : --env LD_PRELOAD=LIBRARY --env TOPOMPI_STATS=on -n 2 ./b" \
    --stats "$work/pals/mpiexec" -n 1 ./a : -n 2 ./b
mkdir "$work/slurm"
printf '#!/bin/sh\nprintf "Unknown option: version\\nUsage:\\n    mpiexec.slurm args executable pgmargs\\n" >&2; exit 2\n' >"$work/slurm/mpiexec"
chmod +x "$work/slurm/mpiexec"
shows "Slurm's mpiexec" "env LD_PRELOAD=LIBRARY TOPOMPI_STATS=on $work/slurm/mpiexec -n 4 ./a" --stats "$work/slurm/mpiexec" -n 4 ./a
export SLURM_EXPORT_ENV=HOME
shows "Slurm's mpiexec with a list" "env LD_PRELOAD=LIBRARY TOPOMPI_STATS=on SLURM_EXPORT_ENV=HOME\\,LD_PRELOAD\\,TOPOMPI_STATS mpiexec.slurm -n 4 ./a" \
    --stats mpiexec.slurm -n 4 ./a
unset SLURM_EXPORT_ENV
shows "ALPS" "aprun -e LD_PRELOAD=LIBRARY -e TOPOMPI_BCAST=chain -n 4 ./a" --bcast=chain aprun -n 4 ./a
shows "Slurm" "env LD_PRELOAD=LIBRARY TOPOMPI_STATS=on srun -n 4 ./a" --stats srun -n 4 ./a
shows "Slurm with a list" 'env LD_PRELOAD=LIBRARY TOPOMPI_STATS=on srun --export=HOME\,LD_PRELOAD\,TOPOMPI_STATS -n 4 ./a' \
    --stats srun --export=HOME -n 4 ./a
shows "Slurm with a list apart" 'env LD_PRELOAD=LIBRARY srun --export HOME\,LD_PRELOAD -n 4 ./a' srun --export HOME -n 4 ./a
shows "Slurm with no list" 'env LD_PRELOAD=LIBRARY TOPOMPI_STATS=on srun --export=LD_PRELOAD\,TOPOMPI_STATS -n 4 ./a' --stats srun --export=NONE -n 4 ./a
shows "Slurm with no list apart" 'env LD_PRELOAD=LIBRARY srun --export HOME\,LD_PRELOAD ./a' srun --export nil,HOME ./a
shows "the tuning file of the user" "env LD_PRELOAD=LIBRARY TOPOMPI_TUNING=learn:$work/x/topompi/tuning.conf srun ./a" \
    --set "TOPOMPI_TUNING=learn:$work/x/topompi/tuning.conf" srun ./a
export TOPOMPI_ALLGATHER=ring LD_PRELOAD=libm.so.6
shows "what was exported before" "mpirun -x LD_PRELOAD=libm.so.6:LIBRARY -x TOPOMPI_ALLGATHER=ring ./a" mpirun ./a
shows "an option goes before" "mpirun -x LD_PRELOAD=libm.so.6:LIBRARY -x TOPOMPI_ALLGATHER=lanes ./a" --allgather=lanes mpirun ./a
unset TOPOMPI_ALLGATHER LD_PRELOAD
shows "no launcher, no job" "env LD_PRELOAD=LIBRARY ./a b" ./a b
export SLURM_JOB_ID=1
got=$(PATH=$work/bin:/usr/bin:/bin "$run" --dry-run ./a 2>&1)
if [[ $got =~ ^(mpi[a-z.]+\ (-x\ LD_PRELOAD=|-genv\ LD_PRELOAD\ )|env\ .*srun).*\ ./a$ ]]; then pass "in a job script"; else fail "in a job script" "$got"; fi
export PMIX_RANK=0
shows "in a rank" "env LD_PRELOAD=LIBRARY ./a" ./a
unset SLURM_JOB_ID PMIX_RANK
out=$(PATH=$work/bin:$PATH "$run" --stats srun -n 4 ./a | grep -v ^TOPOMPI_STATS_KEEP)
if [ "$out" = "got -n 4 ./a"$'\n'"LD_PRELOAD=$library"$'\n'"TOPOMPI_STATS=on" ]; then pass "srun hands on"; else fail "srun hands on" "$out"; fi

# Which MPI a program has, by what it needs: programs of libraries that do nothing.
fake() { # FILE SONAME [FOLDER]: a program of that library
    local folder=$work/opt/${3:-lib}
    mkdir -p "$folder" "$work/opt/bin"
    echo 'int PMPI_Init(void) { return 0; }' | cc -shared -fPIC -Wl,-soname,"$2" -o "$folder/$2" -x c - &&
        echo 'int PMPI_Init(void); int main(void) { return PMPI_Init(); }' |
        cc -o "$work/$1" -x c - -x none "$folder/$2" -Wl,-rpath,"$folder"
}
for pair in "of_ompi libmpi.so.40" "of_mpich libmpi.so.12" "of_debian libmpich.so.12" "of_cray libmpi_gnu_123.so.12" "of_abi libmpi_abi.so.1" \
    "of_none libmpi_ibm.so.3" "of_old libmpi.so.20"; do
    # shellcheck disable=SC2086
    check "a program of ${pair#* }" fake $pair
done
printf '#!/bin/sh\n' >"$work/script" && chmod +x "$work/script"
cp "$work/hydra/mpiexec" "$work/bin/mpiexec.hydra"
cp "$work/hydra/mpiexec" "$work/bin/mpirun" "$work/opt/bin"
probe=$TOP_BUILDDIR/tools/topompi-run/topompi-probe
shows "--check, a program of Open MPI" "mpirun -x LD_PRELOAD=LIBRARY -np 2 $probe-ompi --program ./of_ompi $work/opt/lib/libmpi.so.40" \
    --check mpirun -np 2 ./of_ompi -x
shows "--check, of MPI 5's ABI" "mpiexec.hydra -genv LD_PRELOAD LIBRARY -n 2 $probe-abi --json --program ./of_abi $work/opt/lib/libmpi_abi.so.1" \
    --check --json mpiexec.hydra -n 2 ./of_abi
shows "--check, not known, a script" "mpirun -x LD_PRELOAD=LIBRARY $probe-ompi --unknown ./script libmpi.so.40" --check mpirun ./script ./x
shows "--check, behind a script that sets up" "mpirun -x LD_PRELOAD=LIBRARY $probe-ompi --program ./of_ompi $work/opt/lib/libmpi.so.40" \
    --check mpirun ./script ./of_ompi
if [ -x "$probe-mpich" ]; then
    out=$(PATH=$work/bin:$PATH "$run" --dry-run --check mpirun "$work/of_mpich" 2>&1 >/dev/null)
    if [ "$out" = "topompi-run: $work/of_mpich is a program of libmpi.so.12 ($work/opt/lib/libmpi.so.12), and mpirun is the launcher of another MPI" ]; then
        pass "--check, a launcher of another MPI"
    else
        fail "--check, a launcher of another MPI" "$out"
    fi
    for name in mpich=libmpi.so.12 debian=libmpich.so.12 cray=libmpi_gnu_123.so.12; do
        shows "--check, of ${name#*=}" "env LD_PRELOAD=LIBRARY srun -n 2 $probe-mpich --program ./of_${name%=*} $work/opt/lib/${name#*=}" --check srun -n 2 "./of_${name%=*}"
    done
    shows "--check, a launcher alone" "mpiexec.hydra -genv LD_PRELOAD LIBRARY -n 2 $probe-mpich libmpi.so.12 libmpich.so.12" --check mpiexec.hydra -n 2
    shows "--check, the library beside the launcher" "$work/opt/bin/mpiexec -genv LD_PRELOAD LIBRARY $probe-mpich $work/opt/lib/libmpi.so.12 $work/opt/lib/libmpich.so.12 libmpi.so.12 libmpich.so.12" \
        --check "$work/opt/bin/mpiexec"
fi
export SLURM_JOB_ID=1
shows "a job script, Open MPI" "$work/opt/bin/mpirun -x LD_PRELOAD=LIBRARY ./of_ompi" ./of_ompi
shows "a job script, MPICH" "$work/opt/bin/mpiexec -genv LD_PRELOAD LIBRARY ./of_debian" ./of_debian
unset SLURM_JOB_ID

# refused STATUS PATTERN WORD...: that exit status, and one line.
refused() {
    local wanted=$1 pattern=$2 out status
    shift 2
    out=$("$run" "$@" 2>&1)
    status=$?
    if [ $status = "$wanted" ] && [[ $out =~ ^topompi-run:\ $pattern && $out != *$'\n'* ]]; then
        pass "topompi-run $*"
    else
        fail "topompi-run $*" "exit status $status: $out"
    fi
}
refused 2 'unknown option --frob' --frob mpirun ./a
refused 2 'unknown option --allgathers; ' --allgathers=ring mpirun ./a
refused 2 '--reduce-scatter needs its algorithm in the same word: --reduce-scatter=ALGORITHM' --reduce-scatter ring mpirun ./a
refused 2 'unknown option -x' -x mpirun ./a
refused 2 '--trace needs a value' --trace
refused 2 '--trace needs a value' --trace= mpirun ./a
refused 2 'option --verbose takes no value' --verbose=on mpirun ./a
refused 2 '--set LD_PRELOAD=x: allowed' --set LD_PRELOAD=x mpirun ./a
refused 2 'a program is missing' --stats
refused 2 '--trace needs a value' --trace -- mpirun ./a
refused 2 '--stats=xml: allowed: json' --stats=xml mpirun ./a
refused 2 '--json belongs to --check' --json mpirun ./a
refused 1 '/nowhere: no such library' --library /nowhere mpirun ./a
refused 1 '/tmp: no such library' --library /tmp mpirun ./a
refused 2 '.*other/mpirun is a launcher that topompi-run does not know' "$work/other/mpirun" ./a
refused 1 '.*/of_none is a program of libmpi_ibm.so.3 \(.*/lib/libmpi_ibm.so.3\): TopoMPI has no core' --check srun -n 2 "$work/of_none"
refused 1 '.*/of_old is a program of libmpi.so.20 ' --check srun -n 2 "$work/of_old"
check "--help" grep -q '^usage: topompi-run' <("$run" --help)
check "--version" grep -qE '^topompi-run \(TopoMPI\) [0-9.]+, cores:( abi| mpich| ompi)+$' <("$run" --version)
page=$(sed 's/\\f[A-Z]//g; s/\\//g' "$TOP_SRCDIR/man/topompi-run.1")
for option in $("$run" --help | sed -nE 's/^ +(-h, )?--([a-z-]+).*/\2/p' | sort -u); do
    check "the man page has --$option" grep -qE -- "--($option)" <(sed -E 's/\.B[RI]* //; s/"//g; s/-- *OPERATION/--OPERATION/' <<<"$page")
done

# Real jobs.
# --tune waits for the launcher: its status, its signals, what it reads, and what was learnt.
printf '#!/bin/sh\ncase $3 in\nlearns) cat >/dev/null && printf "# TopoMPI tuning file\\n# 5 calls each: ring 1.0, native 2.0\\nallgather ring\\n" >>"${TOPOMPI_TUNING#learn:}" ;;\nends) sleep 60 & trap "kill $!; exit 7" TERM; kill -TERM $PPID; wait ;;\nesac\nexit 3\n' >"$work/bin/srun"
out=$(PATH=$work/bin:$PATH "$run" --tune="$work/new.conf" srun -n 2 learns 2>&1 </dev/null)
check "--tune: status, and what was learnt" test "$?:$out" = "3:topompi-run: learnt, in $work/new.conf:"$'\n'"$(cat "$work/new.conf")"
out=$(PATH=$work/bin:$PATH "$run" --tune="$work/new.conf" srun -n 2 nothing 2>&1)
check "--tune: nothing new" grep -q '^topompi-run: nothing was learnt' <<<"$out"
PATH=$work/bin:$PATH "$run" --tune="$work/new.conf" srun -n 2 ends >/dev/null 2>&1
check "--tune: signals go on to the launcher" test $? -eq 7
if ! mpi 2 true >/dev/null 2>&1; then skip "jobs" "mpirun does not work here" && finish; fi
launcher=("${MPIRUN:-mpirun}")
[ "${MPI_KIND:-openmpi}" = mpich ] || launcher+=(--oversubscribe --bind-to none --mca btl self,vader)
out=$(apart timeout 120 "$run" --stats --allgather=ring -- "${launcher[@]}" -n 3 "$plain")
if grep -q '^ok$' <<<"$out" && grep -q 'allgather .* ring ' <<<"$out"; then pass "a job"; else fail "a job" "$out"; fi
out=$(apart timeout 120 "$run" --stats --allgather=ring -- "${launcher[@]}" -n 1 "$plain" : -n 2 "$plain")
if grep -q '^ok$' <<<"$out" && grep -q 'allgather .* ring ' <<<"$out"; then
    pass "a job of two programs"
elif ! apart timeout 120 "${launcher[@]}" -n 1 true : -n 1 true >/dev/null; then
    skip "a job of two programs" "the launcher cannot start one, as that of Open MPI 5.0.7"
else
    fail "a job of two programs" "$out"
fi
out=$(apart timeout 120 "${launcher[@]}" -n 3 "$run" --stats --allgather=ring "$plain")
if grep -q '^ok$' <<<"$out" && grep -q 'allgather .* ring ' <<<"$out"; then pass "in the ranks"; else fail "in the ranks" "$out"; fi
# What ranks counted in a job that broke off. kept NAME HOW STATUS: exit status, report, and no folder left.
kept() {
    local out status
    out=$(cd "$work" && apart timeout 120 "$run" --stats -- "${launcher[@]}" -n 3 "$TOP_BUILDDIR/tests/preload/late" 2 "$2")
    status=$?
    if [ $status -eq "$3" ] && grep -qE '^allreduce +512 +1[01] ' <<<"$out" && grep -q '^did not come to MPI_Finalize: the ranks 0-2; ' <<<"$out" &&
        [ -z "$(find "$work" -name 'topompi-stats.*')" ]; then pass "$1"; else fail "$1" "$status: $out"; fi
}
if [ "${MPI_KIND:-openmpi}" = openmpi ]; then
    kept "after MPI_Abort" abort 3
    kept "after an exit without MPI_Finalize" exit 4
else
    skip "after MPI_Abort" "its exit status is another"
fi
(cd "$work" && exec "$run" --stats -- "${launcher[@]}" -n 3 "$TOP_BUILDDIR/tests/preload/late" 2 stand >"$work/stands" 2>&1) &
job=$!
for ((i = 0; i < 600; i++)); do grep -q stands "$work/stands" && break; sleep 0.1; done
kill -TERM $job
wait $job
check "after a signal" grep -qE '^allreduce +512 +1[01] ' "$work/stands"
# A program with the address sanitizer, whose library has to be the first. What MPI keeps to the end is no leak of ours.
if [ "${MPI_KIND:-openmpi}" = openmpi ] && "$MPICC" -fsanitize=address -o "$work/sanitized" "$TOP_SRCDIR/tests/preload/plain.c" 2>/dev/null; then
    out=$(ASAN_OPTIONS=detect_leaks=0 apart timeout 120 "$run" --stats --allgather=ring -- "${launcher[@]}" -n 3 "$work/sanitized")
    if grep -q '^ok$' <<<"$out" && grep -q 'allgather .* ring ' <<<"$out"; then pass "address sanitizer"; else fail "address sanitizer" "$out"; fi
else
    skip "address sanitizer" "no such program of this MPI can be made here (Debian: gcc)"
fi
probed() { # NAME STATUS PATTERN WORD...
    local name=$1 wanted=$2 pattern=$3 out status
    shift 3
    out=$(apart timeout 200 "$@")
    status=$?
    if [ $status -eq "$wanted" ] && grep -qE "$pattern" <<<"$out"; then pass "$name"; else fail "$name" "exit status $status: $out"; fi
}
probed "--check" 0 '^allgather +8 +[a-z_]+( +[0-9.]+ +[0-9.]+-[0-9.]+){2} +[0-9.]+$' "$run" --check "${launcher[@]}" -n 3 "$plain" 5
probed "--check, its MPI and its core" 0 "^[^ ]+ +3 +3 +(Open MPI|MPICH|Intel).* (ompi|mpich) +[0-9]+ MiB" "$run" --check "${launcher[@]}" -n 3 "$plain"
probed "--check, a program" 0 '^.*plain is a program of this MPI$' "$run" --check "${launcher[@]}" -n 2 "$plain"
probed "--check, not known which" 0 '^which MPI sh has is not known' "$run" --check "${launcher[@]}" -n 2 sh -c true
mkdir "$work/alone" && cp "$library" "$work/alone"
probed "--check, no core" 1 '^[^ ]+ +2 +2 +.* no (ompi|mpich) ' "$run" --library "$work/alone/libtopompi.so" --check "${launcher[@]}" -n 2
if [ "${MPI_KIND:-openmpi}" = openmpi ] && [ -x "$probe-mpich" ] && command -v mpiexec.mpich >/dev/null; then
    probed "--check, MPICH by the same library" 0 '^[^ ]+ +2 +2 +MPICH .* mpich +[0-9]+ MiB .* ok$' "$run" --check -- mpiexec.mpich -n 2
else
    skip "--check, MPICH by the same library" "no MPICH, or no core for it (Debian: mpich libmpich-dev)"
fi
probed "--check, without a program" 0 '^all is as it is to be$' "$run" --check -- "${launcher[@]}" -n 2
probed "--check --json" 0 '"good": true' bash -c '"$@" | python3 -m json.tool' - "$run" --check --json "${launcher[@]}" -n 2
probed "--check, one rank" 0 'one rank alone' "$run" --check "${launcher[@]}" -n 1
# Two processes, each a job of one rank: what a launcher of another MPI makes of a program.
printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ] || [ "$1" = 2 ]; do shift; done\nexport PMI_SIZE=2\n"$@" && "$@"\n' >"$work/bin/srun"
probed "--check, a launcher that is not the MPI's" 1 'each is a job of one rank' env PATH="$work/bin:$PATH" "$run" --check srun -n 2
probed "--check, switched off" 1 '^NOT as it is to be' "$run" --off --check "${launcher[@]}" -n 2
finish
