/* Costs of the forms on circulant graphs (patterns/circulant.h). */
#include "base/memory.h"
#include "patterns/circulant.h"
#include "model/cost_parts.h"
#include "patterns/limits.h"
#include "patterns/node_steps.h"

/* Seconds of all rounds, of which a phase takes `phase`. */
static double all_rounds(const struct topo_circulant *circulant, double phase)
{
    return phase * (double)circulant->rounds / circulant->phase;
}

/* A broadcast: blocks of `block` bytes. */
struct bcast {
    const struct topo_levels *levels;
    struct topo_circulant circulant;
    int root_node;
    double block;
};

/* The messages of a round, each node's to the one a skip away, of so many bytes. */
static void load_round(const struct topo_cost_input *in, const struct bcast *bcast, int round, double bytes)
{
    const struct topo_levels *levels = bcast->levels;
    const struct topo_circulant *circulant = &bcast->circulant;
    int nodes = levels->nodes, root = topo_cost_root(in), root_node = bcast->root_node;
    for (int node = 0; node < nodes; node++) {
        int64_t number = topo_levels_number(levels, root_node, node),
                partner = (number + circulant->skip[round % circulant->phase]) % nodes;
        int to = topo_levels_numbered(levels, root_node, (int)partner);
        if (to == root_node)
            continue;
        int sender = node == root_node ? root : topo_tree_rank(in->tree, levels->start[node]),
            receiver = topo_tree_rank(in->tree, levels->start[to]);
        topo_load_message(in->load, sender, receiver, bytes);
    }
}

static void copy_block(const struct topo_cost_input *in, const struct bcast *bcast)
{
    const struct topo_levels *levels = bcast->levels;
    for (int at = 0; at < in->tree->ranks; at++) {
        int node = topo_levels_node(levels, at), rank = topo_tree_rank(in->tree, at);
        int driver = node == bcast->root_node ? topo_cost_root(in) : topo_tree_rank(in->tree, levels->start[node]);
        if (topo_node_ranks(levels, node) > 1)
            topo_load_memory(in->load, rank, in->params->copy * bcast->block, bcast->block, rank != driver);
    }
}

/* Rounds that keep together: a full phase stands for all. The rank that drives a node copies a block into shared memory
 * before it goes on, and others copy it out meanwhile. */
static double in_rounds(const struct topo_cost_input *in, const struct bcast *bcast)
{
    double phase = 0;
    for (int k = 0; k < bcast->circulant.phase; k++) {
        load_round(in, bcast, k, bcast->block);
        copy_block(in, bcast);
        phase += topo_load_step(in->load);
    }
    return all_rounds(&bcast->circulant, phase);
}

/* Rounds that wait for their blocks alone: the root starts the messages of all rounds at once, another node those of as
 * many rounds as have receives under way, so that the first one arrives with the last. What comes last has gone
 * through as many nodes as a phase has rounds. */
static double at_once(const struct topo_cost_input *in, const struct bcast *bcast, int ahead)
{
    const struct topo_circulant *circulant = &bcast->circulant;
    double start[TOPO_CIRCULANT_ROUNDS], bytes[TOPO_CIRCULANT_ROUNDS], seconds = 0;
    for (int k = 0; k < circulant->phase; k++) {
        load_round(in, bcast, k, 0);
        start[k] = topo_load_step(in->load);
        load_round(in, bcast, k, bcast->block);
        bytes[k] = topo_load_step(in->load) - start[k];
    }
    topo_cost_copy_all(in, bcast->levels, bcast->block * (double)circulant->blocks / circulant->phase, true);
    double copies = topo_load_step(in->load);
    for (int hop = 0; hop < circulant->phase; hop++) {
        int64_t left = circulant->rounds - hop, together = hop > 0 && left > ahead ? ahead : left;
        double first = start[hop];
        for (int64_t i = 0; i < together; i++)
            first += bytes[(hop + i) % circulant->phase];
        seconds += first > copies ? first : copies;
    }
    return seconds;
}

