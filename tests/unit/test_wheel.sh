# packaging/wheel from this build: what it says it needs is what its files need, and in a fresh virtual environment its commands
# and its library find what is in it, and nothing of the build.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for need in patchelf readelf strip; do
    command -v $need >/dev/null || { skip "a wheel" "no $need (Debian: patchelf binutils)"; finish; }
done
python3 -m venv "$work/venv" >"$work/log" 2>&1 && "$work/venv/bin/pip" --version >/dev/null 2>&1 ||
    { skip "a wheel" "python3 makes no virtual environment with pip (Debian: python3-venv)"; finish; }

if ! "$TOP_SRCDIR/packaging/wheel" -b "$TOP_BUILDDIR" -o "$work/wheels" >"$work/log" 2>&1; then
    fail "it is built" "$(tail -n 20 "$work/log")"
    finish
fi
wheel=$(tail -n 1 "$work/log")
check "it is built" test -f "$wheel"
venv=$work/venv
check "pip installs it" "$venv/bin/pip" install -q --no-index --disable-pip-version-check "$wheel"
check "pip finds all files as they were" "$venv/bin/python" - <<'CHECK'
from importlib.metadata import distribution
import base64, hashlib
files = distribution("topompi").files
assert len(files) > 10
for file in files:
    if file.hash:
        digest = hashlib.sha256(file.locate().read_bytes()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value, file
CHECK

# -- what it needs --
mapfile -t objects < <(find "$venv/lib/topompi" "$venv"/lib/libtopompi* "$venv"/libexec/topompi/* "$venv/bin/topo-dump" "$venv/bin/topo-predict" -type f)
for core in "$TOP_BUILDDIR"/src/.libs/libtopompi-core-*.so; do check "${core##*/} is in it" test -f "$venv/lib/${core##*/}"; done
# The highest version by the names of the symbols, as another program shows them.
highest=$(for object in "${objects[@]}"; do objdump -T "$object"; done | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n 1)
check "the tag is the glibc that it needs" test "${wheel##*-}" = "manylinux_2_${highest#GLIBC_2.}_$(uname -m).whl"
outside() { # libraries that are neither in it nor glibc's
    local object
    for object in "${objects[@]}"; do
        env -i ldd "$object"
    done | sed -nE 's/^\s*(\S+)( => (\S+))? .*/\1 \3/p' | grep -vE "^(linux-vdso|(/\S*/)?ld-linux|lib(c|m|dl|rt|pthread)\.so)" | grep -v " $venv/"
}
check "all else is in it" eval '[ -z "$(outside)" ]'

# -- where it lies --
dump() { env -i PATH="$venv/bin:$PATH" TOPOMPI_PARTITIONER=metis topo-dump "$@"; }
check "topo-dump has its METIS" grep -q "($venv/lib/topompi/libmetis" <(dump --version)
check "topo-dump draws a machine" grep -q '8 ranks' <(dump --synthetic 'node:2 core:4')
check "no file is of a job" grep -q 'cannot see a job' <(PMI_RANK=0 "$venv/bin/topo-dump" 2>&1)
check "topo-predict says its version" "$venv/bin/topo-predict" --version
check "topompi-run takes its library" grep -q "LD_PRELOAD[ =]$venv/lib/libtopompi.so" \
    <(env -i PATH="$venv/bin:$PATH" "$venv/bin/topompi-run" --dry-run -- "${MPIRUN:-mpirun}" -n 2 true)
if mpi 2 true >/dev/null 2>&1; then
    launcher=("${MPIRUN:-mpirun}")
    [ "${MPI_KIND:-openmpi}" = mpich ] || launcher+=(--oversubscribe --bind-to none)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    check "topompi-run --check finds all in it" grep -q '^all is as it is to be$' <(PATH=$venv/bin:$PATH topompi-run --check -- "${launcher[@]}" -n 2 2>&1)
fi
# The job's core is that of the wheel, and reads the file that lies there.
if [ -x "$TOP_BUILDDIR/tests/preload/plain" ]; then
    echo nonsense >>"$venv/share/topompi/tuning.conf"
    out=$(apart mpi 2 -x LD_PRELOAD="$venv/lib/libtopompi.so" -x TOPOMPI_VERBOSE=on "$TOP_BUILDDIR/tests/preload/plain")
    if grep -q '^ok$' <<<"$out" && grep -q "^topompi: $venv/share/topompi/tuning.conf:" <<<"$out"; then pass "a job"; else fail "a job" "$out"; fi
fi
finish
