# Short runs under valgrind; tests/memcheck does longer ones.
exec bash "$TOP_SRCDIR/tests/memcheck" test_allgather test_allreduce test_barrier test_bcast test_lifetime