double topo_cost_bcast_circulant(const struct topo_cost_input *in)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    double seconds = 0;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        return -1;
    bool oversubscribed = topo_cost_oversubscribed(in, levels);
    int nodes = levels->nodes;
    uint64_t bytes = in->call->bytes,
             segment = topo_circulant_segment(bytes, nodes, oversubscribed, in->call->parameters.segment);
    struct bcast bcast = {.levels = levels,
                          .root_node = topo_tree_node_of(in->tree, topo_cost_root(in)),
                          .block = (double)(bytes < segment ? bytes : segment)};
    topo_circulant_make(nodes, 0, bytes > segment ? (int64_t)((bytes - 1) / segment + 1) : 1, &bcast.circulant);
    if (nodes > 1 && (oversubscribed || topo_circulant_together(bytes, oversubscribed)))
        seconds = in_rounds(in, &bcast);
    else if (nodes > 1)
        seconds = at_once(in, &bcast, topo_circulant_pace_of(bytes, oversubscribed).ahead);
    /* The last block's copies hide behind nothing. */
    seconds += topo_cost_give_out(in, levels, bcast.block * (double)(nodes > 1 ? 1 : bcast.circulant.blocks));
    return seconds;
}

/* The same backwards, for each stripe. The operands are put in place before and read after; those of a node are added
 * up as the blocks are sent. */
double topo_cost_reduce_circulant(const struct topo_cost_input *in)
{
    const struct topo_tree *tree = in->tree;
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    struct topo_circulant circulant;
    double phase = 0, seconds;
    int root_node = topo_tree_node_of(tree, topo_cost_root(in));
    if (topo_levels_new(tree, 0, &levels) != TOPO_OK)
        return -1;
    const struct topo_cost_node_sum sum = topo_cost_node_sum_of(in, levels, (double)in->call->bytes);
    int nodes = levels->nodes, stripes = sum.stripes;
    uint64_t bytes = in->call->bytes / (size_t)stripes, segment;
    const size_t given = in->call->parameters.segment;
    if (!given && topo_circulant_together(in->call->bytes, topo_cost_oversubscribed(in, levels)))
        segment = topo_circulant_segment(in->call->bytes, nodes, false, 0) / (uint64_t)stripes;
    else
        segment = topo_circulant_segment(bytes, nodes, topo_cost_oversubscribed(in, levels), given);
    double block = (double)(bytes < segment ? bytes : segment);
    topo_circulant_make(nodes, 0, bytes > segment ? (int64_t)((bytes - 1) / segment + 1) : 1, &circulant);
    for (int k = 0; k < circulant.phase; k++) {
        for (int node = 0; node < nodes; node++) {
            int number = topo_levels_number(levels, root_node, node),
                from = topo_levels_numbered(levels, root_node, (int)(((int64_t)number + circulant.skip[k]) % nodes));
            for (int s = 0; s < stripes; s++) {
                int sender = topo_tree_rank(tree, levels->start[from] + s),
                    receiver = topo_tree_rank(tree, levels->start[node] + s);
                if (from != root_node)
                    topo_load_message(in->load, sender, receiver, block);
                topo_cost_add_received(in, &sum, receiver, block, true);
            }
        }
        topo_cost_add_operands(in, levels, &sum, block, true);
        phase += topo_load_step(in->load);
    }
    topo_cost_put_operands(in, levels, &sum);
    topo_cost_shm_copy(in, levels, true);
    seconds = topo_load_step(in->load);
    /* A node's first block is added up before anything is sent, on a single node all of them. */
    topo_cost_add_operands(in, levels, &sum, nodes > 1 ? block : (double)bytes, false);
    seconds += topo_load_step(in->load);
    if (nodes > 1)
        seconds += all_rounds(&circulant, phase);
    topo_cost_give_root(in, levels, &sum);
    return seconds + topo_load_step(in->load);
}
