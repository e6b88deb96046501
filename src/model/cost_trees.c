/* Costs of the forms in several trees at a time (patterns/trees.h). */
#include "base/align.h"
#include "model/cost_parts.h"
#include "patterns/pipeline.h"
#include "patterns/trees_racks.h"
#include "patterns/trees_shape.h"

/* The nodes as the trees number them, and how the vector is cut. */
struct forest {
    const struct topo_cost_input *in;
    const struct topo_levels *levels;
    int root, root_node;
    struct topo_trees_shape shape;
    double segment, steps; /* bytes of one; of a tree */
};

static int driver(const struct forest *forest, int number)
{
    int node = topo_levels_numbered(forest->levels, forest->root_node, number);
    return number == 0 ? forest->root : topo_tree_rank(forest->in->tree, forest->levels->start[node]);
}

/* Every edge carries a segment, in its tree's direction or against it. */
static void add_edges(const struct forest *forest, bool up)
{
    struct topo_trees trees;
    for (int node = 0; node < forest->levels->nodes; node++) {
        topo_trees_find(forest->levels, forest->root_node, node, forest->shape.trees, &trees);
        for (int e = 0; e < trees.edges; e++) {
            int above = driver(forest, trees.node), below = driver(forest, trees.child[e]);
            topo_load_message(forest->in->load, up ? below : above, up ? above : below, forest->segment);
        }
    }
}

/* Of a step of `seconds` in which all edges carry a segment, and what is done for it meanwhile takes `work`. */
static double all_steps(const struct forest *forest, double seconds, double work)
{
    int depth = topo_trees_hops(forest->levels, forest->shape.trees);
    return topo_cost_pipeline(forest->in, seconds, work, depth > 0 ? depth : 1, forest->steps, forest->shape.window);
}

static struct forest forest_of(const struct topo_cost_input *in, const struct topo_levels *levels)
{
    struct forest forest = {.in = in, .levels = levels, .root = topo_cost_root(in)};
    uint64_t bytes = in->call->bytes;
    forest.root_node = topo_tree_node_of(in->tree, forest.root);
    forest.shape = topo_trees_shape(bytes, levels, topo_cost_oversubscribed(in, levels), in->call->parameters.segment);
    /* A short vector has none but the first segments, which are shorter: the mean of them. */
    const struct topo_pipeline cut = topo_pipeline_cut(bytes, forest.shape.segment, forest.shape.lead, TOPO_CACHE_LINE);
    bool leads = cut.segments > 0 && cut.segments <= (size_t)cut.lead;
    uint64_t segments = leads ? cut.segments : bytes > 0 ? (bytes - 1) / forest.shape.segment + 1 : 1;
    uint64_t trees = levels->nodes > forest.shape.trees ? (uint64_t)forest.shape.trees : 1;
    forest.segment = leads ? (double)bytes / (double)segments : (double)forest.shape.segment;
    forest.segment = forest.segment < (double)bytes ? forest.segment : (double)bytes;
    forest.steps = (double)((segments - 1) / trees + 1);
    return forest;
}

/* While segments travel, ranks copy those before into shared memory and out of it. */
double topo_cost_bcast_trees(const struct topo_cost_input *in)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        return -1;
    const struct forest forest = forest_of(in, levels);
    topo_cost_copy_all(in, levels, forest.segment * forest.shape.trees, true);
    double work = topo_load_step(in->load), seconds = 0;
    add_edges(&forest, false);
    if (levels->nodes > 1)
        seconds = all_steps(&forest, topo_load_step(in->load), work);
    /* The last segment's copies hide behind nothing. */
    return seconds + topo_cost_give_out(in, levels, forest.segment * (levels->nodes > 1 ? 1 : forest.steps));
}

/* The same backwards, for each stripe: the operands are put in place before and read after; those of a node and what
 * came over its edges are added while segments travel. */
double topo_cost_reduce_trees(const struct topo_cost_input *in)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        return -1;
    const struct forest forest = forest_of(in, levels);
    const struct topo_cost_node_sum sum = topo_cost_node_sum_of(in, levels, (double)in->call->bytes);
    double seconds, each = forest.segment / sum.stripes;
    topo_cost_put_operands(in, levels, &sum);
    topo_cost_shm_copy(in, levels, true);
    seconds = topo_load_step(in->load);
    /* A node's first segment is added up before anything is sent, on a single node all of them. */
    topo_cost_add_operands(in, levels, &sum, levels->nodes > 1 ? each : sum.bytes / sum.stripes, false);
    seconds += topo_load_step(in->load);
    if (levels->nodes > 1) {
        topo_cost_add_operands(in, levels, &sum, each * forest.shape.trees, true);
        for (int node = 0; node < levels->nodes; node++)
            for (int s = 0; s < sum.stripes; s++)
                topo_cost_add_received(in, &sum, topo_tree_rank(in->tree, levels->start[node] + s),
                                       each * forest.shape.trees, true);
        double work = topo_load_step(in->load);
        add_edges(&forest, true);
        seconds += all_steps(&forest, topo_load_step(in->load), work);
    }
    topo_cost_give_root(in, levels, &sum);
    return seconds + topo_load_step(in->load);
}
