# Device memory, with drivers that have no device.
. "$TOP_SRCDIR/tests/mpi/run.sh"
stubs=$(mktemp -d)
trap 'rm -rf "$stubs"' EXIT
source=$TOP_SRCDIR/tests/mpi/device_stub.c
check "CUDA's driver" cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$stubs/cuda.so" "$source"
check "ROCm's driver" cc -shared -fPIC -DHIP -Wl,-soname,libamdhip64.so.6 -o "$stubs/hip.so" "$source"
rank_counts=1
for drivers in cuda hip "cuda hip" "hip cuda"; do
    paths=()
    for driver in $drivers; do paths+=("$stubs/$driver.so"); done
    run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_device" "${paths[@]}"
done
finish
