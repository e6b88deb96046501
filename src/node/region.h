/* Regions: parts of memory that the ranks of a node share, for one communicator (docs/REFERENCES.md, Node exchanges 2).
 *
 * That the ranks of a node really share memory is found out by doing it: the first rank of each node makes a
 * segment (node/pool.h), the others map it; where one cannot, on any node, nobody has the region and all
 * ranks take the form of the algorithm without it. */
#ifndef TOPO_NODE_REGION_H
#define TOPO_NODE_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct topo_node;
struct topo_segment;

/* Bytes of a region to come, equal on all ranks. */
struct topo_shm_size {
    size_t zeros;         /* at its start, that are zero: its user's counters; the others are anything */
    size_t least, wanted; /* needed; tried first */
};

/* One region; what lies in it is its user's. */
struct topo_shm_region {
    char *base; /* NULL: none */
    struct topo_segment *segment;
    size_t bytes;              /* equal on all ranks of the communicator */
    size_t refused;            /* as many bytes or more cannot be had: do not ask again; 0 = nothing was refused */
    bool fresh;                /* new, and its user does not know yet */
    bool stays;                /* a call went through it whose equals must take the same form */
    struct topo_shm_size wish; /* of a call that could not wait for it; least 0: none */
};

/* Who uses a region: each has one for itself. */
enum topo_shm_use {
    TOPO_SHM_BUFFERS,
    TOPO_SHM_LONG_BUFFERS,
    TOPO_SHM_GATHER,
    TOPO_SHM_REDUCE,
    TOPO_SHM_FIFO,
    TOPO_SHM_STAMPS, /* TOPOMPI_STATS: who came when (observe/waiting.h) */
    TOPO_SHM_TREE,   /* only until the tree has it: topo_node_lend_tree() */
    TOPO_SHM_REGIONS
};

/* Bytes of a new region that this rank's part of TOPOMPI_SHARED and its limits allow for. */
uint64_t topo_node_room(const struct topo_node *node);

/* Collective over the channel, which must be open: gives the region of `use` such a
 * size; size.wanted is tried first, then less. A region that is large
 * enough stays as it is; else a new one replaces it. *fresh is set the
 * first time that its user gets a new one. False, on all ranks alike, when it cannot
 * be had: TOPOMPI_SHARED does not allow it or a rank of some node cannot make or open
 * it; or, where the call must not wait, it is made by the next topo_node_grant(). */
bool topo_node_reserve(struct topo_node *node, enum topo_shm_use use, struct topo_shm_size size, bool *fresh);

/* Collective, in a call that may wait: makes the regions that calls which could not wait asked for, at once where there
 * is room for all. */
void topo_node_grant(struct topo_node *node);

/* Collective over the channel, which must be open, in a call that may wait: makes all that `reserve` reserves at once,
 * where there is room for it, so that ranks agree once and not on each region. `reserve` is called twice: the first
 * time it asks and gets nothing, the second time what it reserves is there, or is not to be had. */
void topo_node_reserve_at_once(struct topo_node *node, void (*reserve)(struct topo_node *node));

/* Collective as topo_node_reserve(), and only in what topo_node_reserve_at_once() calls, for the communicator of all
 * ranks: the long tables of the job's tree, which are the same on all ranks, from then on lie once on each node that
 * has several ranks, in a region that goes with the tree. Where it cannot be had they stay where they are. No other
 * thread may use the tree meanwhile. */
void topo_node_lend_tree(struct topo_node *node);

/* Unmaps all; no message. */
void topo_node_drop_regions(struct topo_node *node);

/* Whether there are regions that may go while the communicator lives; unmaps them, as if they had never been made, on
 * all ranks of the communicator alike, while none is in a call of it. */
bool topo_node_may_give(const struct topo_node *node);
void topo_node_give(struct topo_node *node);

#endif
