src_libpure_la_SOURCES += \
	src/select/by_model.c src/select/by_model.h \
	src/select/guard.c src/select/guard.h \
	src/select/select.c src/select/select.h \
	src/select/trial.c src/select/trial.h \
	src/select/tuning.c src/select/tuning.h
