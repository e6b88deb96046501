# topo-dump. commands.def lists its commands, each in a file of its own.
bin_PROGRAMS += tools/topo-dump/topo-dump
tools_topo_dump_topo_dump_SOURCES = \
	tools/topo-dump/main.c tools/topo-dump/commands.h \
	tools/topo-dump/print.c tools/topo-dump/tables.c tools/topo-dump/tables.h \
	tools/topo-dump/mapping.c
tools_topo_dump_topo_dump_CPPFLAGS = $(tools_cppflags)
tools_topo_dump_topo_dump_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tools_topo_dump_topo_dump_LDADD = tools/libcommon.la src/libpure.la $(JANSSON_LIBS)
EXTRA_DIST += tools/topo-dump/commands.def

# Files made from the tables; committed, and a test fails when one is stale.
dist_man_MANS = man/topo-dump.1 man/topompi.7
EXTRA_DIST += env.example
.PHONY: generated
generated: tools/topo-dump/topo-dump
	tools/topo-dump/topo-dump options --format env -o $(srcdir)/env.example
	tools/topo-dump/topo-dump options --format man -o $(srcdir)/man/topompi.7
