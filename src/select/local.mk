src_libpure_la_SOURCES += \
	src/select/algorithm.c src/select/algorithm.h \
	src/select/by_model.c src/select/by_model.h \
	src/select/lesson.c src/select/lesson.h \
	src/select/select.c src/select/select.h \
	src/select/tuning.c src/select/tuning.h
