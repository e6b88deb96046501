/* Costs of the forms in node-shared memory whose nodes exchange in steps (patterns/node_steps.h):
 * allgather and allgatherv leader and radix, allreduce, reduce and reduce-scatter leader, and the barrier. */
#include "base/memory.h"
#include "patterns/node_steps.h"
#include "model/cost_parts.h"
#include "patterns/limits.h"

void topo_cost_shm_copy(const struct topo_cost_input *in, const struct topo_levels *levels, bool to_leader)
{
    for (int node = 0; node < levels->nodes; node++)
        for (int i = levels->start[node] + 1; i < levels->start[node + 1]; i++) {
            int leader = topo_tree_rank(in->tree, levels->start[node]), other = topo_tree_rank(in->tree, i);
            topo_load_message(in->load, to_leader ? other : leader, to_leader ? leader : other, 0);
        }
}

bool topo_cost_oversubscribed(const struct topo_cost_input *in, const struct topo_levels *levels)
{
    return topo_params_oversubscribed(in->params, in->tree->ranks, levels->ranks_most);
}

/* One form: what its ranks copy, who drives the messages, and what those carry. */
struct form {
    bool reduces;                  /* the steps add up; else they gather */
    struct topo_cost_node_sum sum; /* reduces */
    double copied;                 /* else: bytes that every rank puts into the node's memory */
    double result;                 /* bytes that it copies out in the end */
    int drivers;                   /* ranks of a node that send and receive, at most */
    bool to_root;                  /* only `root` gets the sum */
    int root;
    double message; /* bytes: of a block; reduces: of each driver's strip of the vector */
    int parts;      /* of a strip that are under way at a time; else 1 */
};

/* The rank that drives the messages of a pair on a node. */
static int driver(const struct topo_cost_input *in, const struct topo_levels *levels, const struct form *form, int node,
                  int pair)
{
    int ranks = topo_node_ranks(levels, node);
    return topo_tree_rank(in->tree, levels->start[node] + pair % (form->drivers < ranks ? form->drivers : ranks));
}

/* A node's messages of one step. A gather's go through the driver of their pair; each
 * driver of a sum has its part of the vector to send to all partners and to add up. */
static void send_step(const struct topo_cost_input *in, const struct topo_levels *levels, const struct form *form,
                      int node, const struct topo_node_steps *steps, const struct topo_node_step *step)
{
    for (int i = 0; i < step->sends; i++) {
        const struct topo_node_message *message = &steps->message[step->send + i];
        for (int s = 0; s < (form->reduces ? form->drivers : 1); s++) {
            int pair = form->reduces ? s : message->pair;
            topo_load_message(in->load, driver(in, levels, form, node, pair),
                              driver(in, levels, form, message->node, pair),
                              form->message * (form->reduces ? 1 : message->ranks));
        }
    }
    for (int s = 0; form->reduces && s < form->drivers; s++)
        topo_cost_add_received(in, &form->sum, driver(in, levels, form, node, s), form->message * step->receives,
                               false);
}

/* One after the other: drivers add up the operands of their nodes, and then each step, all nodes side by side. */
static double stage(const struct topo_cost_input *in, const struct topo_levels *levels, const struct form *form,
                    struct topo_node_steps *const *node, int number)
{
    if (number == 0 && form->reduces)
        topo_cost_add_operands(in, levels, &form->sum, form->message, false);
    for (int u = 0; u < levels->nodes && number > 0; u++)
        if (number <= node[u]->count)
            send_step(in, levels, form, u, node[u], &node[u]->step[number - 1]);
    return topo_load_step(in->load);
}

/* All stages. Of parts that follow each other the first one passes through all of them; the others take what additions
 * of a node's operands or all steps do for them without a latency, whichever is longer: steps share the links. */
static double stages(const struct topo_cost_input *in, const struct topo_levels *levels, const struct form *form,
                     struct topo_node_steps *const *node)
{
    struct form part = *form;
    double seconds = 0, added = 0, sent = 0;
    int most = 0;
    part.message /= form->parts;
    for (int u = 0; u < levels->nodes; u++)
        most = node[u]->count > most ? node[u]->count : most;
    for (int number = 0; number <= most; number++) {
        double first = stage(in, levels, &part, node, number);
        double others = form->parts > 1 ? stage(in, levels, form, node, number) - first : 0;
        seconds += first;
        *(number > 0 ? &sent : &added) += others;
    }
    return seconds + (added > sent ? added : sent);
}

/* All ranks put their bytes in place and tell the drivers, those exchange and tell the others, who copy the result out.
 */
