# The archive is the same, byte by byte, whoever makes it and when, and has the version that all else has.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
# made NAME: by a mask of that name.
made() {
    (umask "$1" && SOURCE_DATE_EPOCH=1600000000 make -s -C "$TOP_BUILDDIR" dist-gzip) >"$work/log" 2>&1 &&
        mv "$TOP_BUILDDIR"/topompi-*.tar.gz "$work/$1.tar.gz" || { tail -n 10 "$work/log"; false; }
}
check "an archive" made 022
sleep 1
check "another, a second later, with another umask" made 077
check "both are the same" cmp "$work/022.tar.gz" "$work/077.tar.gz"
check "it has the time that was asked for" test "$(tar tvf "$work/022.tar.gz" --utc | awk '{ print $1, $2, $4 }' | sort -u)" = \
    "-rw-r--r-- 0/0 2020-09-13
-rwxr-xr-x 0/0 2020-09-13
drwxr-xr-x 0/0 2020-09-13"
# Wherever the version is written it is the archive's.
version=$(sed -nE 's/^AC_INIT\(\[topompi\], \[([0-9.]+)\].*/\1/p' "$TOP_SRCDIR/configure.ac")
says() { # NAME WHAT: is the version
    if [ -n "$version" ] && [ "$2" = "$version" ]; then pass "$1 says $version"; else fail "the version in $1" "$2, configure.ac says $version"; fi
}
says include/topompi.h "$(sed -nE 's/^#define TOPOMPI_VERSION "(.*)"/\1/p' "$TOP_SRCDIR/include/topompi.h")"
says NEWS.md "$(sed -nE 's/^## ([0-9.]+).*/\1/p' "$TOP_SRCDIR/NEWS.md" | head -n 1)"
says packaging/debian/changelog "$(sed -nE '1s/^topompi \(([0-9.]+)\) .*/\1/p' "$TOP_SRCDIR/packaging/debian/changelog")"
# What is tagged is released.
tagged=$(git -C "$TOP_SRCDIR" describe --exact-match --match "v$version" 2>/dev/null)
distribution=$(sed -nE '1s/^[^)]*\) (.*);.*/\1/p' "$TOP_SRCDIR/packaging/debian/changelog")
if [ "$distribution" = unstable ] || { [ "$distribution" = UNRELEASED ] && [ -z "$tagged" ]; }; then
    pass "the changelog's distribution"
else
    fail "the changelog's distribution" "${distribution:-none}; unstable, or UNRELEASED before the tag v$version"
fi
says packaging/spack/package.py "$(sed -nE 's/.* version\("([0-9.]+)", tag="v\1"\)/\1/p' "$TOP_SRCDIR/packaging/spack/package.py" | head -n 1)"
says "the archive" "$(tar tf "$work/022.tar.gz" | sed -nE '1s|^topompi-([0-9.]+)/.*|\1|p')"
check "configure is in it" tar tf "$work/022.tar.gz" --wildcards '*/configure'
finish
