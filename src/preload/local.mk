src_libtopompi_la_SOURCES += \
	src/base/export.h src/base/log.c src/base/log.h \
	src/base/memory.c src/base/memory.h \
	src/base/plain.c src/base/plain.h \
	src/base/clock.h src/base/ticks.h \
	src/preload/calls.c src/preload/commit.c src/preload/pcontrol.c src/preload/symbols.h \
	src/preload/counting.c src/preload/counting.h \
	src/preload/narrow.c src/preload/narrow.h \
	src/preload/program.c src/preload/program.h
