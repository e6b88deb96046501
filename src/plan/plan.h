/* A plan: what one rank does in one call of an algorithm. It is made without MPI, run by coll/engine/, and proved by
 * running the plans of all ranks against each other (tests/unit/check_forms.c).
 *
 * The vector is cut into blocks, numbered from 0 on. A task handles blocks one after the other: at position p it takes
 * turn p mod `turns` of its own, whose peer and block these are, the block `stride` further each time all turns are
 * through. So a ring, a window or a stream of segments is one task, however many blocks there are, and a plan has
 * O(log nodes + ranks of a node) of them. A task begins its positions in order; it waits for none of another task but
 * for the block that it needs (and `after`): what arrives first goes on first. A plan of few messages runs in steps
 * instead, task by task (`in_order`), which takes less of the processor's time.
 *
 * Of a reduction the blocks are sums of what a node's ranks hand in, and of what is received and added; plans of ranks
 * that send and receive nothing are empty.
 *
 * Long vectors go in rounds (struct topo_plan.rounds): each has the next segment of every part of the vector, which
 * lies in a window of memory that the ranks of a node share. A rank begins a round once all of its node are through
 * with the one that was in its window before. Of a reduction all ranks GIVE their operands there; those that drive a
 * block ADD them up, add what is received as it comes, as far as the order of additions allows, and send the sum on;
 * where a total is the ranks of the node TAKE it.
 *
 * Of an exchange (`pairs`) there are two blocks for each rank: what it sends to this one, then what this one sends to
 * it. How long they are the call alone knows, and messages may go in segments.
 *
 * Example: rank 1 of a chain of three ranks, one on each node, has two tasks: RECEIVE {0, block 0}, SEND {2, block 0},
 * both of stride 1. With shared memory and more ranks on its node it also has GIVE; these ranks have TAKE alone.
 */
#ifndef TOPO_PLAN_PLAN_H
#define TOPO_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "patterns/grid.h"
#include "patterns/levels.h"
#include "patterns/limits.h"
#include "patterns/node_steps.h"
#include "patterns/pipeline.h"
#include "patterns/trees.h"

enum topo_task_kind {
    TOPO_TASK_RECEIVE, /* blocks from a peer */
    TOPO_TASK_SEND,    /* blocks that are here to a peer */
    TOPO_TASK_GIVE,    /* blocks that are here to the ranks of the node, through the memory that they share; of sums in
                          rounds this rank's operands for a round, turns in the order in which they are wanted */
    TOPO_TASK_TAKE,    /* what another rank of the node gives */
    TOPO_TASK_ADD      /* sums in rounds: adds up what all ranks of the node have given */
};

/* All ranks in an order of each rank's own, or the first one of each node: message i goes to, or comes from, i nodes
 * further, for each rank of a node from another start on, so that the links of all nodes are busy in both directions
 * all the time. The tree and the levels outlive the plan. */
struct topo_round {
    const struct topo_tree *tree;
    const struct topo_levels *levels;
    int node, local; /* this rank's node, and its number in it */
    bool firsts;     /* the first ranks of nodes alone; a number is that of a node, else of a rank */
};

/* Of an exchange in steps: bytes offset .. offset + bytes - 1 of a block that had `whole` of them when the steps were
 * made, and those before it in other parts. */
struct topo_plan_part {
    int64_t offset, bytes, whole, before;
    int block;
};

/* Blocks block .. block + blocks - 1 of the first period, from or to a rank. They may go round where periods do. */
struct topo_turn {
    int peer, block, blocks;
};

struct topo_task {
    enum topo_task_kind kind;
    int tag;         /* 0 .. TOPO_PLAN_TAGS - 1: sends and receives between two ranks pair off within a tag */
    int turn, turns; /* in the plan's list */
    int stride;      /* blocks; 0: one period is all. Turns of a task with a stride bring the same block, or it is
                        `circulant` */
    int periods;     /* so many, whose blocks go round: after the last one comes block 0; 0: as blocks last */
    int among;       /* not 0: they go round among so many, those from a multiple of it on where the turn's are */
    int each;  /* a turn's blocks go so many at a time, in as many positions as that takes; 0: all at once. All turns of
                  such a task have as many blocks */
    bool xors; /* instead of a sum, block and period make an exclusive or, as in recursive doubling */
    bool backwards; /* positions run down */
    bool circulant; /* positions are its rounds and turns those of a phase (patterns/circulant.h): a block below 0 is no
                       message, and one beyond the last is the last one */
    bool round;     /* a position for all that are in plan->round, whose number is added to the block of the turn */
    bool flows;     /* pairs: a message's segments go one after the other, and the next one begins when any has gone;
                       else all are under way together */
    int window;     /* positions under way at a time, at most, ... */
    int few_bytes;  /* ... or, of a task that flows, more of them as long as they are fewer bytes */
    int awaited;    /* SEND: in the last of so many periods it begins when its receiver is ready; 0: never */
    /* SEND and GIVE begin, what is received is added or written into its place, once so many positions on its blocks
     * are over, of whichever task; TOPO_PLAN_ALL: once all are here. */
    int needs;
    /* RECEIVE of sums: so many turns in a row bring the same blocks, and are added in one pass, in their order, with
     * the node's own sum as operand `own` of these. 0: what comes is the total. */
    int joined, own;
    int after; /* of this task, or TOPO_PLAN_NO_TASK, ... */
    int lag;   /* ... all positions are over but for this many before the same one */
};

