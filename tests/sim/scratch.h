/* Before src/coll/base/scratch.c (build): long blocks are folded. */
#ifndef TOPO_TESTS_SIM_SCRATCH_H
#define TOPO_TESTS_SIM_SCRATCH_H

#include "base/memory.h"
#include "sim/world.h"

#define topo_alloc(count, size) sim_alloc((count) * (size))
#define topo_free sim_free

#endif
