# MPI tests: programs that link the library's MPI part, each run by test_<name>.sh at many rank counts.
mpi_test_cflags = $(AM_CFLAGS) $(MPI_CFLAGS) -I$(top_srcdir)/tests
mpi_test_ldadd = tests/mpi/libharness.la src/libmpi_linked.la
check_LTLIBRARIES += tests/mpi/libharness.la
tests_mpi_libharness_la_SOURCES = \
	tests/mpi/blocks.c tests/mpi/blocks.h \
	tests/mpi/calls.c tests/mpi/calls.h \
	tests/mpi/comms.c tests/mpi/comms.h \
	tests/mpi/harness.c tests/mpi/harness.h \
	tests/mpi/ops.c tests/mpi/ops.h \
	tests/mpi/pending.c tests/mpi/pending.h \
	tests/mpi/remember.c tests/mpi/remember.h \
	tests/mpi/types.c tests/mpi/types.h
tests_mpi_libharness_la_CFLAGS = $(mpi_test_cflags)
EXTRA_DIST += tests/mpi/run.sh

check_PROGRAMS += tests/mpi/test_allgather
tests_mpi_test_allgather_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_allgather_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_allgather.sh
EXTRA_DIST += tests/mpi/test_allgather.sh

check_PROGRAMS += tests/mpi/test_rooted
tests_mpi_test_rooted_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_rooted_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_rooted.sh
EXTRA_DIST += tests/mpi/test_rooted.sh

check_PROGRAMS += tests/mpi/test_scan
tests_mpi_test_scan_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_scan_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_scan.sh
EXTRA_DIST += tests/mpi/test_scan.sh

check_PROGRAMS += tests/mpi/test_lifetime
tests_mpi_test_lifetime_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_lifetime_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_lifetime.sh
EXTRA_DIST += tests/mpi/test_lifetime.sh

check_PROGRAMS += tests/mpi/test_channel_calls
tests_mpi_test_channel_calls_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_channel_calls_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_channel_calls.sh
EXTRA_DIST += tests/mpi/test_channel_calls.sh

check_PROGRAMS += tests/mpi/test_orders
tests_mpi_test_orders_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_orders_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_orders.sh
EXTRA_DIST += tests/mpi/test_orders.sh tests/data/orders.txt

check_PROGRAMS += tests/mpi/test_history
tests_mpi_test_history_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_history_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_history.sh
EXTRA_DIST += tests/mpi/test_history.sh

check_PROGRAMS += tests/mpi/test_constructors
tests_mpi_test_constructors_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_constructors_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_constructors.sh
EXTRA_DIST += tests/mpi/test_constructors.sh

check_PROGRAMS += tests/mpi/test_collect
tests_mpi_test_collect_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_collect_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_collect.sh
EXTRA_DIST += tests/mpi/test_collect.sh

check_PROGRAMS += tests/mpi/test_lent
tests_mpi_test_lent_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_lent_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_lent.sh
EXTRA_DIST += tests/mpi/test_lent.sh

check_PROGRAMS += tests/mpi/test_idle
tests_mpi_test_idle_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_idle_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_idle.sh
EXTRA_DIST += tests/mpi/test_idle.sh

check_PROGRAMS += tests/mpi/test_pool
tests_mpi_test_pool_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_pool_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_pool.sh
EXTRA_DIST += tests/mpi/test_pool.sh

check_PROGRAMS += tests/mpi/test_shared
tests_mpi_test_shared_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_shared_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_shared.sh
EXTRA_DIST += tests/mpi/test_shared.sh

check_PROGRAMS += tests/mpi/test_allreduce
tests_mpi_test_allreduce_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_allreduce_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_allreduce.sh
EXTRA_DIST += tests/mpi/test_allreduce.sh

check_PROGRAMS += tests/mpi/test_streams
tests_mpi_test_streams_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_streams_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_streams.sh
EXTRA_DIST += tests/mpi/test_streams.sh

# Tells the library of fewer tags by a function of the name it calls.
check_PROGRAMS += tests/mpi/test_tags
tests_mpi_test_tags_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_tags_LDADD = $(mpi_test_ldadd) -ldl
TESTS += tests/mpi/test_tags.sh
EXTRA_DIST += tests/mpi/test_tags.sh

# Counts what the library sends by functions of the names it calls.
check_PROGRAMS += tests/mpi/test_traffic
tests_mpi_test_traffic_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_traffic_LDADD = $(mpi_test_ldadd) -ldl
TESTS += tests/mpi/test_traffic.sh
EXTRA_DIST += tests/mpi/test_traffic.sh

