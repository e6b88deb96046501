EXTRA_DIST += docs/ALLTOALLV.md
src_libmpi_part_la_SOURCES += \
	src/coll/area.c src/coll/area.h \
	src/coll/choose.c src/coll/choose.h \
	src/coll/datatype.c src/coll/datatype.h \
	src/coll/learn.c src/coll/learn.h \
	src/coll/prepare.c src/coll/prepare.h \
	src/coll/repeat.c src/coll/repeat.h \
	src/coll/scratch.c src/coll/scratch.h \
	src/coll/transport.c src/coll/transport.h \
	src/coll/turn.c src/coll/turn.h \
	src/coll/rounds.c src/coll/rounds.h \
	src/coll/slots.c src/coll/slots.h \
	src/coll/allgather/allgather.c src/coll/allgather/allgather.h \
	src/coll/allgather/direct.c src/coll/allgather/direct.h \
	src/coll/allgather/steps.c src/coll/allgather/steps.h \
	src/coll/allgather/ring.c \
	src/coll/allgather/rounds.c src/coll/allgather/rounds.h \
	src/coll/allgather/leader.c \
	src/coll/allgather/radix.c \
	src/coll/allgather/lanes.c src/coll/allgather/lanes.h src/coll/allgather/lanes_messages.c \
	src/coll/allgather/bruck.c \
	src/coll/allgather/bruck_exch.c \
	src/coll/allgather/bruck_reorder.c \
	src/coll/allgather/recursive_doubling.c \
	src/coll/allgather/recursive_doubling_exch.c \
	src/coll/allgather/recursive_doubling_reorder.c \
	src/coll/allgatherv/allgatherv.c src/coll/allgatherv/allgatherv.h \
	src/coll/allgatherv/leader.c \
	src/coll/allgatherv/radix.c \
	src/coll/allgatherv/lanes.c \
	src/coll/alltoall/alltoall.c src/coll/alltoall/alltoall.h \
	src/coll/alltoall/direct.c \
	src/coll/alltoall/node_aware.c \
	src/coll/alltoallv/alltoallv.c src/coll/alltoallv/alltoallv.h \
	src/coll/alltoallv/drive.c src/coll/alltoallv/drive.h \
	src/coll/alltoallv/exchange.c src/coll/alltoallv/exchange.h \
	src/coll/alltoallv/half.c src/coll/alltoallv/half.h \
	src/coll/alltoallv/pairs.c src/coll/alltoallv/pairs.h \
	src/coll/alltoallv/side.c src/coll/alltoallv/side.h \
	src/coll/alltoallv/rows.c src/coll/alltoallv/rows.h \
	src/coll/alltoallv/direct.c \
	src/coll/alltoallv/node_aware.c \
	src/coll/alltoallv/order.c src/coll/alltoallv/order.h \
	src/coll/alltoallv/plan.c src/coll/alltoallv/plan.h \
	src/coll/alltoallv/scheduled.c \
	src/coll/barrier/barrier.c src/coll/barrier/barrier.h \
	src/coll/barrier/leader.c \
	src/coll/bcast/bcast.c src/coll/bcast/bcast.h \
	src/coll/bcast/way.c src/coll/bcast/way.h \
	src/coll/bcast/leader.c \
	src/coll/bcast/chain.c \
	src/coll/reduce/reduce.c src/coll/reduce/reduce.h \
	src/coll/reduce/leader.c \
	src/coll/reduce/chain.c \
	src/coll/reduce_scatter/reduce_scatter.c src/coll/reduce_scatter/reduce_scatter.h \
	src/coll/reduce_scatter/leader.c \
	src/coll/reduce_scatter/lanes.c \
	src/coll/reduce_scatter_block/leader.c \
	src/coll/reduce_scatter_block/lanes.c \
	src/coll/allreduce/allreduce.c src/coll/allreduce/allreduce.h \
	src/coll/allreduce/operations.c \
	src/coll/allreduce/vector.c src/coll/allreduce/vector.h \
	src/coll/allreduce/blocks.c src/coll/allreduce/packets.c src/coll/allreduce/run.h \
	src/coll/allreduce/shape.c \
	src/coll/allreduce/cyclic.c \
	src/coll/allreduce/cyclic_pipelined.c \
	src/coll/allreduce/mixed_grid.c \
	src/coll/allreduce/recursive_doubling.c \
	src/coll/allreduce/recursive_doubling_renumbered.c \
	src/coll/allreduce/recursive_halving.c \
	src/coll/allreduce/leader.c src/coll/allreduce/node_sum.c src/coll/allreduce/node_sum.h \
	src/coll/allreduce/lanes.c src/coll/allreduce/lanes_layout.c src/coll/allreduce/lanes_run.c src/coll/allreduce/lanes.h
