mpi_sources += \
	src/coll/library.c src/coll/library.h \
	src/coll/prepare.c src/coll/prepare.h \
	src/coll/reorder.c src/coll/reorder.h \
	src/coll/allgather/allgather.c \
	src/coll/allgatherv/allgatherv.c \
	src/coll/allreduce/allreduce.c src/coll/allreduce/allreduce.h \
	src/coll/allreduce/allreduce_lanes.c \
	src/coll/allreduce/allreduce_ranks.c \
	src/coll/alltoall/alltoall.c src/coll/alltoall/alltoall.h \
	src/coll/alltoall/alltoall_node_aware.c \
	src/coll/alltoallv/aggregate.c src/coll/alltoallv/aggregate.h \
	src/coll/alltoallv/alltoallv.c src/coll/alltoallv/alltoallv.h \
	src/coll/alltoallv/alltoallv_node_aware.c \
	src/coll/alltoallv/step_table.c \
	src/coll/barrier/barrier.c \
	src/coll/base/datatype.c src/coll/base/datatype.h \
	src/coll/base/operators.c src/coll/base/operators.h \
	src/coll/base/scratch.c src/coll/base/scratch.h \
	src/coll/base/transport.c src/coll/base/transport.h \
	src/coll/bcast/bcast.c \
	src/coll/call/call.c src/coll/call/call.h \
	src/coll/call/choose.c src/coll/call/choose.h \
	src/coll/call/first_call.c src/coll/call/first_call.h \
	src/coll/call/guard.c src/coll/call/guard.h src/coll/call/kinds.h \
	src/coll/call/history.c src/coll/call/history.h \
	src/coll/call/remembered.c src/coll/call/remembered.h \
	src/coll/call/operations.c src/coll/call/operations.h \
	src/coll/call/recheck.h \
	src/coll/call/state.h \
	src/coll/engine/engine.c src/coll/engine/engine.h \
	src/coll/engine/engine_pairs.c \
	src/coll/engine/engine_windows.c \
	src/coll/exchange/buffer_desc.c src/coll/exchange/buffer_desc.h \
	src/coll/exchange/count_estimate.c src/coll/exchange/count_estimate.h \
	src/coll/exchange/exchange.h \
	src/coll/exchange/pairs.c src/coll/exchange/pairs.h \
	src/coll/blocks/gather.c src/coll/blocks/gather.h \
	src/coll/blocks/gather_lanes.c \
	src/coll/blocks/gather_node.c \
	src/coll/blocks/gather_rank.c \
	src/coll/reduce/reduce.c src/coll/reduce/reduce.h \
	src/coll/reduce/reduce_chain.c \
	src/coll/reduce_scatter/reduce_scatter.c src/coll/reduce_scatter/reduce_scatter.h \
	src/coll/reduce_scatter/reduce_scatter_lanes.c \
	src/coll/reduction/exchange.c \
	src/coll/rooted/operations.c \
	src/coll/rooted/rooted.c src/coll/rooted/rooted.h \
	src/coll/rooted/varying.c \
	src/coll/reduction/node_sum.c src/coll/reduction/node_sum.h \
	src/coll/reduction/operands.c src/coll/reduction/operands.h \
	src/coll/reduction/reduce_lanes.c src/coll/reduction/reduce_lanes.h \
	src/coll/reduction/reduce_lanes_layout.c \
	src/coll/reduction/vector.c src/coll/reduction/vector.h \
	src/coll/scan/scan.c
