src_libpure_la_SOURCES += \
	src/levels/levels.c src/levels/levels.h \
	src/levels/rounds.c src/levels/rounds.h \
	src/levels/spread.c src/levels/spread.h \
	src/levels/paths.c src/levels/paths.h \
	src/levels/lanes.c src/levels/lanes.h \
	src/levels/sums.c src/levels/sums.h
EXTRA_DIST += docs/LEVELS.md
