src_libpure_la_SOURCES += \
	src/base/align.h \
	src/base/cache.c src/base/cache.h \
	src/base/clock.h \
	src/base/copy.c src/base/copy.h \
	src/base/counts.h \
	src/base/environment.h \
	src/base/file.c src/base/file.h \
	src/base/hash.h \
	src/base/log.c src/base/log.h \
	src/base/memory.c src/base/memory.h \
	src/base/numbers.c src/base/numbers.h \
	src/base/numbers_search.c src/base/numbers_search.h \
	src/base/plain.c src/base/plain.h \
	src/base/processors.c src/base/processors.h \
	src/base/search.h \
	src/base/status.c src/base/status.h \
	src/base/text.c src/base/text.h \
	src/base/ticks.h \
	src/base/watch.h
src_libtools_la_SOURCES += \
	src/base/notes.c src/base/notes.h
