mpi_sources += \
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
	src/job/presence.c src/job/presence.h \
	src/job/recovery.c src/job/recovery.h src/job/recovery_messages.c src/job/recovery_messages.h \
	src/job/share.c src/job/share.h \
	src/job/threads.c src/job/threads.h \
	src/job/verdicts.c src/job/verdicts.h \
	src/job/world_ranks.c src/job/world_ranks.h

# PMPI_Send is topo_mpi.Send in the MPI folders (src/job/mpi.h).
CLEANFILES += src/job/mpi_calls.h
EXTRA_DIST += src/job/mpi.def
src/job/mpi_calls.h: $(top_srcdir)/src/job/mpi.def
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { printf '#define TOPO_MPI_BY_TABLE\n#include "job/mpi.h"\n' && \
		sed -n 's/^FUNCTION(\(.*\))$$/#define PMPI_\1 topo_mpi.\1/p' $(top_srcdir)/src/job/mpi.def; } >$@.new && mv $@.new $@
