src_libmpi_part_la_SOURCES += \
	src/job/about.c src/job/about.h \
	src/job/agree.c src/job/agree.h \
	src/job/channel.c src/job/channel.h \
	src/job/channel_calls.c src/job/channel_calls.h \
	src/job/collect.c src/job/collect.h \
	src/job/configuration.c src/job/configuration.h \
	src/job/device.c src/job/device.h \
	src/job/discover.c src/job/discover.h \
	src/job/job.c src/job/job.h \
	src/job/mpi.h src/job/native.h \
	src/job/presence.c src/job/presence.h src/job/presence_exchange.h src/job/presence_pmi.c \
	src/job/presence_pmix.c src/job/presence_pmix.h src/job/presence_relay.c \
	src/job/recovery.c src/job/recovery.h \
	src/job/share.c src/job/share.h \
	src/job/world_ranks.c src/job/world_ranks.h

# PMPI_Send is topo_mpi.Send in the MPI folders (src/job/mpi.h).
nodist_src_libmpi_part_la_SOURCES = src/job/mpi_calls.h
CLEANFILES += src/job/mpi_calls.h
EXTRA_DIST += src/job/mpi.def
src/job/mpi_calls.h: $(top_srcdir)/src/job/mpi.def
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { echo '#include "job/mpi.h"' && \
		sed 's/^FUNCTION(\(.*\))$$/#define PMPI_\1 topo_mpi.\1/' $(top_srcdir)/src/job/mpi.def; } >$@.new && mv $@.new $@
$(src_libmpi_part_la_OBJECTS) $(src_libtopompi_core_la_OBJECTS): src/job/mpi_calls.h

# Programs that are linked with MPI.
src_libmpi_linked_la_SOURCES += src/job/mpi.c
