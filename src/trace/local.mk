src_libpure_la_SOURCES += \
	src/trace/format.h \
	src/trace/write.c src/trace/write.h
src_libtools_la_SOURCES += \
	src/trace/define.c \
	src/trace/fields.c src/trace/fields.h \
	src/trace/read.c src/trace/read.h \
	src/trace/read_run.c
