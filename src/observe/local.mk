src_libmpi_part_la_SOURCES += \
	src/observe/stats.c src/observe/stats.h
