# Programs that know nothing of the library, with the library preloaded.
check_PROGRAMS += tests/preload/plain
tests_preload_plain_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_plain_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_preload.sh
EXTRA_DIST += tests/preload/test_preload.sh tests/preload/binding_mpifh.f90 tests/preload/binding_usempi.f90 \
	tests/preload/binding_f08.f90 tests/preload/binding_python.py
check_PROGRAMS += tests/preload/traced
tests_preload_traced_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_traced_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_trace.sh
EXTRA_DIST += tests/preload/test_trace.sh
