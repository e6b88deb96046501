# Unit tests (PURE, Check), MPI tests, preload tests. Each prints "N passed, N failed".
AM_TESTS_ENVIRONMENT = \
	TOP_BUILDDIR='$(abs_top_builddir)' TOP_SRCDIR='$(abs_top_srcdir)' \
	MPI_KIND='$(MPI_KIND)' MPIRUN='$(MPIRUN)' MPICC='$(MPICC_PATH)' MPIFORT='$(MPIFORT_PATH)'; \
	export TOP_BUILDDIR TOP_SRCDIR MPI_KIND MPIRUN MPICC MPIFORT;
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = bash
# What MPICH's ranks are preloaded with; -rpath makes it shared.
check_LTLIBRARIES += tests/yield.la
tests_yield_la_SOURCES = tests/yield.c
tests_yield_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_yield_la_LIBADD = -ldl
check_LTLIBRARIES += tests/named.la
tests_named_la_SOURCES = tests/named.c
tests_named_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_named_la_LIBADD = -ldl
EXTRA_DIST += tests/yield.c tests/lib.sh tests/own.awk tests/run .ci/config.site .ci/run
include tests/unit/local.mk
include tests/readers/local.mk
include tests/mpi/local.mk
include tests/preload/local.mk
include tests/cluster/local.mk
include tests/fuzz/local.mk
include tests/sim/local.mk
include tests/mpis/local.mk
