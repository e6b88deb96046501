# sources of src/schedule
src_libpure_la_SOURCES += \
	src/schedule/matrix.c src/schedule/matrix.h \
	src/schedule/random.c src/schedule/random.h \
	src/schedule/schedule.c src/schedule/schedule.h \
	src/schedule/check.c \
	src/schedule/order.c src/schedule/order.h \
	src/schedule/drc.c \
	src/schedule/ggp.c src/schedule/ggp.h \
	src/schedule/regular.c src/schedule/regular.h \
	src/schedule/peel.c src/schedule/peel.h \
	src/schedule/numbers.h \
	src/schedule/recurrence.c src/schedule/recurrence.h \
	src/schedule/redistribute.c src/schedule/redistribute.h \
	src/schedule/css.c src/schedule/css.h \
	src/schedule/blocks.c src/schedule/blocks.h \
	src/schedule/dissolve.c \
	src/schedule/lattice.c src/schedule/lattice.h \
	src/schedule/lengths.c \
	src/schedule/balance.c src/schedule/balance.h \
	src/schedule/merge.c \
	src/schedule/matrix_file.c src/schedule/matrix_file.h
