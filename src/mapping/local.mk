# sources of src/mapping
src_libpure_la_SOURCES += \
	src/mapping/graph.c src/mapping/graph.h \
	src/mapping/grid.c src/mapping/grid.h \
	src/mapping/strips.c src/mapping/strips.h \
	src/mapping/moves.c src/mapping/moves.h \
	src/mapping/metis.c src/mapping/metis.h \
	src/mapping/refine.c src/mapping/repair.c src/mapping/refine.h \
	src/mapping/partition.c src/mapping/partition.h \
	src/mapping/descend.c src/mapping/descend.h \
	src/mapping/mapping.c src/mapping/mapping.h
EXTRA_DIST += docs/MAPPING.md docs/mapping.svg
