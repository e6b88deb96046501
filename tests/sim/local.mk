# The library on simulated clusters (docs/SCALE.md); built by the test itself, where SimGrid is installed.
TESTS += tests/sim/test_sim.sh
EXTRA_DIST += tests/data/sim_8x8.txt tests/data/sim_4x4x16.txt tests/data/sim_trees.txt tests/sim/agree.c tests/sim/build tests/sim/compare tests/sim/copies.c tests/sim/activities.cc tests/sim/fold.c tests/sim/init_smp.c \
	tests/sim/machine.cc tests/sim/machines tests/sim/main.c tests/sim/model tests/sim/told \
	tests/sim/others.c tests/sim/others.def tests/sim/others.h tests/sim/presence.c tests/sim/requests.c tests/sim/run tests/sim/scratch.h tests/sim/shm.h tests/sim/stores.h \
	tests/sim/test_sim.sh tests/sim/waiting.c tests/sim/waiting.h tests/sim/world.c tests/sim/world.h
clean-local: clean-sim
clean-sim:
	rm -rf tests/sim/out
.PHONY: clean-sim
