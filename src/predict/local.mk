src_libpure_la_SOURCES += \
	src/predict/notes.c src/predict/notes.h \
	src/predict/interval.c src/predict/interval.h \
	src/predict/libdvm.c src/predict/libdvm.h \
	src/predict/dvm_par.c src/predict/dvm_par.h \
	src/predict/dvm_map.c src/predict/dvm_map.h \
	src/predict/dvm_moves.c src/predict/dvm_moves.h \
	src/predict/rater.c src/predict/rater.h src/predict/rater_parts.h src/predict/rater_objects.c \
	src/predict/dvm_calls.c src/predict/dvm_objects.c src/predict/dvm_groups.c \
	src/predict/dvm_collective.c src/predict/dvm_loop.c \
	src/predict/replay.c src/predict/replay.h \
	src/predict/replay_clock.c src/predict/replay_clock.h \
	src/predict/replay_group.c src/predict/replay_group.h \
	src/predict/replay_cost.c src/predict/replay_cost.h \
	src/predict/replay_scale.c src/predict/replay_scale.h \
	src/predict/traced.c src/predict/traced.h src/predict/trace_interval.c src/predict/trace_interval.h \
	src/predict/machine_file.c src/predict/machine_file.h \
	src/predict/trace_format.h \
	src/predict/trace_write.c src/predict/trace_write.h \
	src/predict/trace_fields.c src/predict/trace_fields.h src/predict/trace_define.c \
	src/predict/trace_read.c src/predict/trace_run.c src/predict/trace_read.h
