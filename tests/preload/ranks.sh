# Sourced by tests whose ranks differ in what they have of the library.

# ranks_differ RANK_VARIABLE PROGRAM: $work/rank starts it; a rank of LACKS runs without the library, one of OTHER with one
# that differs in the version that it publishes alone, one of LATE starts two seconds late.
ranks_differ() {
    local version file
    version=$(sed -n 's/^#define TOPOMPI_VERSION "\(.*\)"/\1/p' "$TOP_SRCDIR/include/topompi.h")
    mkdir "$work/other"
    for file in "${library%/*}"/libtopompi*.so; do
        LC_ALL=C sed "s/${version//./\\.}/${version%?}~/g" "$file" >"$work/other/${file##*/}"
    done
    cat >"$work/rank" <<END
#!/bin/bash
is_in() { [[ " \$1 " == *" \$$1 "* ]]; }
is_in "\${LATE-}" && sleep 2
if is_in "\${OTHER-}"; then export LD_PRELOAD=$work/other/libtopompi.so
elif ! is_in "\${LACKS-}"; then export LD_PRELOAD=$library; fi
exec "$2"
END
    chmod +x "$work/rank"
}
