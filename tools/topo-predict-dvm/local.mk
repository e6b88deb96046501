# topo-predict-dvm
bin_PROGRAMS += tools/topo-predict-dvm/topo-predict-dvm
tools_topo_predict_dvm_topo_predict_dvm_SOURCES = tools/topo-predict-dvm/main.c
tools_topo_predict_dvm_topo_predict_dvm_CPPFLAGS = $(tools_cppflags)
tools_topo_predict_dvm_topo_predict_dvm_LDADD = $(predict_libraries)
dist_man_MANS += man/topo-predict-dvm.1
