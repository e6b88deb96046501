/* Few messages: exchanges of whole units, one step a level. After
 * topo_levels_new() with radix r a node sends to at most r - 1 others in a step
 * where units are equal, in ceil(log_r k) steps for k units: recursive doubling
 * for r = 2, a direct exchange for r >= k, and with one local rank for each
 * message the locality-aware Bruck (docs/REFERENCES.md, Node exchanges 1). Any
 * number of nodes and uneven units need no extra step: a node of a smaller unit
 * serves several lanes. */
#ifndef TOPO_PATTERNS_NODE_STEPS_H
#define TOPO_PATTERNS_NODE_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "patterns/levels.h"

enum { TOPO_NODE_STEPS_PARTS_MOST = 4 };

/* Positions first .. first + count - 1. */
struct topo_span {
    int first, count;
};

/* One message between this node and `node`. `pair` is equal on both sides and
 * small: it says which of a node's ranks send and receive it when several do. */
struct topo_node_message {
    int node, pair;
    int unit;               /* the other side's unit in the group */
    int span, spans, ranks; /* gather: span[span .. span + spans - 1] of topo_node_steps, `ranks` positions together */
};

struct topo_node_step {
    int mine, units;                    /* the group of this step: this node's unit and their number */
    int send, sends, receive, receives; /* message[send ..], message[receive ..] */
};

struct topo_node_steps {
    int count;
    struct topo_node_step *step;
    struct topo_node_message *message;
    struct topo_span *span;
    int messages, spans;
    int receives; /* in all steps */
};

/* What `node` does so that every node gets the blocks of all positions: outermost
 * level first, so that each block enters every unit of every level once. In each
 * step it sends all it holds (its own ranks' blocks at the start), the same to
 * all receivers. Spans are in the order in which their sender came to hold them: its own ranks', then those of its
 * receives, message by message. So a node that puts what it receives behind what it has sends all it has in one piece,
 * from the first byte on. Free with topo_node_steps_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_node_steps_gather(const struct topo_levels *levels, int node, struct topo_node_steps **steps);

/* What `node` does so that every node gets the sum over all nodes: innermost
 * level first. In each step it sends the sum over its own unit, receives the
 * sums of the other units of the group (one message each, ascending by `unit`)
 * and adds all up in the order of the units: so all nodes add in the same order,
 * that of positions, and get the same bits. No spans. */
enum topo_status topo_node_steps_reduce(const struct topo_levels *levels, int node, struct topo_node_steps **steps);

/* What `node` does so that node `root` gets the sum over all nodes: the spread from
 * root (bcast_tree.h) backwards. In each step one node of a group receives the sums of
 * the other units, ascending by `unit`, and adds them up with its own in the order of
 * the units: the same bits as above. A node that has sent has no more steps. No
 * spans, pair 0. */
enum topo_status topo_node_steps_collect(const struct topo_levels *levels, int root, int node,
                                         struct topo_node_steps **steps);

/* Strips into which a reduction cuts a vector of `bytes`, each with a rank of its own on every node, of which the
 * smallest has `ranks`: 1 to `ranks`. One long message to another node beats several short ones; in a single node
 * stripes are only added up, and may be short (docs/LEVELS.md, long messages). */
int topo_node_steps_ranges(size_t bytes, int nodes, int ranks);

/* True where a vector of `bytes` is one strip and short enough to lie in a node's shared memory at once, however many
 * ranks share that: such a vector can be added up whole. */
bool topo_node_steps_fits(size_t bytes, int nodes, int ranks);

/* Parts in which a strip of `bytes` goes through the steps of a sum, 1 to TOPO_NODE_STEPS_PARTS_MOST: the operands of a
 * node, of `ranks` at most, are added up in one while another is on its way. Where ranks share processors each message
 * costs more than that saves. */
int topo_node_steps_parts(size_t bytes, int ranks, bool oversubscribed);

/* NULL is harmless. */
void topo_node_steps_free(struct topo_node_steps *steps);

#endif
