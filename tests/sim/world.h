/* What all simulated ranks have in common. They are contexts of one process, each with its own copy of the library and
 * its variables (SMPI's privatisation); this file's part is loaded once and so is the memory that nodes share. */
#ifndef TOPO_TESTS_SIM_WORLD_H
#define TOPO_TESTS_SIM_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A rank that waits for another one of its node. */
struct sim_rank {
    int number; /* in MPI_COMM_WORLD */
    bool waits;
    const _Atomic uint32_t *counter; /* what for; NULL: for anything that is written */
    uint32_t target;                 /* until the counter is there or beyond, modulo 2^32 */
    struct sim_rank *next;           /* on the same node */
};

/* The rank's own; `node` is any address that only the ranks of a node have in common. The process frees it by ending.
 */
struct sim_rank *sim_join(int number, const void *node);

/* Any rank of the node of `self`, but `self`, that waits for what is there now; it counts as waiting no longer. NULL:
 * there is none. */
struct sim_rank *sim_wake_one(const struct sim_rank *self);

/* True when `at` lies in memory that the ranks of a node share. */
bool sim_is_shared(const void *at);

/* Memory of `bytes`, all 0. With SIM_FOLD in the environment, as in that which nodes share, all behind the first MiB of
 * 2 MiB or more is the same few pages: results are then nothing, but thousands of ranks have room for long vectors.
 * sim_unfold() takes no other memory. */
bool sim_folds(void);
void *sim_fold(size_t bytes);
void sim_unfold(void *block);

/* As malloc() and free(), but blocks that may be folded are. */
void *sim_alloc(size_t bytes);
void sim_free(void *block);

/* Maps `bytes` at `at`, in whole pages, folded where that is wanted. */
bool sim_map_folded(char *at, size_t bytes);

#endif