/* Of sums in rounds: what the turn of this number brings, an operand of its block's sum, if it is one of ADD or of a
 * RECEIVE that adds; the total; or, of SEND, what it sends. Where all operands have been added the sum is there. */
struct topo_operand {
    int into;  /* the turn to whose operand it is added once all that are added to it have been; or as below. SEND: the
                  turn in whose place the partial sum is, or TOPO_PLAN_TOTAL */
    int first; /* what is added to it first; TOPO_PLAN_NONE: nothing */
    int next;  /* what is added after it to the same; of a sum, or total, the first turn that sends it, of SEND the next
                  one that does; TOPO_PLAN_NONE: none */
};

/* Whose operands a rank gets the sum of, where that is not all ranks': those of the ranks up to it, or before it. */
enum topo_scans { TOPO_SCANS_NONE, TOPO_SCANS_TO, TOPO_SCANS_BEFORE };

enum {
    TOPO_PLAN_NONE = -1,    /* `first`, `next` */
    TOPO_PLAN_PARTIAL = -1, /* `into`: it becomes the sum of some nodes, ... */
    TOPO_PLAN_TOTAL = -2    /* ... or of all, in the place of the total */
};

enum {
    TOPO_PLAN_STREAM = TOPO_TREES_MOST, /* the first tag of two sets of streams (patterns/limits.h) */
    TOPO_PLAN_TAGS = TOPO_PLAN_STREAM + 2 * TOPO_STREAMS,
    TOPO_PLAN_CUTS = TOPO_GRID_DIMS_MAX + 1,
    TOPO_PLAN_ALL = -1, /* `needs` */
    TOPO_PLAN_NO_TASK = -1,
    TOPO_PLAN_WHOLE = -(1 << 30) /* a lag: that task is over */
};

struct topo_plan {
    struct topo_task *task;
    struct topo_turn *turn;
    int tasks, turns, task_room, turn_room;
    bool has_all;   /* blocks are here from the start: on the root */
    int own, owns;  /* else blocks own .. own + owns - 1 are, ... */
    bool again;     /* ... which come once more, until when only what needs nothing may have them */
    int lies_first; /* the block with which the vector begins, the others follow, round: what travels is in one piece */
    bool sums;      /* blocks are sums, and one is here when all that comes has been added */
    bool everywhere; /* sums: all ranks that drive have the total in the end, not the root's node alone */
    bool ordered;    /* sums: what is added to each other is of ranks next to each other, in their order */
    enum topo_scans scans; /* sums: blocks are those of plan/scan.h, and what is received may be another one */
    /* Tasks run step by step: one begins when its `after` and all before that are over, and what it receives is added
     * when all before it are; what is received after no other at once. They need nothing else, and have no stride. */
    bool in_order;
    bool adds_ahead; /* the node's own operands are added to a block while what comes is on its way */
    /* The vector is one for all ranks of the node, in memory that they share: what one of them gives is there for all.
     * In steps TAKE waits until all up to the end of its blocks is. The node's own blocks lie first, each given by its
     * rank; of others none is given before those of the steps before it. Else it goes in rounds. */
    bool node_vector;
    /* Where not 0, so many times `period` blocks go, which is every task's stride, each time the next segments of them,
     * numbered on. Of the rounds as many as there are `windows` lie in the node's memory at a time: a block is given,
     * or received, when all of the node are through with what lay there; TAKE copies it out, of its window first what
     * is there first. Sends, of sums receives of operands, are from so many rounds at a time as they may be `ahead`; 0:
     * from all. */
    int rounds, windows, ahead, period;
    int in_place;                 /* sums: the first so many blocks of a round are added up where their totals are */
    struct topo_operand *operand; /* sums: by turn */
    int operand_room;
    bool synchronous; /* all sends begin when their receivers are ready */
    bool lands;       /* blocks come in the order in which they are given, and are received where the node finds them */
    int at_once;      /* sends under way at a time over all tasks; 0: as many as windows allow */
    struct topo_span *order; /* [orders] where not NULL, blocks are places in the vector, and in these, one after the
                                other, lie the blocks of these numbers */
    int orders, order_room;
    struct topo_pipeline cut; /* into segments, ... */
    int shares;               /* ... or, where not 0, into so many blocks (patterns/halving.h) ... */
    int ranks;                /* ... or one for each of so many ranks: of equal lengths, unless the call has its own */
    int cuts, into[TOPO_PLAN_CUTS]; /* ... or so often, each block into into[i] again, as topo_block_of() does */
    bool pairs; /* of `ranks`: what half as many ranks send to this one, then what it sends to each, ... */
    int self;   /* ... this one, which is none of a round, by number ... */
    struct topo_plan_part *part; /* ... and, behind them, parts of these, where there are steps */
    int parts, part_room;
    size_t segment; /* pairs: bytes of the segments in which messages go, ... */
    size_t whole;   /* ... but for those of more bytes than this; 0: all do */
    struct topo_round round;
    size_t element; /* bytes of what cut.bytes counts; 0: it is bytes */
};

