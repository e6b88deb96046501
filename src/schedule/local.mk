src_libpure_la_SOURCES += \
	src/schedule/blocks.c src/schedule/blocks.h \
	src/schedule/check.c \
	src/schedule/css.c src/schedule/css.h \
	src/schedule/drc.c \
	src/schedule/eliminate_step.c \
	src/schedule/ggp.c src/schedule/ggp.h \
	src/schedule/lengths.c \
	src/schedule/links.c src/schedule/links.h \
	src/schedule/lists.c \
	src/schedule/matching.c src/schedule/matching.h \
	src/schedule/matrix.c src/schedule/matrix.h \
	src/schedule/merge.c \
	src/schedule/near_shift.c src/schedule/near_shift.h \
	src/schedule/numbers.h \
	src/schedule/order.c src/schedule/order.h \
	src/schedule/recurrence.c src/schedule/recurrence.h \
	src/schedule/regular.c src/schedule/regular.h \
	src/schedule/residue_index.c src/schedule/residue_index.h \
	src/schedule/schedule.c src/schedule/schedule.h src/schedule/sort.h \
	src/schedule/scheduler.c src/schedule/scheduler.h
src_libtools_la_SOURCES += \
	src/schedule/array.c src/schedule/array.h \
	src/schedule/contention.c src/schedule/contention.h \
	src/schedule/matrix_file.c src/schedule/matrix_file.h \
	src/schedule/random.c src/schedule/random.h \
	src/schedule/redistribute.c src/schedule/redistribute.h
