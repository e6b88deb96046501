# The emulated cluster, and the tests of it and of topo-bench.
EXTRA_DIST += tests/cluster/cluster tests/cluster/network.sh tests/cluster/launch.sh tests/cluster/test_cluster.sh \
	tests/cluster/slurm tests/cluster/test_slurm.sh tests/cluster/test_bench.sh tests/cluster/blind tests/cluster/compare tests/cluster/guard tests/cluster/guidelines.py tests/cluster/schedules tests/cluster/schedules.py tests/cluster/validate
# Whole programs, and what they are given (docs/measurements/programs.md).
EXTRA_DIST += tests/cluster/programs tests/cluster/shares.py tests/cluster/test_programs.sh tests/programs/hpccinf.txt \
	tests/programs/lammps.in tests/programs/lives tests/programs/communicators.c tests/programs/mpi4py_learn.py tests/programs/petsc.c tests/programs/qe.in \
	tests/programs/own_instructions tests/programs/tiny tests/programs/short_calls.c
TESTS += tests/cluster/test_programs.sh
# What tests/cluster/validate traces and predicts (docs/PREDICT.md).
check_PROGRAMS += tests/cluster/exchange tests/cluster/solver
tests_cluster_exchange_SOURCES = tests/cluster/exchange.c tests/cluster/intervals.h
tests_cluster_exchange_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_cluster_exchange_LDADD = $(MPI_LIBS)
tests_cluster_solver_SOURCES = tests/cluster/solver.c tests/cluster/intervals.h
tests_cluster_solver_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_cluster_solver_LDADD = $(MPI_LIBS) -lm
# What topo-dump placement finds an order for.
check_PROGRAMS += tests/cluster/halo
tests_cluster_halo_SOURCES = tests/cluster/halo.c
tests_cluster_halo_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_cluster_halo_LDADD = $(MPI_LIBS)
TESTS += tests/cluster/test_cluster.sh tests/cluster/test_slurm.sh tests/cluster/test_bench.sh
# A faulty MPI library, for the tests of topo-bench; -rpath makes it shared.
check_LTLIBRARIES += tests/cluster/fault.la
tests_cluster_fault_la_SOURCES = tests/cluster/fault.c
tests_cluster_fault_la_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_cluster_fault_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_cluster_fault_la_LIBADD = -ldl
# For slurmd.
check_LTLIBRARIES += tests/cluster/session.la
tests_cluster_session_la_SOURCES = tests/cluster/session.c
tests_cluster_session_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
