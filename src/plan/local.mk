src_libpure_la_SOURCES += \
	src/plan/barrier_tree.c \
	src/plan/bcast_chain.c \
	src/plan/bcast_circulant.c \
	src/plan/bcast_halving.c \
	src/plan/bcast_leader.c \
	src/plan/bcast_trees.c \
	src/plan/exchange.c src/plan/exchange.h \
	src/plan/forms.c src/plan/forms.h \
	src/plan/gather.h \
	src/plan/gather_bruck.c \
	src/plan/gather_lanes.c \
	src/plan/gather_node.c \
	src/plan/gather_ring.c \
	src/plan/plan.c src/plan/plan.h \
	src/plan/rooted.c src/plan/rooted.h \
	src/plan/run.c src/plan/run.h \
	src/plan/scan.c src/plan/scan.h \
	src/plan/sum_halving.c \
	src/plan/sum_lanes.c src/plan/sum_lanes.h \
	src/plan/sum_leader.c \
	src/plan/sum_ranks.c src/plan/sum_ranks.h
src_libtools_la_SOURCES += \
	src/plan/together.c src/plan/together.h \
	src/plan/together_make.c
