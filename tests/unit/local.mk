# One program a module: check_<module>.c mirrors src/<folder>/<module>.c.
if HAVE_CHECK
unit_cflags = $(AM_CFLAGS) -Wno-shadow $(CHECK_CFLAGS) -I$(top_srcdir)/tests
unit_ldadd = src/libtools.la $(CHECK_LIBS)
EXTRA_DIST += tests/unit/unit.h tests/unit/damage.h
include tests/unit/base.mk
include tests/unit/machine.mk
include tests/unit/renumber.mk
include tests/unit/patterns.mk
include tests/unit/schedule.mk
include tests/unit/model.mk
include tests/unit/predict.mk
include tests/unit/tools.mk
endif
