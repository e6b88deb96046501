/* A FIFO in node-shared memory: one rank of a node, the writer, hands segments of
 * data to all others, segment after segment. The writer may be as many segments ahead as
 * there are slots, so that ranks which share processors take several segments in a
 * row; each segment may have another writer.
 *
 * A short segment lies beside the flags that tell of it, on one line.
 *
 * Two events a slot: `written`, the segment that lies in it, which the writer tells, and `read`: every rank is through
 * with it, for which the next writer waits. Every rank of a node goes through
 * all segments in the same order and releases each, the writer too. */
#ifndef TOPO_NODE_SHM_FIFO_H
#define TOPO_NODE_SHM_FIFO_H

#include <stdbool.h>
#include <stddef.h>

#include "node/group_flags.h"
#include "node/node.h"
#include "patterns/limits.h"

/* How many segments there is room for at least. */
enum { TOPO_SHM_FIFO_SLOTS = 16 };

/* The slot of one segment on this rank. */
struct topo_shm_fifo_slot {
    struct topo_node *node;
    struct topo_flag *written, *read; /* lines of the two events */
    char *base;                       /* aligned to 64, or to 8 where it is beside the flag */
    size_t beside;                    /* bytes of a segment that lies there; 0: of none */
    uint32_t number;                  /* of the segment, from 1 on, modulo 2^32, as the next one */
    uint32_t before;                  /* segments that lay there before it, modulo 2^32 */
};

/* Slots for segments of up to `bytes` (equal on all ranks, at most TOPO_SEGMENT_BYTES);
 * collective over the channel.
 * False, on all ranks alike: shared memory cannot be had. */
bool topo_shm_fifo_open(struct topo_node *node, size_t bytes);

/* The next segment's slot, of `bytes`, equal on all ranks of the node; no message and no waiting. */
struct topo_shm_fifo_slot topo_shm_fifo_next(struct topo_node *node, size_t bytes);

/* The writer: waits until the slot is free; tells that the segment is in it. */
void topo_shm_fifo_claim(const struct topo_shm_fifo_slot *slot);
void topo_shm_fifo_publish(const struct topo_shm_fifo_slot *slot);

/* The others: wait for the segment. */
void topo_shm_fifo_await(const struct topo_shm_fifo_slot *slot);

/* All: this rank is through with the slot. */
void topo_shm_fifo_release(const struct topo_shm_fifo_slot *slot);

#endif
