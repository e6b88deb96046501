/* One call of allgather(v) `lanes` on one rank (gather_lanes.c): where the pieces lie, and the messages that carry them
 * (gather_lanes_messages.c). */
#ifndef TOPO_COLL_GATHER_GATHER_LANES_H
#define TOPO_COLL_GATHER_GATHER_LANES_H

#include <stdatomic.h>

#include "coll/allgather/allgather.h"
#include "patterns/gather_lanes.h"

enum {
    TOPO_PIECES_WINDOWS_MOST = 8,
    TOPO_PIECES_RECEIVES = 32, /* posted at once */
    TOPO_PIECES_SENDS = 32,    /* under way at once */
    TOPO_PIECES_LOOK_AHEAD = 32
};

/* A block as this rank gets it. */
struct topo_pieces_block {
    size_t bytes;
    int pieces;
    bool read; /* its piece of read_turn, or there is none */
    char *place;
};

/* One call on this rank. Turn numbers here start at 0 with this call. */
struct topo_pieces {
    const struct topo_allgather *call;
    struct topo_shared *shared;
    const struct topo_lanes *lanes;
    struct topo_flag *finished; /* [ranks of the node] */
    _Atomic uint64_t *filled;   /* [windows][blocks] number of the turn in the slot + 1 */
    char *slots;
    size_t stride; /* bytes of a piece, but for a block's last one, and of its slot */
    int windows, turns;
    int ahead;                       /* turns, from the first unsent piece's on, of which pieces may be sent */
    int free_turns;                  /* turns below this one may be written */
    bool stream;                     /* the result is larger than caches */
    struct topo_pieces_block *block; /* [blocks] in the order of `lanes` */
    MPI_Request request[TOPO_PIECES_RECEIVES + TOPO_PIECES_SENDS];
    int turn_of[TOPO_PIECES_RECEIVES + TOPO_PIECES_SENDS], block_of[TOPO_PIECES_RECEIVES + TOPO_PIECES_SENDS];
    int active;
    int write_turn; /* of the own pieces */
    int receive_turn, receive_task;
    int send_turn, send_task; /* all before were sent */
    bool *sent;               /* [TOPO_PIECES_WINDOWS_MOST][sends] some ahead of that */
    int read_turn, read_from;
};

static inline size_t topo_pieces_slot(const struct topo_pieces *run, int turn, int block)
{
    return (size_t)((run->shared->turn + (uint64_t)turn) % (uint64_t)run->windows) * (size_t)run->lanes->blocks +
           (size_t)block;
}

static inline bool topo_pieces_has(const struct topo_pieces *run, int turn, int block)
{
    return turn < run->block[block].pieces;
}

static inline size_t topo_pieces_bytes(const struct topo_pieces *run, int turn, int block)
{
    size_t left = run->block[block].bytes - (size_t)turn * run->stride;
    return left < run->stride ? left : run->stride;
}

static inline bool topo_pieces_filled(const struct topo_pieces *run, int turn, int block)
{
    return atomic_load_explicit(&run->filled[topo_pieces_slot(run, turn, block)], memory_order_acquire) ==
           run->shared->turn + (uint64_t)turn + 1;
}

static inline void topo_pieces_fill(const struct topo_pieces *run, int turn, int block)
{
    atomic_store_explicit(&run->filled[topo_pieces_slot(run, turn, block)], run->shared->turn + (uint64_t)turn + 1,
                          memory_order_release);
}

/* True when the window of `turn` may be written: everybody is through with what was there. */
bool topo_pieces_free(struct topo_pieces *run, int turn);

/* Tells the node which turns this rank has read, and has sent on what it had to. */
void topo_pieces_finish(struct topo_pieces *run);

/* The first pieces to be received and sent. */
void topo_pieces_begin(struct topo_pieces *run);

/* Posts receives and starts sends that may go; takes in what has arrived and drops what was sent. Return whether there
 * was any; an MPI error code is in *code. */
int topo_pieces_start(struct topo_pieces *run, int *code);
int topo_pieces_end(struct topo_pieces *run, int *code);

#endif
