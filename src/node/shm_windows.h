/* Windows in node-shared memory, through which long vectors pass in rounds, a segment of each block at a time. A window
 * has a slot for a segment of each block; several windows follow each other in a circle.
 *
 * A slot's number says of which round the segment is that lies in it; `finished` of each rank, how many rounds it is
 * through with. A window is written anew when all ranks of the node are through with the round that was in it. Rounds
 * are counted over all calls of the communicator, so calls overlap as rounds do. */
#ifndef TOPO_NODE_SHM_WINDOWS_H
#define TOPO_NODE_SHM_WINDOWS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "node/node.h"

enum { TOPO_SHM_WINDOWS_MOST = 8 };

/* One call on this rank. Its rounds are numbered from 0 on. */
struct topo_shm_windows {
    struct topo_node *node;
    struct topo_rounds *all;    /* of all calls in the region */
    struct topo_flag *finished; /* [ranks of the node] */
    _Atomic uint64_t *filled;   /* [windows][blocks] number of the round in the slot + 1 */
    char *slots;                /* [windows][rows][blocks] */
    int blocks, windows, rounds, rows;
    size_t stride; /* bytes of a segment, but for a block's last one, and of its slot */
    int free;      /* rounds below this one may be written */
};

/* Begins a call of an allgather with so many blocks (one for each rank of the communicator), of which the longest has
 * `bytes`, in segments of at most `segment` bytes, all equal on all ranks; collective over the channel. False, on all
 * ranks alike: shared memory cannot be had. */
bool topo_shm_windows_open(struct topo_shm_windows *windows, struct topo_node *node, int blocks, size_t bytes,
                           size_t segment);

/* The same where all but `free` and `all` is known, and whether the region is a new one, whose counters begin then,
 * also those in the node's flags, `flags` for each rank from `finished` on. */
void topo_shm_windows_begin(struct topo_shm_windows *windows, struct topo_rounds *all, bool fresh, int flags);

/* The window in which a round is. */
static inline size_t topo_shm_window_of(const struct topo_shm_windows *windows, int64_t round)
{
    return (size_t)((windows->all->before + (uint64_t)round) % (uint64_t)windows->windows);
}

/* Where a segment lies, in a row of its window. */
static inline char *topo_shm_windows_at(const struct topo_shm_windows *windows, int64_t round, int row, int block)
{
    const size_t rows = topo_shm_window_of(windows, round) * (size_t)windows->rows + (size_t)row;
    return windows->slots + (rows * (size_t)windows->blocks + (size_t)block) * windows->stride;
}

/* Whether it is there; tells that it is. */
bool topo_shm_windows_has(const struct topo_shm_windows *windows, int64_t round, int block);
void topo_shm_windows_fill(const struct topo_shm_windows *windows, int64_t round, int block);

/* The first round that may not be written yet, as ranks are not through with what is there. */
int topo_shm_windows_room(struct topo_shm_windows *windows);

/* Tells that this rank is through with so many rounds; ends the call. */
void topo_shm_windows_finish(const struct topo_shm_windows *windows, int rounds);
static inline void topo_shm_windows_close(const struct topo_shm_windows *windows)
{
    windows->all->before += (uint64_t)windows->rounds;
}

#endif
