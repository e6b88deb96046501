src_libtools_la_SOURCES += \
	src/predict/call_times.c src/predict/call_times.h \
	src/predict/interval.c src/predict/interval.h \
	src/predict/mpi/machine_file.c src/predict/mpi/machine_file.h \
	src/predict/mpi/replay.c src/predict/mpi/replay.h \
	src/predict/mpi/replay_clock.c src/predict/mpi/replay_clock.h \
	src/predict/mpi/replay_cost.c src/predict/mpi/replay_cost.h \
	src/predict/mpi/replay_group.c src/predict/mpi/replay_group.h \
	src/predict/mpi/replay_scale.c src/predict/mpi/replay_scale.h \
	src/predict/mpi/trace_interval.c src/predict/mpi/trace_interval.h \
	src/predict/mpi/trace_matrix.c src/predict/mpi/trace_matrix.h \
	src/predict/mpi/traced.c src/predict/mpi/traced.h
