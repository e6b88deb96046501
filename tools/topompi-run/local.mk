# topompi-run, a script, and the program that its --check starts.
nodist_bin_SCRIPTS = tools/topompi-run/topompi-run
CLEANFILES += tools/topompi-run/topompi-run
EXTRA_DIST += tools/topompi-run/topompi-run.in
operation_names = $(top_srcdir)/src/catalog/operations.def
tools/topompi-run/topompi-run: $(top_srcdir)/tools/topompi-run/topompi-run.in $(operation_names) Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@VERSION[@]|$(PACKAGE_VERSION)|; s|@MPI_KIND[@]|$(MPI_KIND)|' \
		-e 's|@libdir[@]|$(libdir)|; s|@pkglibexecdir[@]|$(pkglibexecdir)|; s|@bindir[@]|$(bindir)|; s|@prefix[@]|$(prefix)|' \
		-e "s|@OPERATIONS[@]|`sed -nE 's/^OPERATION\(([a-z_]+),.*/\1/p' $(operation_names) | paste -sd ' '`|" \
		$(top_srcdir)/tools/topompi-run/topompi-run.in >$@.new && chmod +x $@.new && mv $@.new $@

pkglibexec_PROGRAMS = tools/topompi-run/topompi-probe
tools_topompi_run_topompi_probe_SOURCES = \
	tools/topompi-run/probe.c tools/topompi-run/probe.h tools/topompi-run/probe_print.c
tools_topompi_run_topompi_probe_CPPFLAGS = $(tools_cppflags)
tools_topompi_run_topompi_probe_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS) $(JANSSON_CFLAGS)
tools_topompi_run_topompi_probe_LDADD = $(MPI_LIBS) $(JANSSON_LIBS) -ldl
dist_man_MANS += man/topompi-run.1
