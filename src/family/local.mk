# A family of MPI libraries each: the part that tests and tools use, too, and the core.
mpi_sources += src/family/family.c src/family/family.h src/family/known.h \
	src/family/presence_exchange.h src/family/presence_pmi.c src/family/presence_pmix.c src/family/presence_pmix.h \
	src/family/presence_relay.c
if FAMILY_OMPI
noinst_LTLIBRARIES += src/libpart-ompi.la
lib_LTLIBRARIES += src/libtopompi-core-ompi.la
endif
ompi_family = -DTOPO_FAMILY='"family/openmpi.h"'
src_libpart_ompi_la_SOURCES = $(mpi_sources) src/family/openmpi.c src/family/openmpi.h
src_libpart_ompi_la_CFLAGS = $(core_cflags) $(OMPI_CFLAGS) $(ompi_family)
src_libpart_ompi_la_LIBADD = src/libpure.la
src_libtopompi_core_ompi_la_SOURCES = $(core_sources)
src_libtopompi_core_ompi_la_CFLAGS = $(core_cflags) $(OMPI_CFLAGS) $(ompi_family)
src_libtopompi_core_ompi_la_LIBADD = src/libpart-ompi.la
src_libtopompi_core_ompi_la_LDFLAGS = $(core_ldflags)
if FAMILY_MPICH
noinst_LTLIBRARIES += src/libpart-mpich.la
lib_LTLIBRARIES += src/libtopompi-core-mpich.la
endif
mpich_family = -DTOPO_FAMILY='"family/mpich.h"'
src_libpart_mpich_la_SOURCES = $(mpi_sources) src/family/constants.c src/family/mpich.h
src_libpart_mpich_la_CFLAGS = $(core_cflags) $(MPICH_CFLAGS) $(mpich_family)
src_libpart_mpich_la_LIBADD = src/libpure.la
src_libtopompi_core_mpich_la_SOURCES = $(core_sources)
src_libtopompi_core_mpich_la_CFLAGS = $(core_cflags) $(MPICH_CFLAGS) $(mpich_family)
src_libtopompi_core_mpich_la_LIBADD = src/libpart-mpich.la
src_libtopompi_core_mpich_la_LDFLAGS = $(core_ldflags)
# The standard ABI's needs no MPI to be built.
noinst_LTLIBRARIES += src/libpart-abi.la
lib_LTLIBRARIES += src/libtopompi-core-abi.la
abi_cflags = $(core_cflags) -I$(top_srcdir)/src/family/abi -DTOPO_FAMILY='"family/abi.h"'
src_libpart_abi_la_SOURCES = $(mpi_sources) src/family/constants.c src/family/abi.h src/family/abi/mpi.h
src_libpart_abi_la_CFLAGS = $(abi_cflags)
src_libpart_abi_la_LIBADD = src/libpure.la
src_libtopompi_core_abi_la_SOURCES = $(core_sources)
src_libtopompi_core_abi_la_CFLAGS = $(abi_cflags)
src_libtopompi_core_abi_la_LIBADD = src/libpart-abi.la
src_libtopompi_core_abi_la_LDFLAGS = $(core_ldflags)
# PMPI_Send is topo_mpi.Send there (src/job/mpi.h).
$(src_libpart_ompi_la_OBJECTS) $(src_libtopompi_core_ompi_la_OBJECTS): src/job/mpi_calls.h
$(src_libpart_mpich_la_OBJECTS) $(src_libtopompi_core_mpich_la_OBJECTS): src/job/mpi_calls.h
$(src_libpart_abi_la_OBJECTS) $(src_libtopompi_core_abi_la_OBJECTS): src/job/mpi_calls.h

# The family of the MPI library that tests and tools are linked with.
if WITH_MPICH
core_family = mpich
mpi_family = $(mpich_family)
mpi_part = src/libpart-mpich.la
else
core_family = ompi
mpi_family = $(ompi_family)
mpi_part = src/libpart-ompi.la
endif
