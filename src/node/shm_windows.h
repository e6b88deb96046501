/* Windows in node-shared memory, through which long blocks pass in rounds, a segment of each at a time. A window has a
 * slot for a segment of each block; several windows follow each other in a circle.
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

/* One call on this rank. Segments have numbers: round * blocks + block, rounds from 0 on. */
struct topo_shm_windows {
    struct topo_node *node;
    struct topo_flag *finished; /* [ranks of the node] */
    _Atomic uint64_t *filled;   /* [windows][blocks] number of the round in the slot + 1 */
    char *slots;
    int blocks, windows, rounds;
    size_t stride; /* bytes of a segment, but for a block's last one, and of its slot */
    int free;      /* rounds below this one may be written */
};

/* Begins a call with so many blocks (one for each rank of the communicator), of which the longest has `bytes`, in
 * segments of at most `segment` bytes, all equal on all ranks; collective over the channel. False, on all ranks alike:
 * shared memory cannot be had. */
bool topo_shm_windows_open(struct topo_shm_windows *windows, struct topo_node *node, int blocks, size_t bytes,
                           size_t segment);

/* Where a segment lies. */
char *topo_shm_windows_at(const struct topo_shm_windows *windows, int64_t number);

/* Whether it is there; tells that it is. */
bool topo_shm_windows_has(const struct topo_shm_windows *windows, int64_t number);
void topo_shm_windows_fill(const struct topo_shm_windows *windows, int64_t number);

/* The first segment that may not be written yet, as ranks are not through with what is there. */
int64_t topo_shm_windows_room(struct topo_shm_windows *windows);

/* Tells that this rank is through with so many rounds; with all. */
void topo_shm_windows_finish(const struct topo_shm_windows *windows, int rounds);
void topo_shm_windows_close(struct topo_shm_windows *windows);

#endif
