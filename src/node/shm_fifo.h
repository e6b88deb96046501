/* Slots of node-shared memory through which one rank of a node gives pieces of
 * data to all others, piece after piece. The giver may be as many pieces ahead as
 * there are slots, so that ranks which share processors take several pieces in a
 * row; who gives may be another rank at each piece.
 *
 * Two counters a slot: `written`, the piece that lies in it, and `read`, how many
 * times a rank was through with a piece in it. Every rank of a node goes through
 * all pieces in the same order and releases each, the giver too. */
#ifndef TOPO_NODE_SHM_FIFO_H
#define TOPO_NODE_SHM_FIFO_H

#include <stdbool.h>
#include <stddef.h>

#include "comm/comm.h"

struct topo_slot_header;

/* The slot of one piece on this rank. */
struct topo_slot {
    struct topo_shared *shared;
    struct topo_slot_header *header;
    char *base;      /* aligned to 64 */
    uint32_t number; /* of the piece, from 1 on, modulo 2^32, as the next one */
    uint32_t before; /* `read` when all are through with what lay there before */
};

/* The longest piece, in bytes. */
enum { TOPO_SLOT_BYTES = 32 << 10 };

/* Slots for pieces of up to `bytes` (equal on all ranks, at most TOPO_SLOT_BYTES);
 * collective over the channel. topo_shared_of() was called before.
 * False, on all ranks alike: shared memory cannot be had. */
bool topo_slots_open(struct topo_comm *comm, size_t bytes);

/* The next piece's slot; no message and no waiting. */
struct topo_slot topo_slot_next(struct topo_shared *shared);

/* The giver: waits until the slot is free; tells that the piece is in it. */
void topo_slot_claim(const struct topo_slot *slot);
void topo_slot_publish(const struct topo_slot *slot);

/* The others: wait for the piece. */
void topo_slot_await(const struct topo_slot *slot);

/* All: this rank is through with the slot. */
void topo_slot_release(const struct topo_slot *slot);

#endif
