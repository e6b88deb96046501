src_libpure_la_SOURCES += \
	src/renumber/chains.c src/renumber/chains.h \
	src/renumber/descend.c src/renumber/descend.h \
	src/renumber/graph.c src/renumber/graph.h \
	src/renumber/mapping.c src/renumber/mapping.h \
	src/renumber/metis.c src/renumber/metis.h \
	src/renumber/partition.c src/renumber/partition.h \
	src/renumber/refine.c src/renumber/refine.h \
	src/renumber/repair.c
