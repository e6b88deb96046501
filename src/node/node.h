/* The nodes of one communicator, and what a rank keeps of them (docs/REFERENCES.md, Node exchanges 2). "Node" is what
 * the tree calls so; whether its ranks really share memory: node/region.h. */
#ifndef TOPO_NODE_NODE_H
#define TOPO_NODE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/flag.h"
#include "node/region.h"
#include "patterns/halving.h"
#include "patterns/levels.h"
#include "patterns/node_groups.h"
#include "patterns/reduce_cut.h"

/* Numbers that grow with every iteration have 64 bits in a rank's own memory, where they come to no end. Counters in
 * the region are what they are modulo 2^32 (node/flag.h), which tells iterations apart that ranks of a node may be in
 * at once.
 */

/* Where the rounds of a region with windows are, and how they lie in it (node/shm_windows.h). */
struct topo_rounds {
    uint64_t before;  /* rounds so far */
    uint64_t settled; /* rounds before this one lie otherwise in the region */
    size_t stride;    /* bytes of a segment's place */
    int blocks, windows, rows;
    uint64_t handed; /* REDUCE: parts that a rank handed on so far, where operands are added in turn */
};

/* The buffers that a region is divided into, used in turn (node/shm_buffer.h). */
enum { TOPO_SHM_BUFFERS_MOST = 8 };

struct topo_shm_buffers {
    int current; /* that of the last call */
    /* In each, modulo 2^32: calls, those of them that had parts, and their parts. */
    uint32_t calls[TOPO_SHM_BUFFERS_MOST], calls_in_parts[TOPO_SHM_BUFFERS_MOST], parts[TOPO_SHM_BUFFERS_MOST];
};

/* What a call allows, and what came of it; equal on all ranks of its communicator. */
struct topo_consent {
    /* True when all ranks may be waited for, to agree on tags or memory. MPI_Bcast and MPI_Reduce must not wait where
     * the native call does not, as programs rely on that: what they need is made in the next call of an operation in
     * which all ranks wait for each other anyway. But a reduction that has to take one form begins with it. */
    bool may_wait;
    bool postponed; /* what this call needs is made later */
    bool wishes;    /* an earlier call waits for the channel or for memory */
    bool undecided; /* what do earlier calls say that were timed (coll/call/guard.h)? Agreed on in the next
                     * call of an operation whose ranks all wait for each other */
    uint64_t room;  /* bytes of a new region, as agreed in this call before there was any; 0: to be asked */
};

/* What a rank brings with it: its place among the ranks of its communicator. All outlives the node. */
struct topo_node_place {
    const struct topo_tree *tree; /* of the communicator's ranks */
    int rank, position;           /* of this one: by number, in tree order */
    const struct topo_channel *channel;
    struct topo_consent *consent;
    const bool *bits_depend; /* of the call under way: on the form that it takes */
};

/* The nodes on levels of at most `radix` parts; one of a list. */
struct topo_node_division {
    struct topo_node_division *next;
    int radix;
    struct topo_levels *levels;
};

/* What this rank knows of the nodes of its communicator; made at first need. */
struct topo_node {
    struct topo_node_place place;
    struct topo_node *next; /* of this process, and when it was last used: node/idle.h */
    uint64_t uses, used_at;
    struct topo_levels *levels;           /* the tree's own */
    struct topo_node_division *divisions; /* by topo_node_levels() */
    int index, local, ranks;              /* this rank's node, its number in it, ranks of this node */
    struct topo_node_group group;
    int *group_start; /* [group.groups + 1] the first local rank of each group, then `ranks` */
    bool in_order;    /* tree order is rank order */
    struct topo_wait_policy wait_policy;
    struct topo_shm_region region[TOPO_SHM_REGIONS];
    /* Made when first used, by the files that use them. */
    bool sent_is_known; /* of .. */
    int sent_more; /* .. blocks that a node sends more along the levels of few parts than along `levels`, at most */
    struct topo_halving *halving;
    /* How the last vector of a reduction was cut, of chain_bytes and with chain_given as topo_reduce_cut_chain() takes
     * it; chain_cut.stripes is 0 before the first. */
    struct topo_reduce_chain_cut chain_cut;
    size_t chain_bytes, chain_given;
    /* Where the users of the regions are in them, equal on all ranks of a node;
     * all at topo_counters_start when a region is new. */
    struct topo_shm_buffers buffers, long_buffers;
    struct topo_rounds gather_rounds, reduce_rounds; /* GATHER, REDUCE */
    uint32_t slots;                                  /* FIFO: how many (node/shm_fifo.c) */
    uint64_t segments;                               /* FIFO: segments so far */
    size_t slot_stride;                              /* FIFO: bytes of one */
};

/* Where counters begin when a region is new: tests come to their ends by it, setting it on all ranks alike. */
extern struct topo_counters {
    uint64_t iterations; /* iterations, calls in each buffer, segments in slots */
    uint32_t parts;      /* of calls in buffers, and calls that had any */
} topo_counters_start;

/* True when counters in a new region are to begin elsewhere than at 0. Then every rank of a node sets all of them, the
 * same, and topo_counters_set(), collective over the private communicator, comes back when all have. */
static inline bool topo_counters_elsewhere(void)
{
    return topo_counters_start.iterations > 0 || topo_counters_start.parts > 0;
}
void topo_counters_set(const struct topo_node *node);

/* Without any message; NULL when memory is out, which the caller must raise. Free with topo_node_free(). */
struct topo_node *topo_node_new(const struct topo_node_place *place);

/* One of the ranks of this rank's node, by its number there. */
static inline int topo_node_member(const struct topo_node *node, int local)
{
    return topo_tree_rank(node->place.tree, node->levels->start[node->index] + local);
}

/* The nodes on levels of at most `radix` parts, made once. There are as many as the operations and the rules name. NULL
 * when memory is out. */
const struct topo_levels *topo_node_levels(struct topo_node *node, int radix);

/* The same, of at most TOPO_RADIX parts. */
static inline const struct topo_levels *topo_node_few_levels(struct topo_node *node)
{
    return topo_node_levels(node, TOPO_RADIX);
}

/* This node's part in exchanges by halving on these levels, made once. NULL when memory is out. */
const struct topo_halving *topo_node_halving(struct topo_node *node);

/* True when the region of `use` is there and its user has seen it. */
static inline bool topo_node_stands(const struct topo_node *node, enum topo_shm_use use)
{
    return node->region[use].base && !node->region[use].fresh;
}

/* The call under way goes through the region of `use`. */
static inline void topo_node_goes_through(struct topo_node *node, enum topo_shm_use use)
{
    node->region[use].stays |= *node->place.bits_depend;
}

/* Unmaps and frees; no message. NULL is harmless. */
void topo_node_free(struct topo_node *node);

#endif
