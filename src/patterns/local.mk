src_libpure_la_SOURCES += \
	src/patterns/bcast_tree.c src/patterns/bcast_tree.h \
	src/patterns/chain.c src/patterns/chain.h \
	src/patterns/circulant.c src/patterns/circulant.h \
	src/patterns/grid.c src/patterns/grid.h \
	src/patterns/halving.c src/patterns/halving.h \
	src/patterns/levels.c src/patterns/levels.h \
	src/patterns/limits.h \
	src/patterns/node_groups.c src/patterns/node_groups.h \
	src/patterns/node_steps.c src/patterns/node_steps.h \
	src/patterns/pipeline.c src/patterns/pipeline.h \
	src/patterns/paths.c src/patterns/paths.h \
	src/patterns/reduce_cut.c src/patterns/reduce_cut.h \
	src/patterns/stripes.c src/patterns/stripes.h \
	src/patterns/trees.c src/patterns/trees.h \
	src/patterns/trees_racks.c src/patterns/trees_racks.h \
	src/patterns/trees_shape.c src/patterns/trees_shape.h
