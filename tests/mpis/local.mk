TESTS += tests/mpis/test_fortran.sh tests/mpis/test_mpis.sh
EXTRA_DIST += tests/mpis/calls.c tests/mpis/install tests/mpis/late_bcast.c tests/mpis/matrix tests/mpis/mpis.sh tests/mpis/test_fortran.sh tests/mpis/test_mpis.sh \
	tests/mpis/times tests/mpis/isolated.c
