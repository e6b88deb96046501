# topo-predict-dvm. Its model is a library of its own, for the unit tests.
noinst_LTLIBRARIES += tools/libdvm.la
tools_libdvm_la_SOURCES = \
	tools/topo-predict-dvm/dvm_calls.c \
	tools/topo-predict-dvm/dvm_buffers.c \
	tools/topo-predict-dvm/dvm_collective.c \
	tools/topo-predict-dvm/dvm_groups.c \
	tools/topo-predict-dvm/dvm_loop.c \
	tools/topo-predict-dvm/dvm_map.c tools/topo-predict-dvm/dvm_map.h \
	tools/topo-predict-dvm/dvm_model.c tools/topo-predict-dvm/dvm_model.h \
	tools/topo-predict-dvm/dvm_model_objects.c \
	tools/topo-predict-dvm/dvm_model_parts.h \
	tools/topo-predict-dvm/dvm_traffic.c tools/topo-predict-dvm/dvm_traffic.h \
	tools/topo-predict-dvm/dvm_objects.c \
	tools/topo-predict-dvm/dvm_par.c tools/topo-predict-dvm/dvm_par.h \
	tools/topo-predict-dvm/libdvm.c tools/topo-predict-dvm/libdvm.h \
	tools/topo-predict-dvm/transfer.c tools/topo-predict-dvm/transfer.h
tools_libdvm_la_CPPFLAGS = $(tools_cppflags)
bin_PROGRAMS += tools/topo-predict-dvm/topo-predict-dvm
tools_topo_predict_dvm_topo_predict_dvm_SOURCES = tools/topo-predict-dvm/main.c
tools_topo_predict_dvm_topo_predict_dvm_CPPFLAGS = $(tools_cppflags)
tools_topo_predict_dvm_topo_predict_dvm_LDADD = tools/libdvm.la $(predict_libraries)
dist_man_MANS += man/topo-predict-dvm.1
EXTRA_DIST += tools/topo-predict-dvm/dvm_calls.def
