src_libpure_la_SOURCES += \
	src/model/allreduce_shape.c src/model/allreduce_shape.h \
	src/model/cost.c src/model/cost.h \
	src/model/cost_exchange.c \
	src/model/cost_han.c \
	src/model/cost_memory.c \
	src/model/cost_native.c \
	src/model/cost_plans.c \
	src/model/cost_rounds.c \
	src/model/cost_parts.h \
	src/model/findings.c src/model/findings.h \
	src/model/grid_choice.c src/model/grid_choice.h \
	src/model/load.c src/model/load.h \
	src/model/packet.c src/model/packet.h \
	src/model/price.c src/model/price.h \
	src/model/price_links.c \
	src/model/price_memory.c \
	src/model/price_parts.h \
	src/model/price_ranks.c \
	src/model/params.c src/model/params.h \
	src/model/shared_cores.c src/model/shared_cores.h \
	src/model/tuned.c

# The shipped level parameters, as a string: what is copied without its files has them, too.
nodist_src_libpure_la_SOURCES += src/model/levels_text.c
CLEANFILES += src/model/levels_text.c
EXTRA_DIST += src/model/levels.conf
src/model/levels_text.c: $(top_srcdir)/src/model/levels.conf
	$(string_of) topo_levels_text $(top_srcdir)/src/model/levels.conf >$@.new && mv $@.new $@
