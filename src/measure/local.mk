mpi_sources += \
	src/measure/kept.c src/measure/kept.h \
	src/measure/measure.c src/measure/measure.h \
	src/measure/probe.c src/measure/probe.h
