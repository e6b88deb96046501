src_libtopompi_la_SOURCES += \
	src/base/export.h src/base/log.c src/base/log.h \
	src/base/plain.c src/base/plain.h \
	src/preload/calls.c src/preload/pcontrol.c src/preload/symbols.h \
	src/preload/program.c src/preload/program.h
if !WITH_MPICH
src_libtopompi_la_SOURCES += src/preload/commit.c
endif
EXTRA_DIST += src/preload/calls.def
