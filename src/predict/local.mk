src_libtools_la_SOURCES += \
	src/predict/call_times.c src/predict/call_times.h \
	src/predict/interval.c src/predict/interval.h \
	src/predict/dvm/dvm_calls.c \
	src/predict/dvm/dvm_buffers.c \
	src/predict/dvm/dvm_collective.c \
	src/predict/dvm/dvm_groups.c \
	src/predict/dvm/dvm_loop.c \
	src/predict/dvm/dvm_map.c src/predict/dvm/dvm_map.h \
	src/predict/dvm/dvm_model.c src/predict/dvm/dvm_model.h \
	src/predict/dvm/dvm_model_objects.c \
	src/predict/dvm/dvm_model_parts.h \
	src/predict/dvm/dvm_traffic.c src/predict/dvm/dvm_traffic.h \
	src/predict/dvm/dvm_objects.c \
	src/predict/dvm/dvm_par.c src/predict/dvm/dvm_par.h \
	src/predict/dvm/libdvm.c src/predict/dvm/libdvm.h \
	src/predict/dvm/transfer.c src/predict/dvm/transfer.h \
	src/predict/mpi/machine_file.c src/predict/mpi/machine_file.h \
	src/predict/mpi/replay.c src/predict/mpi/replay.h \
	src/predict/mpi/replay_clock.c src/predict/mpi/replay_clock.h \
	src/predict/mpi/replay_cost.c src/predict/mpi/replay_cost.h \
	src/predict/mpi/replay_group.c src/predict/mpi/replay_group.h \
	src/predict/mpi/replay_scale.c src/predict/mpi/replay_scale.h \
	src/predict/mpi/trace_interval.c src/predict/mpi/trace_interval.h \
	src/predict/mpi/traced.c src/predict/mpi/traced.h
EXTRA_DIST += src/predict/dvm/dvm_calls.def
