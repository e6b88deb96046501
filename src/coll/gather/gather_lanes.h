/* One call of allgather(v) `lanes` on one rank (gather_lanes.c): where the segments lie, and the messages that carry
 * them (gather_lanes_messages.c). */
#ifndef TOPO_COLL_GATHER_GATHER_LANES_H
#define TOPO_COLL_GATHER_GATHER_LANES_H

#include <stdatomic.h>

#include "coll/gather/gather.h"
#include "patterns/gather_lanes.h"

enum {
    TOPO_GATHER_SEGMENTS_WINDOWS_MOST = 8,
    TOPO_GATHER_SEGMENTS_RECEIVES = 32, /* posted at once */
    TOPO_GATHER_SEGMENTS_SENDS = 32,    /* under way at once, at most */
    TOPO_GATHER_SEGMENTS_LOOK_AHEAD = 32
};

/* A block as this rank gets it. */
struct topo_gather_segments_block {
    size_t bytes;
    int segments;
    bool read; /* its segment of read_iteration, or there is none */
    char *place;
};

/* One call on this rank. Turn numbers here start at 0 with this call. */
struct topo_gather_segments {
    const struct topo_allgather *call;
    struct topo_node *node;
    const struct topo_gather_lanes *lanes;
    struct topo_flag *finished; /* [ranks of the node] */
    _Atomic uint64_t *filled;   /* [windows][blocks] number of the iteration in the slot + 1 */
    char *slots;
    size_t stride; /* bytes of a segment, but for a block's last one, and of its slot */
    int windows, iterations;
    int sends;           /* under way at once, 2 at least */
    bool synchronous;    /* sends are, so that so few are under way whatever MPI buffers */
    int ahead;           /* iterations, from the first unsent segment's on, of which segments may be sent */
    int free_iterations; /* iterations below this one may be written */
    bool stream;         /* the result is larger than caches */
    struct topo_gather_segments_block *block; /* [blocks] in the order of `lanes` */
    MPI_Request request[TOPO_GATHER_SEGMENTS_RECEIVES + TOPO_GATHER_SEGMENTS_SENDS];
    int iteration_of[TOPO_GATHER_SEGMENTS_RECEIVES + TOPO_GATHER_SEGMENTS_SENDS],
        block_of[TOPO_GATHER_SEGMENTS_RECEIVES + TOPO_GATHER_SEGMENTS_SENDS];
    int active;
    int write_iteration; /* of the own segments */
    int receive_iteration, receive_task;
    int send_iteration, send_task; /* all before were sent */
    bool *sent;                    /* [TOPO_GATHER_SEGMENTS_WINDOWS_MOST][sends] some ahead of that */
    int read_iteration, read_from;
};

static inline size_t topo_gather_segments_slot(const struct topo_gather_segments *run, int iteration, int block)
{
    return (size_t)((run->node->iteration + (uint64_t)iteration) % (uint64_t)run->windows) *
               (size_t)run->lanes->blocks +
           (size_t)block;
}

static inline bool topo_gather_segments_has(const struct topo_gather_segments *run, int iteration, int block)
{
    return iteration < run->block[block].segments;
}

static inline size_t topo_gather_segments_bytes(const struct topo_gather_segments *run, int iteration, int block)
{
    size_t left = run->block[block].bytes - (size_t)iteration * run->stride;
    return left < run->stride ? left : run->stride;
}

static inline bool topo_gather_segments_filled(const struct topo_gather_segments *run, int iteration, int block)
{
    return atomic_load_explicit(&run->filled[topo_gather_segments_slot(run, iteration, block)], memory_order_acquire) ==
           run->node->iteration + (uint64_t)iteration + 1;
}

static inline void topo_gather_segments_fill(const struct topo_gather_segments *run, int iteration, int block)
{
    atomic_store_explicit(&run->filled[topo_gather_segments_slot(run, iteration, block)],
                          run->node->iteration + (uint64_t)iteration + 1, memory_order_release);
}

/* True when the window of `iteration` may be written: everybody is through with what was there. */
bool topo_gather_segments_free(struct topo_gather_segments *run, int iteration);

/* Tells the node which iterations this rank has read, and has sent on what it had to. */
void topo_gather_segments_finish(struct topo_gather_segments *run);

/* The first segments to be received and sent. */
void topo_gather_segments_begin(struct topo_gather_segments *run);

/* Posts receives and starts sends that may go; takes in what has arrived and drops what was sent. Return whether there
 * was any; an MPI error code is in *code. */
int topo_gather_segments_start(struct topo_gather_segments *run, int *code);
int topo_gather_segments_end(struct topo_gather_segments *run, int *code);

#endif
