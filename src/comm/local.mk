mpi_sources += \
	src/comm/allreduce_shapes.c src/comm/allreduce_shapes.h \
	src/comm/comm.c src/comm/comm.h \
	src/comm/comm_group.c src/comm/comm_group.h \
	src/comm/early.c src/comm/early.h \
	src/comm/opening.c src/comm/opening.h \
	src/comm/plans.c src/comm/plans.h \
	src/comm/refusals.c src/comm/refusals.h \
	src/comm/renumbering.c src/comm/renumbering.h