static double play(const struct topo_cost_input *in, const struct topo_levels *levels, const struct form *form,
                   struct topo_node_steps *const *node)
{
    if (form->reduces)
        topo_cost_put_operands(in, levels, &form->sum);
    else
        topo_cost_copy_all(in, levels, form->copied, false);
    topo_cost_shm_copy(in, levels, true);
    double seconds = topo_load_step(in->load);
    seconds += stages(in, levels, form, node);
    if (form->to_root) {
        topo_cost_give_root(in, levels, &form->sum);
        return seconds + topo_load_step(in->load);
    }
    topo_cost_shm_copy(in, levels, false);
    if (form->reduces)
        topo_cost_give_total(in, levels, &form->sum, form->result);
    else
        topo_cost_copy_all(in, levels, form->result, false);
    return seconds + topo_load_step(in->load);
}

static enum topo_status steps_of(const struct topo_cost_input *in, const struct topo_levels *levels,
                                 const struct form *form, int node, struct topo_node_steps **steps)
{
    if (form->to_root)
        return topo_node_steps_collect(levels, topo_tree_node_of(in->tree, form->root), node, steps);
    return form->reduces ? topo_node_steps_reduce(levels, node, steps) : topo_node_steps_gather(levels, node, steps);
}

static double in_steps(const struct topo_cost_input *in, const struct topo_levels *levels, const struct form *form)
{
    struct topo_node_steps **node = topo_calloc((size_t)levels->nodes, sizeof *node);
    double seconds = -1;
    int count = 0;
    for (bool good = node; good && count < levels->nodes; count += good)
        good = steps_of(in, levels, form, count, &node[count]) == TOPO_OK;
    if (node && count == levels->nodes)
        seconds = play(in, levels, form, node);
    for (int u = 0; node && u < count; u++)
        topo_node_steps_free(node[u]);
    topo_free(node);
    return seconds;
}

/* With so many parts and drivers unless others are given. */
static double gather(const struct topo_cost_input *in, int radix, int drivers)
{
    double m = (double)in->call->bytes;
    struct form form = {.copied = m, .result = m * in->tree->ranks, .message = m, .parts = 1};
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    form.drivers = topo_given(in->call->parameters.drivers, drivers);
    if (topo_levels_new(in->tree, topo_given(in->call->parameters.radix, radix), &levels) != TOPO_OK)
        return -1;
    return in_steps(in, levels, &form);
}

double topo_cost_allgather_leader(const struct topo_cost_input *in)
{
    return gather(in, TOPO_RADIX, 1);
}

double topo_cost_allgather_radix(const struct topo_cost_input *in)
{
    int level = topo_tree_node_level(in->tree), least = in->tree->ranks;
    TOPO_SCOPED int *sizes = topo_alloc((size_t)in->tree->units[level], sizeof *sizes);
    if (!sizes)
        return -1;
    topo_tree_unit_sizes(in->tree, level, sizes);
    for (int u = 0; u < in->tree->units[level]; u++)
        least = sizes[u] < least ? sizes[u] : least;
    return gather(in, least + 1, in->tree->ranks);
}

/* Blocks of the mean length. */
double topo_cost_allgatherv_leader(const struct topo_cost_input *in)
{
    return topo_cost_allgather_leader(in);
}

double topo_cost_allgatherv_radix(const struct topo_cost_input *in)
{
    return topo_cost_allgather_radix(in);
}

/* Who gets the sum: every rank, the root, or each rank its part. */
enum share { ALL, ROOT, PART };

static double sum(const struct topo_cost_input *in, int radix, size_t bytes, enum share share)
{
    double m = (double)bytes;
    struct form form = {.reduces = true,
                        .result = share == PART ? m / in->tree->ranks : m,
                        .to_root = share == ROOT,
                        .root = topo_cost_root(in)};
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    if (topo_levels_new(in->tree, radix, &levels) != TOPO_OK)
        return -1;
    form.sum = topo_cost_node_sum_of(in, levels, m);
    form.drivers = form.sum.stripes;
    form.message = m / form.drivers;
    form.parts = topo_node_steps_parts((size_t)form.message, form.sum.most, topo_cost_oversubscribed(in, levels));
    return in_steps(in, levels, &form);
}

double topo_cost_allreduce_leader(const struct topo_cost_input *in)
{
    return sum(in, TOPO_RADIX, in->call->bytes, ALL);
}

/* An all-reduce of nothing. */
double topo_cost_barrier_leader(const struct topo_cost_input *in)
{
    return sum(in, topo_given(in->call->parameters.radix, TOPO_BARRIER_RADIX), 0, ALL);
}

double topo_cost_reduce_leader(const struct topo_cost_input *in)
{
    return sum(in, TOPO_RADIX, in->call->bytes, ROOT);
}

double topo_cost_reduce_scatter_leader(const struct topo_cost_input *in)
{
    return sum(in, TOPO_RADIX, in->call->bytes * (size_t)in->tree->ranks, PART);
}

double topo_cost_reduce_scatter_block_leader(const struct topo_cost_input *in)
{
    return topo_cost_reduce_scatter_leader(in);
}
