/* Between the files of prices: the ranks that one looks at and their plans, the links between them, and what nodes do
 * in their memory. */
#ifndef TOPO_MODEL_PRICE_PARTS_H
#define TOPO_MODEL_PRICE_PARTS_H

#include "model/params.h"
#include "plan/forms.h"
#include "plan/run.h"

static inline double topo_later(double a, double b)
{
    return a > b ? a : b;
}

/* Of a task, by position from `first` on: when it began, and when it ends; below 0: its other end has not met it. GIVE:
 * it ends when the driver is through with it, and is taken when all ranks of its node have it. */
struct topo_price_times {
    int64_t first;
    double *begin, *end, *taken;
    double took; /* all messages */
};

/* A rank that does more than take what its node is given; of a reduction the one that drives the first stripe. */
struct topo_price_rank {
    const struct topo_plan *plan;
    struct topo_plan made; /* unless it is given */
    struct topo_plan_run run;
    int rank;
    int others;                     /* ranks of its node that it stands for */
    int gives;                      /* its task that gives; -1: none */
    struct topo_price_times *times; /* by task */
    double *here;                   /* by block: when it had come; below 0: a sum without the node's own operands */
    double added, worked;           /* when it had added up what it had to add, and the seconds that took */
    double
        *there; /* of the first rank of a node, by block of the node's vector: when it was given; below 0: it was not */
    void *memory; /* of the run and of times; what these point to lies behind `here` */
};

struct topo_price_ranks {
    const struct topo_tree *tree;
    struct topo_levels *levels;
    struct topo_price_rank *at; /* [count], with room for all ranks */
    int *number;                /* [ranks] in at[]; -1: not there */
    int count;
    bool alike;                       /* the first node stands for all, and its ranks for those in their places */
    int64_t blocks;                   /* of the rank that has most */
    double *offset;                   /* [blocks + 1] bytes before a block */
    double left_out, blocks_left_out; /* of the vector, for each byte that is looked at; in whole segments */
    int periods_left_out;             /* of a ring */
};

/* Makes their plans, and begins to run them; `alike`: of one node only, where these and
 * all nodes are as large. Free with topo_price_ranks_free() in any case. Errors: TOPO_NOMEM. */
enum topo_status topo_price_ranks_make(const struct topo_tree *tree, topo_plan_function *form,
                                       const struct topo_plan_input *call, bool alike, struct topo_price_ranks *ranks);

/* The same of plans of all ranks, with all their blocks. */
enum topo_status topo_price_ranks_take(const struct topo_tree *tree, const struct topo_plan *plan,
                                       const struct topo_plan_input *call, struct topo_price_ranks *ranks);
void topo_price_ranks_free(struct topo_price_ranks *ranks);

/* The rank that stands for the vector, or the windows, of a rank's node: its first one, NULL where that has no plan. */
struct topo_price_rank *topo_price_vector_of(const struct topo_price_ranks *ranks, const struct topo_price_rank *its);

/* Whether others than a task itself may wait for it to send. */
bool topo_price_is_waited_for(const struct topo_plan *plan, int task);

/* Position `sent` of a task and the one that receives it; both have begun at `begin`. Their ranks share so many outer
 * levels. */
struct topo_price_message {
    struct topo_price_rank *from, *to;
    int sends, receives, shared;
    int64_t sent, received;
    double bytes, begin, end;
};

/* The links of a machine, each message with so many stripes; `alike`: what units outside nodes share is shared by as
 * many nodes as they have, of which the messages of one are told. */
struct topo_price_links;
enum topo_status topo_price_links_new(const struct topo_tree *tree, const struct topo_params *params, int stripes,
                                      bool alike, struct topo_price_links **links);
void topo_price_links_free(struct topo_price_links *links);

/* A message starts, at `begin`, no earlier than the one that ended last; false: memory is out. The next one that ends;
 * false: there is none, or topo_price_links_failed(): memory is out. */
bool topo_price_links_start(struct topo_price_links *links, const struct topo_price_message *message);
bool topo_price_links_next(struct topo_price_links *links, struct topo_price_message *ended);
bool topo_price_links_failed(const struct topo_price_links *links);

/* Seconds for which the busiest link, or core, was taken so far. */
double topo_price_links_busy(const struct topo_price_links *links);

/* Seconds of work in the memory of nodes. */
struct topo_price_memory {
    double copy, copies; /* of a byte: that a rank of each node copies, that all do */
    double flag;         /* until all ranks of a node know that something is there */
    double own, add;     /* of a byte of a stripe: all operands of a node, what came from another one */
    double start, end;   /* before the first block, and after the last one */
};
enum topo_status topo_price_memory_of(const struct topo_tree *tree, const struct topo_params *params,
                                      const struct topo_levels *levels, const struct topo_plan_input *call,
                                      struct topo_price_memory *memory);

#endif
