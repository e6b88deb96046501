/* The forms that have a plan, and what those between nodes share. In a broadcast one rank of each node drives, the root
 * or the first one: it gets blocks from other nodes, passes them on and gives them to its node. In a reduction each
 * stripe has such a rank, which adds up its node's operands. */
#ifndef TOPO_PLAN_FORMS_H
#define TOPO_PLAN_FORMS_H

#include "catalog/algorithm.h"
#include "machine/tree.h"
#include "patterns/halving.h"
#include "patterns/levels.h"
#include "patterns/stripes.h"
#include "plan/plan.h"

/* A renumbering of the ranks: the number of one, and who has a number. Both NULL: each rank is its own number. */
struct topo_plan_numbers {
    int (*number)(const void *of, int rank), (*rank)(const void *of, int number);
    const void *of;
};

/* Packets of a sum by messages between all ranks: into how many pieces each block is cut again, how many blocks go
 * together, and how many packets are received at a time. */
struct topo_plan_packets {
    int pieces, blocks, ahead;
};

/* What a plan is made from, beside the rank that it is for. */
struct topo_plan_input {
    const struct topo_tree *tree;       /* of the communicator's ranks */
    const struct topo_levels *levels;   /* the tree's own */
    const struct topo_levels *divided;  /* of at most as many parts as parameters.radix, or topo_plan_radix(), says */
    const struct topo_halving *halving; /* this node's, for the forms of that name */
    int root, rank;                     /* a reduction for all ranks has no root: below 0 */
    size_t bytes;                       /* of the vector, at least 1; of a reduction: of one of its stripes; of an
                                           allgather: of all blocks */
    struct topo_plan_numbers numbers;   /* by rank: allgathers, sums */
    /* Sums by rank (plan/sum_ranks.h): the grid or the stripes, which the plan outlives, and whether operands are added
     * in the order of the numbers. */
    const struct topo_grid *grid;
    const struct topo_stripes *uneven;
    struct topo_plan_packets packets;
    bool ordered;
    /* Reductions: so many stripes, each of which is driven by a rank of each node, this one by the one of this number
     * in its node; bytes of an element. */
    int stripes, stripe;
    size_t element;
    int parts; /* sum_leader: of a stripe */
    /* Sums in rounds (plan/sum_lanes.c): of all-reduces and reduce-scatters by lanes each node's block has so many
     * stripes; of a chain the vector has, which goes up so many trees. */
    int trees;
    bool direct;         /* blocks travel along `levels`, else along `divided` (patterns/reduce_cut.h) */
    bool scatters;       /* each node gets its own block alone */
    bool shares;         /* the ranks of a node hand over in memory that they share; else by messages */
    bool oversubscribed; /* ranks share processors */
    struct topo_parameters parameters;
};

/* Fills a plan that is empty. Errors: TOPO_NOMEM. */
typedef enum topo_status topo_plan_function(const struct topo_plan_input *in, struct topo_plan *plan);
#define BCAST(name, ...) topo_plan_function topo_plan_bcast_##name;
#include "catalog/algorithms.def"

/* Sums: for all ranks or one, by a tree for all; for one. */
topo_plan_function topo_plan_sum_leader, topo_plan_sum_halving, topo_plan_barrier_tree;
topo_plan_function topo_plan_reduce_trees, topo_plan_reduce_circulant;
/* In rounds. */
topo_plan_function topo_plan_sum_lanes, topo_plan_reduce_chain;

/* By id, of the rows that have a plan; else NULL. */
topo_plan_function *topo_plan_of(enum topo_algorithm_id id);

/* The radix of its levels where no parameter says so; 0: that of its plan, which is, on the tree's own levels: */
int topo_plan_radix_of(enum topo_algorithm_id id);
int topo_plan_radix(topo_plan_function *form, const struct topo_levels *levels);

/* Whether the numbers of a form's ranks are their places in the tree. */
bool topo_plan_is_in_tree_order(enum topo_algorithm_id id);

/* Whether a form is a sum in rounds: then all ranks drive. */
static inline bool topo_plan_sums_in_rounds(topo_plan_function *form)
{
    return form == topo_plan_sum_lanes || form == topo_plan_reduce_chain;
}

/* Whether a form goes by `halving`. */
bool topo_plan_is_halving(topo_plan_function *form);

/* Begins a plan of a vector that is cut into these segments; of a reduction, in elements. */
void topo_plan_cut(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_pipeline cut);

/* Begins that of a sum whose blocks are counted: how long they are is bound later (struct topo_plan.cut.bytes and
 * element), or now where in->element is not 0. */
void topo_plan_cut_sum(const struct topo_plan_input *in, struct topo_plan *plan);

/* All segments from, or to, the rank that drives another node, as in a tree or chain of nodes. */
enum topo_status topo_plan_receive_all(const struct topo_plan_input *in, struct topo_plan *plan, int node);
enum topo_status topo_plan_send_all(const struct topo_plan_input *in, struct topo_plan *plan, int node);

/* Inside the node: tasks by which the driver gives all blocks to the others in the order of the vector, or another rank
 * gets them from it; in the order of a task with these turns, which is all but its kind, windows and peer. */
enum topo_status topo_plan_give_node(const struct topo_plan_input *in, struct topo_plan *plan);
enum topo_status topo_plan_give_turns(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_task task,
                                      const struct topo_turn *turn, int turns);

/* The same where the only blocks that a driver receives are all of them, in the vector's order. */
enum topo_status topo_plan_pass_on(const struct topo_plan_input *in, struct topo_plan *plan);

/* The number of the rank; who has a number. */
static inline int topo_plan_number(const struct topo_plan_input *in)
{
    return in->numbers.number ? in->numbers.number(in->numbers.of, in->rank) : in->rank;
}

static inline int topo_plan_rank_at(const struct topo_plan_input *in, int number)
{
    return in->numbers.rank ? in->numbers.rank(in->numbers.of, number) : number;
}

/* The node of the rank, and the one of the root; the rank that drives a node. */
static inline int topo_plan_node(const struct topo_plan_input *in)
{
    return topo_tree_node_of(in->tree, in->rank);
}

static inline int topo_plan_root_node(const struct topo_plan_input *in)
{
    return topo_tree_node_of(in->tree, in->root);
}

static inline int topo_plan_driver(const struct topo_plan_input *in, int node)
{
    if (in->stripes > 0)
        return topo_tree_rank(in->tree, in->levels->start[node] + in->stripe);
    return node == topo_plan_root_node(in) ? in->root : topo_tree_rank(in->tree, in->levels->start[node]);
}

static inline bool topo_plan_drives(const struct topo_plan_input *in)
{
    return in->rank == topo_plan_driver(in, topo_plan_node(in));
}

#endif
