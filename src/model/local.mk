src_libpure_la_SOURCES += \
	src/model/allreduce_shape.c src/model/allreduce_shape.h \
	src/model/cost.c src/model/cost.h \
	src/model/cost_allgather.c \
	src/model/cost_allreduce.c \
	src/model/cost_alltoallv.c \
	src/model/cost_bcast.c \
	src/model/cost_exchange.c \
	src/model/cost_han.c \
	src/model/cost_lanes.c \
	src/model/cost_native.c \
	src/model/cost_node_steps.c \
	src/model/cost_parts.h \
	src/model/grid_choice.c src/model/grid_choice.h \
	src/model/load.c src/model/load.h \
	src/model/packet.c src/model/packet.h \
	src/model/params.c src/model/params.h \
	src/model/tuned.c