/* An empty plan in the place of one that may own memory, which it keeps. All zero bytes are an empty plan, too. */
void topo_plan_clear(struct topo_plan *plan);
void topo_plan_free(struct topo_plan *plan);

/* One more task like this one, with no turn as yet; one more turn of the last task. Errors: TOPO_NOMEM. */
enum topo_status topo_plan_add(struct topo_plan *plan, struct topo_task task);
enum topo_status topo_plan_add_turn(struct topo_plan *plan, struct topo_turn turn);

/* The same with all its turns; with its only one. */
enum topo_status topo_plan_add_turns(struct topo_plan *plan, struct topo_task task, const struct topo_turn *turn,
                                     int turns);
enum topo_status topo_plan_add_one(struct topo_plan *plan, struct topo_task task, struct topo_turn turn);

/* The blocks that lie next in the vector's order. Errors: TOPO_NOMEM. */
enum topo_status topo_plan_add_span(struct topo_plan *plan, struct topo_span span);

/* The number of the block in a place. */
int64_t topo_plan_number_in(const struct topo_plan *plan, int64_t place);

/* One more part, which has a block of its own. Errors: TOPO_NOMEM. */
enum topo_status topo_plan_add_part(struct topo_plan *plan, struct topo_plan_part part);

/* Operands for all turns, added to nothing. Errors: TOPO_NOMEM. */
enum topo_status topo_plan_add_operands(struct topo_plan *plan);

/* Binds a sum in rounds to a call, of so many rounds and windows. */
void topo_plan_bind_rounds(struct topo_plan *plan, int rounds, int windows);

/* Positions of a task that are under way at a time, at most. */
static inline int topo_plan_window(const struct topo_plan *plan, const struct topo_task *task)
{
    const int most = plan->rounds > 0 && task->each == 0 ? task->turns * plan->windows : task->window;
    return task->window < most ? task->window : most;
}

/* What a task receives is added to what is here. */
static inline bool topo_plan_adds(const struct topo_plan *plan, const struct topo_task *task)
{
    return plan->sums && task->kind == TOPO_TASK_RECEIVE && task->joined > 0;
}

/* Of a message of `bytes`, how long the segment is that begins at `offset`: the same at both ends; 0: none does. */
static inline size_t topo_plan_segment(const struct topo_plan *plan, size_t bytes, size_t offset)
{
    const size_t rest = bytes > offset ? bytes - offset : 0;
    return (plan->whole > 0 && bytes > plan->whole) || rest < plan->segment ? rest : plan->segment;
}

/* Cuts each block, at first the whole vector, into so many. */
static inline void topo_plan_cut_again(struct topo_plan *plan, int blocks)
{
    plan->cut.segments = (plan->cuts > 0 ? plan->cut.segments : 1) * (size_t)blocks;
    plan->into[plan->cuts++] = blocks;
}

/* How many blocks a vector of cut.bytes has; where one begins, block == blocks: the vector's end; how long blocks are
 * that may go round. */
int64_t topo_plan_blocks(const struct topo_plan *plan);
size_t topo_plan_offset(const struct topo_plan *plan, int64_t block);
size_t topo_plan_length(const struct topo_plan *plan, int64_t first, int count);

#endif
