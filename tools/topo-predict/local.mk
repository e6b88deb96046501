# topo-predict, and what it has in common with topo-predict-dvm.
noinst_LTLIBRARIES += tools/libpredict.la
tools_libpredict_la_SOURCES = \
	tools/topo-predict/output.c tools/topo-predict/output.h \
	tools/topo-predict/progress.c tools/topo-predict/progress.h \
	tools/topo-predict/report.c tools/topo-predict/report.h
tools_libpredict_la_CPPFLAGS = $(tools_cppflags)
tools_libpredict_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
bin_PROGRAMS += tools/topo-predict/topo-predict
tools_topo_predict_topo_predict_SOURCES = \
	tools/topo-predict/main.c tools/topo-predict/mpi.c tools/topo-predict/mpi.h
tools_topo_predict_topo_predict_CPPFLAGS = $(tools_cppflags)
predict_libraries = tools/libpredict.la tools/libcommon.la src/libtools.la $(JANSSON_LIBS) -lm
tools_topo_predict_topo_predict_LDADD = $(predict_libraries)
dist_man_MANS += man/topo-predict.1
EXTRA_DIST += tools/topo-predict/page.py

# The script of the HTML page.
nodist_tools_libpredict_la_SOURCES = tools/topo-predict/page_script.c
CLEANFILES += tools/topo-predict/page_script.c
tools/topo-predict/page_script.c: $(top_srcdir)/tools/topo-predict/page.py
	$(string_of) predict_page_script $(top_srcdir)/tools/topo-predict/page.py >$@.new && mv $@.new $@