check_PROGRAMS += tests/mpi/test_parameters
tests_mpi_test_parameters_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_parameters_LDADD = $(mpi_test_ldadd) -ldl
TESTS += tests/mpi/test_parameters.sh
EXTRA_DIST += tests/mpi/test_parameters.sh

check_PROGRAMS += tests/mpi/test_alltoall
tests_mpi_test_alltoall_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_alltoall_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_alltoall.sh
EXTRA_DIST += tests/mpi/test_alltoall.sh

check_PROGRAMS += tests/mpi/test_alltoallv
tests_mpi_test_alltoallv_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_alltoallv_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_alltoallv.sh
EXTRA_DIST += tests/mpi/test_alltoallv.sh

check_PROGRAMS += tests/mpi/test_barrier
tests_mpi_test_barrier_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_barrier_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_barrier.sh
EXTRA_DIST += tests/mpi/test_barrier.sh

check_PROGRAMS += tests/mpi/test_bottom
tests_mpi_test_bottom_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_bottom_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_bottom.sh
EXTRA_DIST += tests/mpi/test_bottom.sh

check_PROGRAMS += tests/mpi/test_counters
tests_mpi_test_counters_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_counters_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_counters.sh
EXTRA_DIST += tests/mpi/test_counters.sh

check_PROGRAMS += tests/mpi/test_interleaved
tests_mpi_test_interleaved_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_interleaved_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_interleaved.sh
EXTRA_DIST += tests/mpi/test_interleaved.sh

check_PROGRAMS += tests/mpi/test_bcast
tests_mpi_test_bcast_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_bcast_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_bcast.sh
EXTRA_DIST += tests/mpi/test_bcast.sh

check_PROGRAMS += tests/mpi/test_reduce
tests_mpi_test_reduce_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_reduce_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_reduce.sh
EXTRA_DIST += tests/mpi/test_reduce.sh

check_PROGRAMS += tests/mpi/test_operands
tests_mpi_test_operands_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_operands_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_operands.sh
EXTRA_DIST += tests/mpi/test_operands.sh

# Measure what a native call costs besides, and what adding in one pass saves; run by hand.
check_PROGRAMS += tests/mpi/time_native
tests_mpi_time_native_CFLAGS = $(mpi_test_cflags)
tests_mpi_time_native_LDADD = $(mpi_test_ldadd)
check_PROGRAMS += tests/mpi/time_operands
tests_mpi_time_operands_CFLAGS = $(mpi_test_cflags)
tests_mpi_time_operands_LDFLAGS = -Wl,--wrap=topo_combine_find
tests_mpi_time_operands_LDADD = $(mpi_test_ldadd)

check_PROGRAMS += tests/mpi/test_reduce_scatter
tests_mpi_test_reduce_scatter_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_reduce_scatter_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_reduce_scatter.sh
EXTRA_DIST += tests/mpi/test_reduce_scatter.sh

check_PROGRAMS += tests/mpi/test_allgatherv
tests_mpi_test_allgatherv_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_allgatherv_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_allgatherv.sh
EXTRA_DIST += tests/mpi/test_allgatherv.sh

TESTS += tests/mpi/test_memcheck.sh
EXTRA_DIST += tests/mpi/test_memcheck.sh tests/memcheck tests/openmpi.supp tests/sanitize

check_PROGRAMS += tests/mpi/test_allreduce_ops
tests_mpi_test_allreduce_ops_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_allreduce_ops_LDADD = $(mpi_test_ldadd) -lpthread
TESTS += tests/mpi/test_allreduce_ops.sh
EXTRA_DIST += tests/mpi/test_allreduce_ops.sh

check_PROGRAMS += tests/mpi/test_world_ranks
tests_mpi_test_world_ranks_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_world_ranks_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_world_ranks.sh
EXTRA_DIST += tests/mpi/test_world_ranks.sh

check_PROGRAMS += tests/mpi/test_relay
tests_mpi_test_relay_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_relay_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_relay.sh
EXTRA_DIST += tests/mpi/test_relay.sh

check_PROGRAMS += tests/mpi/test_user_ops
tests_mpi_test_user_ops_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_user_ops_LDADD = $(mpi_test_ldadd)
TESTS += tests/mpi/test_user_ops.sh
EXTRA_DIST += tests/mpi/test_user_ops.sh

# Accelerators' memory, by a driver that the script compiles.
check_PROGRAMS += tests/mpi/test_threads
tests_mpi_test_threads_CFLAGS = $(mpi_test_cflags)
tests_mpi_test_threads_LDADD = $(mpi_test_ldadd) -lpthread
TESTS += tests/mpi/test_threads.sh
EXTRA_DIST += tests/mpi/test_threads.sh
