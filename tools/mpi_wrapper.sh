#!/bin/sh
# usage: mpi_wrapper.sh WRAPPER
# Which MPI a compiler wrapper gives, for configure; CC, CPPFLAGS and CFLAGS are configure's. Lines:
#   family openmpi, mpich (3.4 or newer), other (another mpi.h), or nothing where there is no mpi.h
#   version VERSION
#   cflags WORDS
#   libs WORDS
wrapper=$1
# Open MPI's knows --showme; MPICH's and Intel's show the whole command, the compiler first, paths in quotes.
cflags=$("$wrapper" --showme:compile 2>/dev/null) libs=$("$wrapper" --showme:link 2>/dev/null)
if [ -z "$libs" ]; then
    cflags='' linker=''
    for word in $("$wrapper" -show 2>/dev/null | sed "s/^[^ ]* *//; s/[\"']//g"); do
        [ -z "$linker" ] || word=-Wl,$word linker=''
        case $word in
        -Xlinker) linker=yes ;;
        -I* | -D*) cflags="$cflags $word" ;;
        -L* | -l* | -Wl,*) libs="$libs $word" ;;
        esac
    done
fi
# One that shows nothing compiles, and so tells where its header and its library are.
if [ -z "$libs" ]; then
    work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
    header=$(echo '#include <mpi.h>' | "$wrapper" -E -x c - 2>/dev/null | sed -n 's|^# [0-9]* "\(.*\)/mpi\.h".*|\1|p' | head -n 1)
    echo 'int PMPI_Init(int *, char ***); int main(void) { return PMPI_Init(0, 0); }' >"$work/program.c"
    if [ -n "$header" ] && "$wrapper" -o "$work/program" "$work/program.c" >/dev/null 2>&1; then
        cflags=-I$header
        for library in $(ldd "$work/program" 2>/dev/null | sed -n 's/.* => \(\/[^ ]*\).*/\1/p'); do
            ! nm -D --defined-only "$library" 2>/dev/null | grep ' PMPI_Init$' >/dev/null ||
                libs="$library -Wl,-rpath,$(dirname "$library")"
        done
    fi
fi
# The family and the version as tools say it that do not load MPI: 4 . 1 . 4 or "4.0.2".
# shellcheck disable=SC2086 # words
found=$(printf '#include <mpi.h>\n#ifdef OPEN_MPI\nopenmpi:OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION\n#elif MPICH_NUMVERSION >= 30400000\nmpich:MPICH_VERSION\n#elif defined MPI_VERSION\nother\n#endif\n' |
    ${CC:-cc} $CPPFLAGS $CFLAGS $cflags -E -P -x c - 2>/dev/null | tail -n 1 | tr -d ' "')
case $found in
*:*) printf 'family %s\nversion %s\n' "${found%%:*}" "${found#*:}" ;;
other) echo 'family other' ;;
esac
printf 'cflags %s\nlibs %s\n' "$cflags" "$libs"
