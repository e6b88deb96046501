# Programs that know nothing of the library, with the library preloaded.
check_PROGRAMS += tests/preload/plain
tests_preload_plain_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_plain_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_preload.sh
EXTRA_DIST += tests/preload/test_preload.sh tests/preload/binding.F90 \
	tests/preload/binding_python.py \
	tests/preload/iterate.py
check_PROGRAMS += tests/preload/traced
tests_preload_traced_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_traced_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_trace.sh
EXTRA_DIST += tests/preload/test_trace.sh tests/preload/traced.f90
# To be run by hand (docs/measurements/overhead.md, progress.md): what the library costs where there is little to win.
check_PROGRAMS += tests/preload/overhead tests/preload/brief tests/preload/waiting
tests_preload_overhead_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_overhead_LDADD = $(MPI_LIBS)
tests_preload_brief_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_brief_LDADD = $(MPI_LIBS)
tests_preload_waiting_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_waiting_LDADD = $(MPI_LIBS)
check_PROGRAMS += tests/preload/progress
tests_preload_progress_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_progress_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_progress.sh
EXTRA_DIST += tests/preload/test_progress.sh
check_PROGRAMS += tests/preload/exchange
tests_preload_exchange_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_exchange_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_exchange.sh
EXTRA_DIST += tests/preload/test_exchange.sh
check_PROGRAMS += tests/preload/mistakes
tests_preload_mistakes_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_mistakes_LDADD = $(MPI_LIBS)
check_PROGRAMS += tests/preload/threads tests/preload/endings
tests_preload_threads_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_threads_LDADD = $(MPI_LIBS) -ldl -lpthread
TESTS += tests/preload/test_threads.sh
EXTRA_DIST += tests/preload/test_threads.sh
tests_preload_endings_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_endings_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_robust.sh
EXTRA_DIST += tests/preload/test_robust.sh
TESTS += tests/preload/test_rules.sh
EXTRA_DIST += tests/preload/test_rules.sh
check_PROGRAMS += tests/preload/promises
tests_preload_promises_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS) -pthread
tests_preload_promises_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_promises.sh
EXTRA_DIST += tests/preload/test_promises.sh
check_PROGRAMS += tests/preload/guard
tests_preload_guard_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_guard_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_guard.sh
EXTRA_DIST += tests/preload/test_guard.sh
check_PROGRAMS += tests/preload/limits
tests_preload_limits_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_limits_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_limits.sh
EXTRA_DIST += tests/preload/test_limits.sh
check_PROGRAMS += tests/preload/leaving
tests_preload_leaving_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_leaving_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_leaving.sh
EXTRA_DIST += tests/preload/test_leaving.sh
# A tool that counts calls; -rpath makes it shared.
check_LTLIBRARIES += tests/preload/counting_tool.la
tests_preload_counting_tool_la_SOURCES = tests/preload/counting_tool.c
tests_preload_counting_tool_la_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_counting_tool_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_preload_counting_tool_la_LIBADD = $(MPI_LIBS)
TESTS += tests/preload/test_tools.sh
EXTRA_DIST += tests/preload/test_tools.sh
# Records what the library sends.
check_LTLIBRARIES += tests/preload/recording_tool.la
tests_preload_recording_tool_la_SOURCES = tests/preload/recording_tool.c
tests_preload_recording_tool_la_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_recording_tool_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_preload_recording_tool_la_LIBADD = $(MPI_LIBS) -ldl
check_PROGRAMS += tests/preload/table
tests_preload_table_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_table_LDADD = $(MPI_LIBS)
check_PROGRAMS += tests/preload/rounds
tests_preload_rounds_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_rounds_LDADD = $(MPI_LIBS)
TESTS += tests/preload/test_steps.sh tests/preload/test_rounds.sh
EXTRA_DIST += tests/preload/test_steps.sh tests/preload/test_rounds.sh
TESTS += tests/preload/test_presence.sh
EXTRA_DIST += tests/preload/test_presence.sh tests/preload/ranks.sh
# Knows no MPI until it runs.
check_PROGRAMS += tests/preload/loader
tests_preload_loader_LDADD = -ldl
TESTS += tests/preload/test_other_mpi.sh
EXTRA_DIST += tests/preload/test_other_mpi.sh
# Ranks that are lost, files, memory and shared memory that are missing (test_faults*.sh); a long run (tests/soak).
check_PROGRAMS += tests/preload/faults tests/preload/soak
tests_preload_faults_SOURCES = tests/preload/faults.c tests/preload/operations.c tests/preload/operations.h
tests_preload_faults_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_faults_LDADD = $(MPI_LIBS)
tests_preload_soak_SOURCES = tests/preload/soak.c tests/preload/operations.c tests/preload/operations.h
tests_preload_soak_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_preload_soak_LDADD = $(MPI_LIBS)
# Requests for memory that fail; -rpath makes it shared.
check_LTLIBRARIES += tests/preload/no_memory.la
tests_preload_no_memory_la_SOURCES = tests/preload/no_memory.c
tests_preload_no_memory_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_preload_no_memory_la_LIBADD = -ldl
TESTS += tests/preload/test_faults.sh tests/preload/test_faults_scarce.sh
EXTRA_DIST += tests/preload/test_faults.sh tests/preload/test_faults_scarce.sh tests/soak
# A copy of the source with one operation more.
TESTS += tests/preload/test_new_operation.sh
EXTRA_DIST += tests/preload/test_new_operation.sh tests/data/new_operation
# A copy of the source, built with MPICH.
TESTS += tests/preload/test_mpich.sh
EXTRA_DIST += tests/preload/test_mpich.sh tests/preload/newer_calls.c
TESTS += tests/preload/test_run.sh tests/preload/test_stats.sh
EXTRA_DIST += tests/preload/test_run.sh tests/preload/test_stats.sh
