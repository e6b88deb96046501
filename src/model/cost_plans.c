/* Costs of the forms that have plans: their prices. */
#include <float.h>

#include "base/memory.h"
#include "model/allreduce_shape.h"
#include "model/cost_parts.h"
#include "model/price.h"
#include "patterns/node_steps.h"
#include "plan/gather.h"
#include "plan/scan.h"
#include "plan/sum_ranks.h"

static struct topo_plan_input call_of(const struct topo_cost_input *in, size_t bytes)
{
    const int most = topo_tree_node_ranks_most(in->tree);
    return (struct topo_plan_input){.bytes = bytes > 0 ? bytes : 1,
                                    .root = topo_cost_root(in),
                                    .shares = true,
                                    .oversubscribed = topo_params_oversubscribed(in->params, in->tree->ranks, most),
                                    .parameters = in->call->parameters};
}

static double bcast(const struct topo_cost_input *in, topo_plan_function *form)
{
    const struct topo_plan_input call = call_of(in, in->call->bytes);
    return topo_price(in->tree, in->params, form, &call);
}

/* -- between all ranks ------------------------------------------------------ */

/* RANKS_MOST: among which each message is looked at; PACKETS_MOST: of a block. */
enum { RANKS_MOST = 64, PACKETS_MOST = 4, ELEMENT = 8 /* bytes; vectors of sums are of doubles here */ };

/* The ranks by number, and the other way round. */
struct numbered {
    const struct topo_numbers *order;
    int *number;
};

static int number_of(const void *of, int rank)
{
    return ((const struct numbered *)of)->number[rank];
}

static int rank_with_number(const void *of, int number)
{
    return topo_numbers_at(((const struct numbered *)of)->order, number);
}

/* How a row numbers them. False when memory is out. */
static bool number_ranks(const struct topo_cost_input *in, enum topo_algorithm_id id, struct numbered *numbered,
                         struct topo_plan_numbers *numbers)
{
    const int ranks = in->tree->ranks;
    *numbered = (struct numbered){.order = in->order};
    *numbers = (struct topo_plan_numbers){NULL, NULL, NULL};
    if (topo_algorithm(id)->graph == TOPO_GRAPH_NONE && !topo_plan_is_in_tree_order(id))
        return true;
    numbered->number = topo_alloc((size_t)ranks, sizeof *numbered->number);
    for (int number = 0; number < ranks && numbered->number; number++)
        numbered->number[topo_numbers_at(in->order, number)] = number;
    *numbers = (struct topo_plan_numbers){number_of, rank_with_number, numbered};
    return numbered->number;
}

/* The price of a form by rank; more bytes than `most` take as much longer. Sums go in packets. */
static double by_rank(const struct topo_cost_input *in, topo_plan_function *form, struct topo_plan_input *call,
                      double most)
{
    const double longer = (double)call->bytes > most ? (double)call->bytes / most : 1;
    call->bytes = longer > 1 ? (size_t)most / ELEMENT * ELEMENT : call->bytes;
    if (call->element > 0)
        call->packets = topo_plan_packets_of(topo_plan_sum_blocks(form, in->tree->ranks, call), call->bytes / ELEMENT,
                                             ELEMENT, TOPO_PACKET_MOST / ELEMENT);
    const double seconds = topo_price(in->tree, in->params, form, call);
    return seconds < 0 ? seconds : seconds * longer;
}

/* Of blocks of so many bytes. Short ones whose places in the vector are not their numbers are put in order at the end.
 */
static double gather(const struct topo_cost_input *in, enum topo_algorithm_id id)
{
    topo_plan_function *form = topo_plan_of(id);
    const size_t bytes = in->call->bytes > 0 ? in->call->bytes : 1, all = bytes * (size_t)in->tree->ranks;
    struct topo_plan_input call = call_of(in, all);
    struct numbered numbered;
    double seconds = -1;
    call.root = -1;
    /* Many long blocks, each a message by itself, take as long as in the steps of short ones. */
    const bool many = topo_plan_is_by_rank(form) && form != topo_plan_gather_ring && in->tree->ranks > RANKS_MOST;
    if (number_ranks(in, id, &numbered, &call.numbers))
        seconds =
            by_rank(in, form, &call, many ? (TOPO_PLAN_APART_BYTES - ELEMENT) * (double)in->tree->ranks : DBL_MAX);
    topo_free(numbered.number);
    const bool orders = topo_plan_is_by_rank(form) && !topo_plan_is_apart(id, bytes) &&
                        id != TOPO_ALGORITHM_allgather_recursive_doubling &&
                        id != TOPO_ALGORITHM_allgather_recursive_doubling_exch;
    return seconds < 0 || !orders ? seconds : seconds + in->params->copy * (double)in->call->bytes * in->tree->ranks;
}

