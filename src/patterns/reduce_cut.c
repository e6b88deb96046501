#include "patterns/reduce_cut.h"

#include <stdint.h>

#include "patterns/chain.h"
#include "patterns/limits.h"
#include "patterns/paths.h"
#include "patterns/pipeline.h"
#include "patterns/trees_racks.h"

static int stripes_of(size_t bytes, int nodes, int ranks)
{
    enum { STRIPE_LEAST = 65536, STRIPE_LEAST_ALONE = 4096 };
    return topo_parts_of(bytes, nodes > 1 ? STRIPE_LEAST : STRIPE_LEAST_ALONE, ranks);
}

int topo_reduce_cut_depth(const struct topo_levels *levels, int trees)
{
    return trees > 1 ? topo_trees_hops(levels, trees) : topo_chain_depth(levels->nodes, trees == 1);
}

struct topo_reduce_parts topo_reduce_cut_parts(size_t segment, int segments)
{
    enum { HANDED = 4096 }; /* bytes of a part, about: an addition takes a few times as long as a hand-over */
    size_t together = HANDED / (segment > 0 ? segment : 1);
    struct topo_reduce_parts parts = {.together = together < 1                  ? 1
                                                  : together < (size_t)segments ? (int)together
                                                                                : segments,
                                      .cuts = segment < 2 * HANDED ? 1 : (int)(segment / HANDED)};
    parts.count = ((segments - 1) / parts.together + 1) * parts.cuts;
    return parts;
}

enum { PIPELINED_LEAST = 3 }; /* ranks of a node */

bool topo_reduce_cut_pipelined(size_t bytes, int segments, size_t segment, int windows, int ranks)
{
    size_t share = bytes / (size_t)segments, here = share < segment ? share : segment;
    size_t rounds = share / (here > 0 ? here : 1), most = (size_t)windows;
    size_t active = rounds < most ? rounds : most;
    return ranks >= PIPELINED_LEAST && (size_t)topo_reduce_cut_parts(here, segments).count * active >= (size_t)ranks;
}

/* The part of the time in which a link is idle where so many rounds are received at a time, as its inverse in
 * IDLE_ONEs, from that of one less; IDLE_ONE for none. They share the link, and one that ends makes room for the next,
 * which comes a latency later: then the part is what Erlang's formula B gives for `ahead` lines and a load of latency /
 * round (docs/REFERENCES.md, Node exchanges 7). Where it is hardly any it stays: the product is below 2^64 so. */
enum { IDLE_ONE = 1 << 20, IDLE_HARDLY = 1 << 12 };
static size_t next_idle(size_t idle, size_t round, size_t ahead)
{
    return idle / IDLE_ONE < IDLE_HARDLY ? IDLE_ONE + ahead * round * idle / TOPO_LATENCY_OF_SUMS : idle;
}

/* What a vector waits for then, in bytes as above: each hop takes a round half of the others' bytes beside a
 * latency. */
static size_t waits(size_t bytes, size_t round, size_t depth, size_t ahead, size_t idle)
{
    size_t rest = bytes > ahead * round ? bytes - ahead * round : 0;
    return depth * (TOPO_LATENCY_OF_SUMS + round + (ahead - 1) * round / 2) + rest * IDLE_ONE / (idle - IDLE_ONE);
}

/* Iterations that are received at a time, and what the vector waits for then; half of the windows are left for what is
 * sent on. */
static int received_ahead(size_t bytes, size_t round, size_t depth, int windows, size_t *waited)
{
    size_t ahead = 0, idle = IDLE_ONE, more;
    while (ahead < TOPO_REDUCE_AHEAD_LEAST)
        idle = next_idle(idle, round, ++ahead);
    *waited = waits(bytes, round, depth, ahead, idle);
    for (; ahead < (size_t)windows / 2; ahead++) {
        idle = next_idle(idle, round, ahead + 1);
        if ((more = waits(bytes, round, depth, ahead + 1, idle)) >= *waited)
            break;
        *waited = more;
    }
    return (int)ahead;
}

