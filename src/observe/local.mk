mpi_sources += \
	src/observe/stats.c src/observe/stats.h \
	src/observe/stats_file.c src/observe/stats_file.h \
	src/observe/stats_gather.c \
	src/observe/trace.c src/observe/trace.h \
	src/observe/trace_comm.c \
	src/observe/trace_file.c src/observe/trace_file.h \
	src/observe/trace_gap.c \
	src/observe/trace_intervals.c \
	src/observe/trace_names.c src/observe/trace_names.h \
	src/observe/trace_parts.h \
	src/observe/waiting.c src/observe/waiting.h