/* The shape that the library takes for this size; shapes are worked out for powers of two. */
static bool find_shape(const struct topo_cost_input *in, enum topo_allreduce_shape_kind kind,
                       struct topo_stripes *stripes, struct topo_allreduce_shape *shape)
{
    size_t asked = 1;
    while (asked <= in->call->bytes / 2)
        asked *= 2;
    return topo_stripes_of(in->tree, stripes) == TOPO_OK &&
           topo_allreduce_shape_choose(in->tree, in->params, stripes, kind, asked, false, shape, NULL) == TOPO_OK;
}

static double sum_by_rank(const struct topo_cost_input *in, enum topo_algorithm_id id)
{
    topo_plan_function *form = topo_plan_of(id);
    TOPO_SCOPED_BY(topo_stripes_free) struct topo_stripes stripes = {0};
    struct topo_allreduce_shape shape = {0};
    struct topo_plan_input call = call_of(in, in->call->bytes);
    struct numbered numbered;
    double seconds = -1;
    if (form == topo_plan_sum_grid &&
        !find_shape(in, id == TOPO_ALGORITHM_allreduce_cyclic ? TOPO_SHAPE_CYCLIC : TOPO_SHAPE_MIXED, &stripes, &shape))
        return -1;
    form = shape.stripes ? topo_plan_sum_stripes : form;
    call.root = -1;
    call.element = ELEMENT;
    call.grid = &shape.grid;
    call.uneven = &stripes;
    const int blocks = topo_plan_sum_blocks(form, in->tree->ranks, &call);
    size_t count = (call.bytes - 1) / ELEMENT + 1;
    if (in->tree->ranks > RANKS_MOST && count < (size_t)blocks) /* nodes are alike where no block is empty */
        count = (size_t)blocks;
    call.bytes = count * ELEMENT;
    if (number_ranks(in, id, &numbered, &call.numbers))
        seconds = by_rank(in, form, &call, (double)blocks * PACKETS_MOST * TOPO_PACKET_MOST);
    topo_free(numbered.number);
    return seconds;
}

/* -- between nodes ---------------------------------------------------------- */

/* Who gets a sum. */
enum share { ALL, ROOT, PART };

/* A sum between nodes of elements of 8 bytes, all stripes together. What does not fit a node's memory goes segment by
 * segment, but for what is a stream of segments anyway. */
static double sum(const struct topo_cost_input *in, topo_plan_function *form, size_t bytes, enum share share)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        return -1;
    const bool whole = form == topo_plan_reduce_trees || form == topo_plan_reduce_circulant;
    const size_t most = whole ? SIZE_MAX : topo_sum_segment(levels->ranks_most),
                 segments = bytes > most ? (bytes - 1) / most + 1 : 1;
    struct topo_plan_input call = call_of(in, bytes / segments);
    call.root = share == ROOT ? call.root : -1;
    call.scatters = share == PART;
    call.element = ELEMENT;
    call.stripes = topo_cost_node_sum_of(in, levels, (double)call.bytes).stripes;
    call.bytes = ((call.bytes - 1) / (size_t)call.stripes / ELEMENT + 1) * ELEMENT;
    call.parts =
        form == topo_plan_sum_leader ? topo_node_steps_parts(call.bytes, levels->ranks_most, call.oversubscribed) : 1;
    const double seconds = topo_price(in->tree, in->params, form, &call);
    return seconds < 0 ? seconds : seconds * (double)segments;
}

/* A sum for all of one element, which is nothing to speak of. */
static double barrier(const struct topo_cost_input *in, enum topo_algorithm_id id)
{
    struct topo_plan_input call = call_of(in, 0);
    call.root = -1;
    call.stripes = call.parts = 1;
    call.element = 1;
    call.parameters.radix = (size_t)topo_given(call.parameters.radix, topo_plan_radix_of(id));
    return topo_price(in->tree, in->params, topo_plan_of(id), &call);
}

/* Lengths travel ahead of the blocks, which begin one message later. */
static double lengths(const struct topo_cost_input *in)
{
    topo_load_message(in->load, topo_tree_rank(in->tree, in->tree->ranks - 1), topo_tree_rank(in->tree, 0), 8);
    return topo_load_step(in->load);
}

/* Of a block of so many bytes to, or from, each rank. */
static double rooted(const struct topo_cost_input *in, enum topo_algorithm_id id)
{
    struct topo_plan_input call = call_of(in, in->call->bytes * (size_t)in->tree->ranks);
    const bool varies = id == TOPO_ALGORITHM_gatherv_leader || id == TOPO_ALGORITHM_scatterv_leader;
    call.shares = false;
    const double blocks = topo_price(in->tree, in->params, topo_plan_of(id), &call);
    return blocks < 0 || !varies ? blocks : blocks + lengths(in);
}

/* Of elements of 8 bytes; in the end each rank adds what is before its node. */
static double scan(const struct topo_cost_input *in, topo_plan_function *form)
{
    const size_t bytes = in->call->bytes;
    struct topo_plan_input call = call_of(in, (bytes + ELEMENT - 1) / ELEMENT * ELEMENT);
    call.element = ELEMENT;
    call.shares = false;
    const double seconds = topo_price(in->tree, in->params, form, &call);
    return seconds < 0 ? seconds : seconds + in->params->gamma * (double)bytes;
}

