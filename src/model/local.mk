src_libpure_la_SOURCES += \
	src/model/params.c src/model/params.h
