# topo-dump. commands.def lists its commands, each in a file of its own.
bin_PROGRAMS += tools/topo-dump/topo-dump
topo_dump_sources = \
	tools/topo-dump/main.c tools/topo-dump/commands.h \
	tools/topo-dump/print.c tools/topo-dump/tables.c tools/topo-dump/tables.h \
	tools/topo-dump/mapping.c tools/topo-dump/given_graph.c tools/topo-dump/job.h \
	tools/topo-dump/plan.c tools/topo-dump/plan.h tools/topo-dump/plan_times.c tools/topo-dump/plan_svg.c tools/topo-dump/request.c tools/topo-dump/rules.c tools/topo-dump/offline.c tools/topo-dump/view.c tools/topo-dump/view.h \
	tools/topo-dump/show_text.c tools/topo-dump/show_json.c tools/topo-dump/show_dot.c \
	tools/topo-dump/show_svg.c tools/topo-dump/picture_levels.c tools/topo-dump/picture_traffic.c tools/topo-dump/picture.h \
	tools/topo-dump/svg.c tools/topo-dump/svg.h \
	tools/topo-dump/allreduce_steps.c tools/topo-dump/allreduce_steps.h \
	tools/topo-dump/allreduce_steps_text.c tools/topo-dump/json_lines.c tools/topo-dump/json_lines.h tools/topo-dump/allreduce_steps_json.c tools/topo-dump/allreduce_steps_svg.c \
	tools/topo-dump/schedule.c tools/topo-dump/schedule.h tools/topo-dump/schedule_view.c \
	tools/topo-dump/schedule_text.c tools/topo-dump/schedule_json.c tools/topo-dump/schedule_svg.c \
	tools/topo-dump/stats.c tools/topo-dump/stats_file.c tools/topo-dump/stats_file.h \
	tools/topo-dump/placement.c
tools_topo_dump_topo_dump_SOURCES = $(topo_dump_sources) tools/topo-dump/job.c
tools_topo_dump_topo_dump_CPPFLAGS = $(tools_cppflags) -DTOPO_BINDIR='"$(bindir)"'
tools_topo_dump_topo_dump_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS) $(JANSSON_CFLAGS)
tools_topo_dump_topo_dump_LDADD = src/libmpi_linked.la tools/libcommon.la src/libtools.la $(MPI_LIBS) $(JANSSON_LIBS) -lm
EXTRA_DIST += tools/topo-dump/commands.def

# The same without MPI, for packaging/wheel.
check_PROGRAMS += tools/topo-dump/topo-dump-alone
tools_topo_dump_topo_dump_alone_SOURCES = $(topo_dump_sources) tools/topo-dump/job_alone.c
tools_topo_dump_topo_dump_alone_CPPFLAGS = $(tools_topo_dump_topo_dump_CPPFLAGS)
tools_topo_dump_topo_dump_alone_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tools_topo_dump_topo_dump_alone_LDADD = tools/libcommon.la src/libtools.la $(JANSSON_LIBS) -lm

# Files made from the tables; committed, and a test fails when one is stale.
dist_man_MANS = man/topo-dump.1 man/topompi.7 man/topompi-machine.5 man/topompi-trace.5 man/topompi-tuning.5
EXTRA_DIST += env.example
.PHONY: generated
generated: tools/topo-dump/topo-dump
	tools/topo-dump/topo-dump options --format env -o $(srcdir)/env.example
	tools/topo-dump/topo-dump options --format man -o $(srcdir)/man/topompi.7
	tools/topo-dump/topo-dump --synthetic "node:4 core:4" --format svg -o $(srcdir)/docs/mapping.svg
