# A short run under valgrind; tests/memcheck does longer ones.
exec bash "$TOP_SRCDIR/tests/memcheck" -n 2
