src_libtopompi_la_SOURCES += \
	src/base/export.h src/base/log.c src/base/log.h \
	src/base/memory.c src/base/memory.h \
	src/base/plain.c src/base/plain.h \
	src/preload/calls.c src/preload/commit.c src/preload/pcontrol.c src/preload/symbols.h \
	src/preload/narrow.c src/preload/narrow.h \
	src/preload/program.c src/preload/program.h
EXTRA_DIST += src/preload/calls.def