static double of_plan(const struct topo_cost_input *in, enum topo_algorithm_id id)
{
    const size_t most = (size_t)1 << 40; /* what is longer takes as much longer: its bytes would be no numbers */
    if (in->call->bytes > most) {
        struct topo_cost_input its = *in;
        struct topo_cost_call call = *in->call;
        its.call = &call;
        call.bytes = most;
        return of_plan(&its, id) * ((double)in->call->bytes / (double)most);
    }
    topo_plan_function *form = topo_plan_of(id);
    const enum topo_operation operation = topo_algorithm(id)->operation;
    const size_t bytes = in->call->bytes, all = bytes * (size_t)in->tree->ranks;
    switch (operation) {
    case TOPO_OPERATION_barrier: return barrier(in, id);
    case TOPO_OPERATION_bcast: return bcast(in, form);
    case TOPO_OPERATION_scan:
    case TOPO_OPERATION_exscan: return scan(in, form);
    case TOPO_OPERATION_allgather:
    case TOPO_OPERATION_allgatherv: return form == topo_plan_gather_lanes ? topo_cost_gather_lanes(in) : gather(in, id);
    case TOPO_OPERATION_allreduce:
        if (topo_plan_sums_by_rank(form))
            return sum_by_rank(in, id);
        return form == topo_plan_sum_lanes ? topo_cost_sum_lanes(in, bytes, false) : sum(in, form, bytes, ALL);
    case TOPO_OPERATION_reduce:
        return form == topo_plan_reduce_chain ? topo_cost_chain(in) : sum(in, form, bytes, ROOT);
    case TOPO_OPERATION_reduce_scatter:
    case TOPO_OPERATION_reduce_scatter_block:
        return form == topo_plan_sum_lanes ? topo_cost_sum_lanes(in, all, true) : sum(in, form, all, PART);
    case TOPO_OPERATION_alltoall:
    case TOPO_OPERATION_alltoallv: /* the steps of others are the schedulers' to say (schedule/scheduler.h) */
        return form               ? topo_cost_exchange(in, form)
               : in->call->matrix ? -1
                                  : topo_cost_pairwise(in); /* any scheduler's, of equal messages */
    default: return rooted(in, id);
    }
}

bool topo_cost_is_quick(enum topo_algorithm_id id, int ranks, int nodes, bool even)
{
    enum { IN_MEMORY_MOST = 256, HALVING_MOST = 128, WORK_MOST = 1 << 13, DRIVEN_MOST = 1 << 17, NODES_MOST = 1024 };
    topo_plan_function *form = topo_plan_of(id);
    if (!form)
        return true;
    if (topo_plan_is_halving(form) && nodes > HALVING_MOST)
        return false;
    if (topo_plan_is_by_rank(form) || topo_plan_sums_by_rank(form))
        return even || ranks <= RANKS_MOST;
    if (form == topo_plan_gather_radix)
        return even || ranks <= IN_MEMORY_MOST;
    if (form == topo_plan_gather_leader || form == topo_plan_sum_lanes)
        return even || (size_t)ranks * (size_t)nodes <= (form == topo_plan_sum_lanes ? WORK_MOST : DRIVEN_MOST);
    return even || nodes <= NODES_MOST;
}

#define OF_PLAN(operation, name) \
    double topo_cost_##operation##_##name(const struct topo_cost_input *in) \
    { \
        return of_plan(in, TOPO_ALGORITHM_##operation##_##name); \
    }
#define ALLGATHER(name, ...) OF_PLAN(allgather, name)
#define ALLGATHERV(name, ...) OF_PLAN(allgatherv, name)
#define ALLREDUCE(name, ...) OF_PLAN(allreduce, name)
#define ALLTOALL(name, ...) OF_PLAN(alltoall, name)
#define ALLTOALLV(name, ...) OF_PLAN(alltoallv, name)
#define BARRIER(name, ...) OF_PLAN(barrier, name)
#define BCAST(name, ...) OF_PLAN(bcast, name)
#define EXSCAN(name, ...) OF_PLAN(exscan, name)
#define GATHER(name, ...) OF_PLAN(gather, name)
#define GATHERV(name, ...) OF_PLAN(gatherv, name)
#define REDUCE(name, ...) OF_PLAN(reduce, name)
#define REDUCE_SCATTER(name, ...) OF_PLAN(reduce_scatter, name)
#define REDUCE_SCATTER_BLOCK(name, ...) OF_PLAN(reduce_scatter_block, name)
#define SCAN(name, ...) OF_PLAN(scan, name)
#define SCATTER(name, ...) OF_PLAN(scatter, name)
#define SCATTERV(name, ...) OF_PLAN(scatterv, name)
#include "catalog/algorithms.def"
