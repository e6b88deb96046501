# What make install brings, that it can be used from there, and that make uninstall takes all of it away. The symbols that
# programs may use are those listed here.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
if ! make -s -C "$TOP_BUILDDIR" install DESTDIR="$work" >"$work/log" 2>&1; then
    fail "make install" "$(tail -n 10 "$work/log")"
    finish
fi
pass "make install"
rm "$work/log"
version=$(sed -n 's/^#define TOPOMPI_VERSION "\(.*\)"/\1/p' "$TOP_SRCDIR/include/topompi.h")
while read -r pattern; do
    found=$(find "$work" -path "$work/*$pattern")
    if [ -n "$found" ]; then pass "$pattern"; else fail "$pattern" "not installed"; fi
done <<END
/libtopompi.so
/$core
/bin/topo-bench
/bin/topo-dump
/bin/topo-predict
/bin/topo-predict-dvm
/bin/topompi-run
/libexec/topompi/topompi-probe-abi
/include/topompi.h
/pkgconfig/topompi.pc
/man/man1/topompi-run.1
/man/man1/topo-predict-dvm.1
/man/man7/topompi.7
/man/man5/topompi-tuning.5
/man/man5/topompi-machine.5
/man/man5/topompi-trace.5
/doc/topompi/README.md
/doc/topompi/docs/FAQ.md
/doc/topompi/env.example
/modulefiles/topompi/$version
/completions/topompi
/completions/topompi-run
END
# Documents are all there, but for the measurements, and so is what one names by its place, but for these and the source.
documents=$(find "$work" -type d -path '*/doc/topompi')
left=$(cd "$TOP_SRCDIR" && find docs -type f ! -path 'docs/measurements/*' | while read -r file; do [ -e "$documents/$file" ] || echo "$file"; done)
if [ -z "$left" ]; then pass "every document"; else fail "every document" "$left"; fi
check "no measurements" test ! -e "$documents/docs/measurements"
left=$(cd "$documents" && find . -name '*.md' | while read -r document; do
    grep -oE '\]\([^)#:]+[)#]' "$document" | sed -E 's/^..//; s/.$//' | while read -r place; do
        [ -e "$(dirname "$document")/$place" ] || echo "$document: $place"
    done
done | grep -v ': .*\(src/\|packaging/\|measurements/\)')
if [ -z "$left" ]; then pass "what documents name"; else fail "what documents name" "$left"; fi
# shellcheck disable=SC2046
check "the module file names no place of the build" sh -c '! grep -n "@\|'"$TOP_BUILDDIR"'" "$@"' - $(find "$work" -path '*modulefiles/topompi/*')
check "bash reads the completion" bash -n "$(find "$work" -path '*/completions/topompi')"
completed=$(PATH=$(find "$work" -type d -name bin):$PATH bash -c '. "$1"; COMP_WORDS=(topompi-run --st) COMP_CWORD=1; _topompi; echo "${COMPREPLY[*]}"' - \
    "$(find "$work" -path '*/completions/topompi')")
if [ "$completed" = "--stats --strict" ]; then pass "options are completed"; else fail "options are completed" "$completed"; fi

# Symbols beside the wrappers of MPI, by both of their names.
library=$(find "$work" -name libtopompi.so)
got=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -viE '^p?mpi_' | sort | paste -sd ' ')
wanted='topompi_algorithm topompi_interval_begin topompi_interval_end topompi_machine topompi_version'
if [ "$got" = "PMIx_Commit $wanted" ]; then pass "exported symbols"; else fail "exported symbols" "$got"; fi
check "the header declares them" sh -c 'for name in '"$wanted"'; do grep -q "$name(" "$0" || exit 1; done' "$TOP_SRCDIR/include/topompi.h"

# A core is added later: beside a library of its version alone.
added() { make -s -C "$TOP_BUILDDIR" install-core DESTDIR="$1" 2>&1; }
refused() { # NAME FOLDER PATTERN: one line of ours, and no core
    local out
    if ! out=$(added "$2") && [ "$(grep -cE "^make install-core: .*$3" <<<"$out")" = 1 ] && [ -z "$(find "$2" -name "$core")" ]; then
        pass "$1"
    else
        fail "$1" "$out"
    fi
}
folder=$(dirname "$library") probe=${core#*core-} probe=$(find "$work" -name "topompi-probe-${probe%.so}")
rm "$folder/$core" "$probe"
check "a core is added" added "$work"
check "it is there, and its probe" test -f "$folder/$core" -a -x "$probe"
mkdir -p "$work/other${folder#"$work"}"
LC_ALL=C sed "s/${version//./\\.}/${version%?}~/g" "$library" >"$work/other${folder#"$work"}/libtopompi.so"
refused "a core beside another version" "$work/other" "libtopompi.so is of version ${version%?}~, this core of $version; "
rm -r "$work/other" && mkdir "$work/other"
refused "a core without a library" "$work/other" 'no .*/libtopompi.so; configure --prefix'

make -s -C "$TOP_BUILDDIR" uninstall DESTDIR="$work" >/dev/null 2>&1
left=$(find "$work" ! -type d)
if [ -z "$left" ]; then pass "make uninstall"; else fail "make uninstall" "$left"; fi
finish
