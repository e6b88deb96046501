# The shipped rules as a file: one that lies beside an installed library is followed, and what is wrong in it is said;
# without it, as in a build, the built-in text holds; the user's file goes before either.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lib" "$work/share/topompi"
cp "$TOP_BUILDDIR"/src/.libs/libtopompi*.so* "$work/lib"
installed=$work/share/topompi/tuning.conf
export XDG_CONFIG_HOME=$work/none

# said LIBRARY VARIABLE=VALUE...: what rank 0 says of an all-reduce
said() {
    local library=$1
    shift
    mpi 2 env LD_PRELOAD="$library" TOPOMPI_VERBOSE=1 TOPOMPI_GUARD=off "$@" "$TOP_BUILDDIR/tests/preload/brief" few 4194304 2>&1 |
        grep -E 'tuning file|allreduce of 4194304 bytes|natively' | sort -u
}
holds() { # NAME TEXT OUTPUT
    if grep -qF -- "$2" <<<"$3"; then pass "$1"; else fail "$1" "'$2' is not in: $3"; fi
}

holds "a library alone" "lanes, by line" "$(said "$TOP_BUILDDIR/src/.libs/libtopompi.so")"
case $("$TOP_BUILDDIR/config.status" --config 2>/dev/null) in
*libdir=* | *datadir=* | *datarootdir=*) skip "a file beside the library" "its folders are not those of a prefix" ;;
*)
    cp "$TOP_BUILDDIR/src/select/tuning.conf" "$installed"
    out=$(said "$work/lib/libtopompi.so")
    holds "it is read" "tuning file $installed: " "$out"
    holds "and says the same" "lanes, by line" "$out"
    sed -i '1i allreduce ranks=2 native' "$installed"
    holds "what it says now is followed" "native, by line 1 of the shipped rules" "$(said "$work/lib/libtopompi.so")"
    echo 'allreduce leader' >"$work/mine"
    holds "the user's file goes before it" "leader, by line 1 of the tuning file" \
        "$(said "$work/lib/libtopompi.so" "TOPOMPI_TUNING=$work/mine")"
    sed -i '1i allreduce colour=red native' "$installed"
    holds "a wrong line is named" "$installed:1: rule for allreduce: 'colour=red' is unknown; allowed: " \
        "$(said "$work/lib/libtopompi.so")"
    ;;
esac
finish