/* An round takes a segment of each tree, which some of a node's ranks share among them. A node is a leaf of most
 * trees and near the root in one, so it has as many rounds under way as pass in all hops. A short vector goes up
 * four trees at least, as a broadcast goes down them (trees_shape.h). */
static void cut_for_trees(size_t bytes, const struct topo_levels *levels, int ranks, size_t least,
                          struct topo_reduce_chain_cut *cut)
{
    enum { SHORT = 32 << 10, FEWEST_OF_SHORT = 4 };
    size_t best = SIZE_MAX, most = TOPO_SEGMENT_BYTES, chosen = most;
    bool in_racks = levels->count > 1;
    int trees_most = in_racks ? 2 : TOPO_TREES_MOST;
    for (int trees = bytes <= SHORT && !in_racks ? FEWEST_OF_SHORT : 2; trees <= trees_most; trees++) {
        size_t depth = (size_t)topo_trees_hops(levels, trees);
        for (size_t segment = least; segment <= most; segment *= 2) {
            size_t round = (size_t)trees * segment, waited;
            received_ahead(bytes, round, depth, TOPO_REDUCE_WINDOWS_TREES, &waited);
            size_t passed = waited / TOPO_REDUCE_WINDOWS_TREES;
            size_t cost = waited + bytes / segment * TOPO_OVERHEAD_OF_TREES +
                          (passed > round ? bytes / round * (passed - round) : 0);
            if (cost < best) {
                best = cost;
                cut->trees = trees;
                chosen = segment;
            }
        }
    }
    int drivers = topo_parts_of(chosen, least, ranks > cut->trees ? ranks / cut->trees : 1);
    cut->stripes = cut->trees * drivers;
    cut->segment = chosen / (size_t)drivers;
}

/* Whether a vector goes up several trees: on a deep chain of nodes. In racks two trees through all of them have more
 * hops than the divided chain, whose links carry the vector twice: where it is longer than one and a half latencies for
 * each of these. */
static bool goes_by_trees(size_t bytes, const struct topo_levels *levels, bool deep)
{
    enum { MANY = 17 };
    if (levels->count <= 1)
        return deep || levels->nodes >= MANY;
    int hops = topo_trees_hops(levels, 2), divided = topo_chain_depth(levels->nodes, true);
    return deep && (hops <= divided || bytes > (size_t)(hops - divided) * TOPO_LATENCY_OF_TREES * 3 / 2);
}

struct topo_reduce_chain_cut topo_reduce_cut_chain(size_t bytes, const struct topo_levels *levels, int ranks,
                                                   bool oversubscribed, size_t given)
{
    enum { STRIPE_LEAST = 4096, FEW = 4 };
    int nodes = levels->nodes;
    bool deep = nodes > FEW && !oversubscribed;
    struct topo_reduce_chain_cut cut = {.stripes = stripes_of(bytes, nodes, ranks), .segment = TOPO_SEGMENT_BYTES};
    if (goes_by_trees(bytes, levels, deep)) {
        cut_for_trees(bytes, levels, ranks, oversubscribed ? TOPO_SEGMENT_BYTES : STRIPE_LEAST, &cut);
    } else {
        cut.trees = deep;
        int passed = topo_reduce_cut_depth(levels, cut.trees) - 1;
        size_t whole = (size_t)cut.stripes * TOPO_SEGMENT_BYTES,
               round = topo_pipeline_segment(bytes, passed, TOPO_OVERHEAD_OF_PIPELINES, whole);
        if (nodes > 2 && !oversubscribed && 2 * round <= whole) {
            cut.stripes = topo_parts_of(round, STRIPE_LEAST, ranks);
            cut.segment = round / (size_t)cut.stripes;
        }
    }
    cut.segment = given ? given : cut.segment;
    cut.windows = cut.trees > 1                      ? TOPO_REDUCE_WINDOWS_TREES
                  : cut.segment < TOPO_SEGMENT_BYTES ? TOPO_REDUCE_WINDOWS_MORE
                                                     : TOPO_REDUCE_WINDOWS;
    size_t round = cut.segment * (size_t)cut.stripes, waited = 0;
    if (!oversubscribed)
        cut.ahead =
            received_ahead(bytes, round, (size_t)topo_reduce_cut_depth(levels, cut.trees), cut.windows, &waited);
    /* Nodes next to the root have as many under way as pass in all hops, others wait for them in the end. But where
     * ranks add in turn more do harm, as nodes get farther apart. */
    if (ranks < PIPELINED_LEAST && cut.trees > 1 && bytes / round > TOPO_REDUCE_WINDOWS_TREES &&
        2 * waited / round > TOPO_REDUCE_WINDOWS_TREES)
        cut.windows = TOPO_REDUCE_WINDOWS_MOST;
    int full = cut.trees > 1 ? TOPO_REDUCE_WINDOWS : cut.windows; /* the others hold what is on its way up the trees */
    cut.pipelined = !oversubscribed && bytes / (size_t)full > round &&
                    topo_reduce_cut_pipelined(bytes, cut.stripes, cut.segment, cut.windows, ranks);
    return cut;
}

