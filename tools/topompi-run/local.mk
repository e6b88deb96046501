# topompi-run, a script, and the programs that its --check starts, one for each family of MPI libraries, linked with none.
nodist_bin_SCRIPTS = tools/topompi-run/topompi-run
CLEANFILES += tools/topompi-run/topompi-run
EXTRA_DIST += tools/topompi-run/topompi-run.in
operation_names = $(top_srcdir)/src/catalog/operations.def
tools/topompi-run/topompi-run: $(top_srcdir)/tools/topompi-run/topompi-run.in $(operation_names) Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@VERSION[@]|$(PACKAGE_VERSION)|; s|@FAMILY[@]|$(core_family)|' \
		-e 's|@libdir[@]|$(libdir)|; s|@pkglibexecdir[@]|$(pkglibexecdir)|; s|@bindir[@]|$(bindir)|; s|@prefix[@]|$(prefix)|' \
		-e "s|@OPERATIONS[@]|`sed -nE 's/^OPERATION\(([a-z_]+),.*/\1/p' $(operation_names) | paste -sd ' '`|" \
		$(top_srcdir)/tools/topompi-run/topompi-run.in >$@.new && chmod +x $@.new && mv $@.new $@

pkglibexec_PROGRAMS = tools/topompi-run/topompi-probe-abi
if FAMILY_OMPI
pkglibexec_PROGRAMS += tools/topompi-run/topompi-probe-ompi
endif
if FAMILY_MPICH
pkglibexec_PROGRAMS += tools/topompi-run/topompi-probe-mpich
endif
probe_sources = tools/topompi-run/probe.c tools/topompi-run/probe.h tools/topompi-run/probe_print.c
probe_cflags = $(AM_CFLAGS) $(JANSSON_CFLAGS)
probe_libs = $(JANSSON_LIBS) -ldl
tools_topompi_run_topompi_probe_abi_SOURCES = $(probe_sources)
tools_topompi_run_topompi_probe_abi_CPPFLAGS = $(tools_cppflags) -DPROBE_FAMILY='"abi"'
tools_topompi_run_topompi_probe_abi_CFLAGS = $(probe_cflags) -I$(top_srcdir)/src/family/abi
tools_topompi_run_topompi_probe_abi_LDADD = $(probe_libs)
tools_topompi_run_topompi_probe_ompi_SOURCES = $(probe_sources)
tools_topompi_run_topompi_probe_ompi_CPPFLAGS = $(tools_cppflags) -DPROBE_FAMILY='"ompi"'
tools_topompi_run_topompi_probe_ompi_CFLAGS = $(probe_cflags) $(OMPI_CFLAGS)
tools_topompi_run_topompi_probe_ompi_LDADD = $(probe_libs)
tools_topompi_run_topompi_probe_mpich_SOURCES = $(probe_sources)
tools_topompi_run_topompi_probe_mpich_CPPFLAGS = $(tools_cppflags) -DPROBE_FAMILY='"mpich"'
tools_topompi_run_topompi_probe_mpich_CFLAGS = $(probe_cflags) $(MPICH_CFLAGS)
tools_topompi_run_topompi_probe_mpich_LDADD = $(probe_libs)
dist_man_MANS += man/topompi-run.1
