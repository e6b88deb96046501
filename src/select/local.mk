src_libpure_la_SOURCES += \
	src/select/by_model.c src/select/by_model.h \
	src/select/candidates.c src/select/candidates.h \
	src/select/condition.c src/select/condition.h \
	src/select/contest.c src/select/contest.h \
	src/select/rule.c src/select/rule.h \
	src/select/select.c src/select/select.h \
	src/select/shipped.c src/select/shipped.h \
	src/select/tuning.c src/select/tuning.h \
	src/select/verdicts.c src/select/verdicts.h

# What the library ships with, as the file that is installed and as a string: what is copied without its files has it, too.
shipped_tuning = $(top_srcdir)/src/model/levels.conf $(top_srcdir)/src/select/rules.conf
nodist_src_libpure_la_SOURCES += src/select/rules_text.c
pkgdata_DATA += src/select/tuning.conf
CLEANFILES += src/select/rules_text.c src/select/tuning.conf
EXTRA_DIST += src/select/rules.conf
src/select/rules_text.c: $(shipped_tuning)
	$(string_of) topo_rules_text $(shipped_tuning) >$@.new && mv $@.new $@
src/select/tuning.conf: $(shipped_tuning)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cat $(shipped_tuning) >$@.new && mv $@.new $@
