# tools/mpi_wrapper.sh, as configure runs it: each kind of wrapper, by stand-ins with a header and a library of their own.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include" "$work/lib" "$work/bin"
echo 'int PMPI_Init(void) { return 0; }' | cc -shared -fPIC -Wl,-soname,libmpi.so -o "$work/lib/libmpi.so" -x c -

# header LINE...: what mpi.h says.
header() { printf '%s\n' '#define MPI_VERSION 3' "$@" >"$work/include/mpi.h"; }
openmpi=('#define OPEN_MPI 1' '#define OMPI_MAJOR_VERSION 5' '#define OMPI_MINOR_VERSION 0' '#define OMPI_RELEASE_VERSION 11')
mpich() { header "#define MPICH_NUMVERSION $1" "#define MPICH_VERSION \"$2\""; }

# wrapper LINE...: a script of these lines.
wrapper() { printf '%s\n' '#!/bin/sh' "$@" >"$work/bin/mpicc" && chmod +x "$work/bin/mpicc"; }

# gives NAME FAMILY VERSION CFLAGS LIBS: what is said of the wrapper, with AT for the folder.
gives() {
    local out wanted
    out=$(CC=cc CPPFLAGS='' CFLAGS=-O1 sh "$TOP_SRCDIR/tools/mpi_wrapper.sh" "$work/bin/mpicc" 2>&1 | sed 's/  */ /g; s/ $//')
    wanted=$(printf '%s\n' ${2:+"family $2"} ${3:+"version $3"} "cflags${4:+ $4}" "libs${5:+ $5}")
    if [ "$out" = "${wanted//AT/$work}" ]; then pass "$1"; else fail "$1" "$out"; fi
}

header "${openmpi[@]}"
wrapper "case \$1 in --showme:compile) echo -I$work/include ;; --showme:link) echo -L$work/lib -lmpi ;; *) exit 1 ;; esac"
gives "Open MPI" openmpi 5.0.11 -IAT/include '-LAT/lib -lmpi'

show="gcc -I$work/include -L$work/lib -Wl,-rpath -Wl,$work/lib -lmpi"
wrapper "[ \"\$1\" = -show ] && echo $show"
mpich 30400300 3.4.3
gives "MPICH 3.4" mpich 3.4.3 -IAT/include '-LAT/lib -Wl,-rpath -Wl,AT/lib -lmpi'
mpich 30302300 3.3.2
gives "one too old" other '' -IAT/include '-LAT/lib -Wl,-rpath -Wl,AT/lib -lmpi'

cat >"$work/bin/mpicc" <<END
#!/bin/sh
[ "\$1" = -show ] && printf '%s\n' 'gcc -I"$work/include" -L"$work/lib" -Xlinker --enable-new-dtags -Xlinker -rpath -Xlinker "$work/lib" -lmpi'
END
mpich 30400002 3.4a2
gives "quotes, as Intel's" mpich 3.4a2 -IAT/include '-LAT/lib -Wl,--enable-new-dtags -Wl,-rpath -Wl,AT/lib -lmpi'

wrapper "exec cc -I$work/include \"\$@\" -L$work/lib -Wl,-rpath,$work/lib -lmpi"
gives "one that shows nothing" mpich 3.4a2 -IAT/include "AT/lib/libmpi.so -Wl,-rpath,AT/lib"
header
gives "an unknown MPI" other '' -IAT/include "AT/lib/libmpi.so -Wl,-rpath,AT/lib"
rm "$work/include/mpi.h"
gives "no mpi.h" '' '' '' ''
wrapper 'exit 1'
gives "one that does nothing" '' '' '' ''
finish
