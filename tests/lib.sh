# Shell tests source this: pass NAME, fail NAME WHY, skip NAME WHY, and at the end finish.
passed=0 failed=0 skipped=0
# The core for the MPI library that the tree's tests are built with.
# shellcheck disable=SC2034
case ${MPI_KIND:-openmpi} in mpich) core=libtopompi-core-mpich.so ;; *) core=libtopompi-core-ompi.so ;; esac
# What jobs find out about this host is not kept in the user's folder (docs/MEASURING.md).
export XDG_CACHE_HOME=/dev/null
pass() { passed=$((passed + 1)); echo "ok   $1"; }
fail() { failed=$((failed + 1)); echo "FAIL $1: $2"; }
skip() { skipped=$((skipped + 1)); echo "skip $1: $2"; }

# apart COMMAND...: its standard output and then its errors, its exit status. Merged in one pipe, a line of one can fall
# into a line of the other: an unbuffered Python writes its line feeds by themselves.
apart() {
    local errors out status=0
    errors=$(mktemp)
    out=$("$@" 2>"$errors") || status=$?
    printf '%s\n' "$out"
    cat "$errors"
    rm -f "$errors"
    return $status
}

# check NAME COMMAND...: the command's exit status decides; its output is shown when it fails.
check() {
    local name=$1 out
    shift
    if out=$("$@" 2>&1); then pass "$name"; else fail "$name" "$* -> $?"; printf '%s\n' "$out" | tail -n 30; fi
}

# built FILE...: what the test runs is there; else it fails by name, and ends.
built() {
    local file
    for file in "$@"; do
        [ -e "$file" ] || fail "$file" "it is not there; 'make check TESTS=' builds it"
    done
    [ $failed -eq 0 ] || finish
}

# countable NAME: instructions can be counted here, of what they are in a library that is used; else it is skipped, and ends.
countable() {
    command -v valgrind >/dev/null || { skip "$1" "valgrind is not installed" && finish; }
    case " $(sed -n 's/^CFLAGS = //p' "$TOP_BUILDDIR/Makefile") " in
    *" -O"[2-9s]" "*) ;;
    *) skip "$1" "built without -O2" && finish ;;
    esac
}

# Prints the closing line; exit status 1 with failures, 77 (skipped) when nothing ran.
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ] || exit 1
    [ $passed -gt 0 ] || exit 77
    exit 0
}

# in_turn COMMAND...: one check in a subshell beside others, four at a time; $number is its own. all_through waits for them,
# shows what they printed, in order, and adds up: a line of pass() each, or it failed.
number=0 turns=''
in_turn() {
    [ -n "$turns" ] || turns=$(mktemp -d)
    number=$((number + 1))
    while [ "$(jobs -pr | wc -l)" -ge 4 ]; do wait -n; done
    "$@" >"$turns/$(printf %04d $number)" 2>&1 &
}
all_through() {
    local good
    wait
    cat "$turns"/*
    good=$(cat "$turns"/* | grep -c '^ok   ')
    passed=$((passed + good)) failed=$((failed + number - good))
    rm -rf "$turns"
    number=0 turns=''
}

# mpi N [-x NAME[=VALUE]]... PROGRAM...: mpirun on this host, as root in containers too, more ranks than cores allowed.
# MPI_BTL: what messages travel by, in Open MPI.
mpi() {
    local n=$1
    shift
    if [ "${MPI_KIND:-openmpi}" = mpich ]; then
        mpi_by_hydra "$n" "$@"
        return
    fi
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 10 "${MPI_TIMEOUT:-600}" \
        "${MPIRUN:-mpirun}" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
        --mca btl "${MPI_BTL:-self,vader}" --mca pml ob1 -np "$n" "$@"
}

# The same with Hydra.
mpi_by_hydra() {
    local words
    hydra_words "$@"
    timeout -k 10 "${MPI_TIMEOUT:-600}" "${MPIRUN:-mpiexec}" "${words[@]}"
}

# hydra_words N [-x NAME[=VALUE]]... [--mca NAME VALUE]... PROGRAM...: in `words` what Hydra is to be told, which knows -genv instead of
# -x and nothing of --mca. Ranks yield their processors (tests/yield.c).
hydra_words() {
    local n=$1 name value yield=${MPI_YIELD:-${TOP_BUILDDIR:-.}/tests/.libs/yield.so}
    [ -e "$yield" ] || yield=''
    shift
    words=()
    while :; do
        case $1 in
        -x)
            name=${2%%=*}
            case $2 in *=*) value=${2#*=} ;; *) value=${!2} ;; esac
            [ "$name" = LD_PRELOAD ] && value=$value${yield:+:$yield} && yield=''
            words+=(-genv "$name" "$value") && shift 2
            ;;
        --mca) shift 3 ;;
        *) break ;;
        esac
    done
    [ -z "$yield" ] || words+=(-genv LD_PRELOAD "$yield")
    words+=(-n "$n" "$@")
}
