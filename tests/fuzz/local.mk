# The fuzzer of whole jobs: a program that knows nothing of the library, and what spoils its results on purpose.
check_PROGRAMS += tests/fuzz/job
tests_fuzz_job_SOURCES = \
	tests/fuzz/areas.c tests/fuzz/areas.h \
	tests/fuzz/arithmetic.c tests/fuzz/arithmetic.h \
	tests/fuzz/bases.c \
	tests/fuzz/calls.c tests/fuzz/calls.h \
	tests/fuzz/cases.c tests/fuzz/cases.h \
	tests/fuzz/communicators.c tests/fuzz/communicators.h \
	tests/fuzz/constructors.c \
	tests/fuzz/groups.c \
	tests/fuzz/job.c tests/fuzz/job.h \
	tests/fuzz/main.c \
	tests/fuzz/mistakes.c \
	tests/fuzz/moves.c \
	tests/fuzz/random.c tests/fuzz/random.h \
	tests/fuzz/reductions.c \
	tests/fuzz/rounded.c \
	tests/fuzz/settings.c \
	tests/fuzz/steps.h \
	tests/fuzz/traffic.c tests/fuzz/traffic.h \
	tests/fuzz/types.c tests/fuzz/types.h \
	tests/fuzz/window.c
tests_fuzz_job_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)/tools
tests_fuzz_job_LDADD = $(MPI_LIBS) -ldl -lpthread
TESTS += tests/fuzz/test_fuzz.sh
EXTRA_DIST += tests/fuzz/fuzz tests/fuzz/test_fuzz.sh

# -rpath makes a shared one of a library that is not installed.
check_LTLIBRARIES += tests/fuzz/defect.la
tests_fuzz_defect_la_SOURCES = tests/fuzz/defect.c tests/fuzz/calls.h tests/fuzz/random.h
tests_fuzz_defect_la_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests
tests_fuzz_defect_la_LDFLAGS = -module -avoid-version -rpath $(abs_top_builddir)/tests/fuzz
tests_fuzz_defect_la_LIBADD = $(MPI_LIBS) -ldl
check_LTLIBRARIES += tests/fuzz/core_defect.la
tests_fuzz_core_defect_la_SOURCES = tests/fuzz/core_defect.c tests/preload/tool.h
tests_fuzz_core_defect_la_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests
tests_fuzz_core_defect_la_LDFLAGS = -module -avoid-version -rpath $(abs_top_builddir)/tests/fuzz
tests_fuzz_core_defect_la_LIBADD = $(MPI_LIBS) -ldl
