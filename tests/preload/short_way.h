/* What tests/preload/short_way.c counts. */
#ifndef TOPO_TESTS_PRELOAD_SHORT_WAY_H
#define TOPO_TESTS_PRELOAD_SHORT_WAY_H

enum { SHORT_WAY_BATCH = 40, SHORT_WAY_BATCHES = 9 };

/* A batch of calls. */
__attribute__((noinline)) void batched(void (*call)(void));

#endif
