/* Few messages: exchanges of whole units, one round a level. After
 * topo_levels_new() with radix r a node sends to at most r - 1 others in a round
 * where units are equal, in ceil(log_r k) rounds for k units: recursive doubling
 * for r = 2, a direct exchange for r >= k, and with one local rank for each
 * message the locality-aware Bruck algorithm (Bienz, Gautam, Kharel 2022). Any
 * number of nodes and uneven units need no extra step: a node of a smaller unit
 * serves several lanes. */
#ifndef TOPO_PATTERNS_NODE_STEPS_H
#define TOPO_PATTERNS_NODE_STEPS_H

#include <stddef.h>

#include "patterns/levels.h"

/* Positions first .. first + count - 1. */
struct topo_span {
    int first, count;
};

/* One message between this node and `node`. `channel` is equal on both sides and
 * small: it says which of a node's ranks send and receive it when several do. */
struct topo_round_message {
    int node, channel;
    int unit;               /* the other side's unit in the group */
    int span, spans, ranks; /* gather: span[span .. span + spans - 1] of topo_rounds, `ranks` positions together */
};

struct topo_round {
    int mine, units;                    /* the group of this round: this node's unit and their number */
    int send, sends, receive, receives; /* message[send ..], message[receive ..] */
};

struct topo_rounds {
    int count;
    struct topo_round *round;
    struct topo_round_message *message;
    struct topo_span *span;
    int messages, spans;
    int receives; /* in all rounds */
};

/* What `node` does so that every node gets the blocks of all positions: outermost
 * level first, so that each block enters every unit of every level once. In each
 * round it sends all it holds (its own ranks' blocks at the start), the same to
 * all receivers. Spans ascend. Free with topo_rounds_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_rounds_gather(const struct topo_levels *levels, int node, struct topo_rounds **rounds);

/* What `node` does so that every node gets the sum over all nodes: innermost
 * level first. In each round it sends the sum over its own unit, receives the
 * sums of the other units of the group (one message each, ascending by `unit`)
 * and adds all up in the order of the units: so all nodes add in the same order,
 * that of positions, and get the same bits. No spans. */
enum topo_status topo_rounds_reduce(const struct topo_levels *levels, int node, struct topo_rounds **rounds);

/* What `node` does so that node `root` gets the sum over all nodes: the spread from
 * root (bcast_tree.h) backwards. In each round one node of a group receives the sums of
 * the other units, ascending by `unit`, and adds them up with its own in the order of
 * the units: the same bits as above. A node that has sent has no more rounds. No
 * spans, channel 0. */
enum topo_status topo_rounds_collect(const struct topo_levels *levels, int root, int node, struct topo_rounds **rounds);

/* Strips into which a reduction cuts a vector of `bytes`, each with a rank of its own on every node, of which the
 * smallest has `ranks`: 1 to `ranks`. One long message to another node beats several short ones; in a single node
 * strips are only added up, and may be short (docs/LEVELS.md, long messages). */
int topo_rounds_strips(size_t bytes, int nodes, int ranks);

/* NULL is harmless. */
void topo_rounds_free(struct topo_rounds *rounds);

#endif
