# sources of src/mapping
src_libpure_la_SOURCES += \
	src/mapping/graph.c src/mapping/graph.h
