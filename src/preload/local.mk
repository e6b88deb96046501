src_libtopompi_la_SOURCES += \
	src/base/export.h src/base/log.c src/base/log.h \
	src/preload/calls.c \
	src/preload/program.c src/preload/program.h
EXTRA_DIST += src/preload/calls.def
