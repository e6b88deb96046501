src_libpure_la_SOURCES += \
	src/catalog/algorithm.c src/catalog/algorithm.h \
	src/catalog/arguments.h \
	src/catalog/flag.h src/catalog/function.h \
	src/catalog/graph_kind.h \
	src/catalog/options.c src/catalog/options.h \
	src/catalog/parameters.c src/catalog/parameters.h \
	src/catalog/size_class.h
EXTRA_DIST += src/catalog/algorithms.def src/catalog/constructors.def src/catalog/destructors.def src/catalog/functions.def \
	src/catalog/operations.def src/catalog/options.def src/catalog/parameters.def src/catalog/traced.def