enum topo_status topo_reduce_cut_sent_more(const struct topo_levels *levels, const struct topo_levels *sum_levels,
                                           int *more)
{
    int most = 0, sum_most = 0, busiest;
    enum topo_status status = topo_paths_most(levels, &most, &busiest);
    if (status == TOPO_OK)
        status = topo_paths_most(sum_levels, &sum_most, &busiest);
    *more = sum_most - most;
    return status;
}

bool topo_reduce_cut_direct(size_t bytes, int nodes, int more, bool oversubscribed)
{
    enum { MESSAGE = 6 << 10 }; /* bytes that a link of 100 Gbit/s carries while a processor sends a message */
    return !oversubscribed && more > 0 && bytes / (size_t)nodes * (size_t)more > (size_t)(nodes - 1) * MESSAGE;
}

int topo_reduce_cut_stripes(size_t bytes, int nodes, int ranks, bool direct)
{
    enum { LEAST_OF_DIRECT = 8 << 10 };
    size_t block = bytes / (size_t)nodes;
    return direct ? topo_parts_of(block, LEAST_OF_DIRECT, ranks) : stripes_of(block, nodes, ranks);
}

size_t topo_reduce_cut_segment(size_t bytes, int nodes, int ranks, int stripes, bool oversubscribed)
{
    enum { ITERATIONS = 8, LEAST = 8 << 10, RANKS = 3 };
    size_t segment = bytes / (size_t)nodes / (size_t)stripes / ITERATIONS;
    if (nodes <= TOPO_RADIX || ranks < RANKS || oversubscribed || segment > TOPO_SEGMENT_BYTES)
        return TOPO_SEGMENT_BYTES;
    return segment > LEAST ? segment : LEAST;
}

struct topo_reduce_scatter_cut topo_reduce_cut_scatter(size_t bytes, size_t longest, int nodes, int least, int most,
                                                       bool direct, bool oversubscribed)
{
    enum { ITERATIONS = 2, LONGEST = 8 * TOPO_SEGMENT_BYTES, EAGER_SEGMENTS = 4 };
    if (!oversubscribed || least == most || (least > 1 && nodes <= TOPO_RADIX))
        return (struct topo_reduce_scatter_cut){topo_reduce_cut_stripes(bytes, nodes, most, direct),
                                                TOPO_SEGMENT_BYTES};
    size_t segment = longest / ITERATIONS, eager = (longest + TOPO_EAGER_MOST - 1) / TOPO_EAGER_MOST;
    if (segment > TOPO_EAGER_MOST && eager <= EAGER_SEGMENTS)
        segment = (longest + eager - 1) / eager;
    segment = segment < TOPO_SEGMENT_BYTES ? TOPO_SEGMENT_BYTES : segment < LONGEST ? segment : LONGEST;
    return (struct topo_reduce_scatter_cut){1, segment};
}
