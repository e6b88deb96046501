# Readers of the PURE part fed with any bytes: the corpus here, new inputs by tests/readers/fuzz (docs/FUZZING.md).
check_PROGRAMS += tests/readers/replay
TESTS += tests/readers/replay
tests_readers_replay_SOURCES = tests/readers/replay.c tests/readers/readers.c tests/readers/readers.h \
	tests/readers/reader_address.c tests/readers/reader_dvm_par.c tests/readers/reader_grid.c \
	tests/readers/reader_hostlist.c tests/readers/reader_libdvm.c tests/readers/reader_link.c tests/readers/reader_machine.c \
	tests/readers/reader_machine_file.c tests/readers/reader_matrix.c tests/readers/reader_options.c \
	tests/readers/reader_params.c tests/readers/reader_random.c tests/readers/reader_redistribution.c \
	tests/readers/reader_sizes.c tests/readers/reader_synthetic.c \
	tests/readers/reader_topology.c tests/readers/reader_topology_yaml.c tests/readers/slurm_file.h tests/readers/reader_trace.c tests/readers/reader_trace_run.c \
	tests/readers/reader_tree.c tests/readers/reader_tuning.c
tests_readers_replay_CPPFLAGS = $(tools_cppflags) -I$(top_srcdir)/tests
tests_readers_replay_LDADD = tools/libbench.la tools/libdvm.la src/libtools.la $(JANSSON_LIBS) -lm
tests_readers_replay_LDFLAGS = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free
EXTRA_DIST += tests/readers/readers.def tests/readers/fuzz tests/readers/corpus
