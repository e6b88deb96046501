# The Spack recipe, as far as it can be read without Spack: its directives, and that it names what configure looks for.
. "$TOP_SRCDIR/tests/lib.sh"
recipe=$TOP_SRCDIR/packaging/spack/package.py
for which in before-1.0 from-1.0; do
    if names=$(python3 "$TOP_SRCDIR/tests/unit/spack_recipe.py" "$recipe" $which 2>&1); then
        pass "Spack $which: $names"
    else
        fail "Spack $which" "$names"
    fi
done
for need in $(sed -nE 's/.*PKG_CHECK_MODULES\(\[[A-Z]*\], \[([a-z]*).*/\1/p; s/.*AC_CHECK_HEADER\(\[([a-z]*)\.h\].*/\1/p' "$TOP_SRCDIR/configure.ac" | sort -u); do
    [ "$need" = check ] || check "it depends on $need" grep -qw "$need" <<<"$names"
done
finish
