. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "2 3 5 16" "2 3 5 8 16"
program=$TOP_BUILDDIR/tests/mpi/test_shared
run_at_all_counts "$program"

# A /dev/shm that is nearly full: all go without shared memory, nobody dies of SIGBUS.
small='mount -t tmpfs -o size=64k tmpfs /dev/shm'
if unshare --mount --propagation private sh -c "$small" 2>/dev/null; then
    small_shm() { unshare --mount --propagation private bash -c "$small && . '$TOP_SRCDIR/tests/lib.sh' &&
        mpi 4 --mca btl_vader_backing_directory /tmp '$program'" | tail -n 20 | grep ', 0 failed'; }
    check "a full /dev/shm" small_shm
else
    skip "a full /dev/shm" "no right to mount"
fi
finish
