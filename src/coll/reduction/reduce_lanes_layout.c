#include "coll/reduction/reduce_lanes.h"

#include "base/align.h"
#include "patterns/trees.h"

enum {
    SEGMENT_LEAST = 1024, /* below this the segment is too small for so many ranks */
    WINDOWS_LEAST = 2,
    FLAGS = 3 /* of each rank: finished, written, handed */
};

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Bytes of the segment before the places: equal on all nodes and for all calls. A vector of a block for each node has
 * few windows; what goes up several trees is a single block, of a stripe for each rank or each tree. */
static size_t header_bytes(const struct topo_comm *comm)
{
    size_t ranks = (size_t)comm->layout.node_ranks_max, stripes = ranks > TOPO_TREES_MOST ? ranks : TOPO_TREES_MOST;
    size_t blocks = TOPO_REDUCE_WINDOWS_MORE * (size_t)comm->layout.nodes * ranks,
           trees = TOPO_REDUCE_WINDOWS_MOST * stripes;
    return topo_align(FLAGS * ranks * sizeof(struct topo_flag) + (blocks > trees ? blocks : trees) * sizeof(uint64_t),
                      4096);
}

/* What all rounds together cut into how many parts: `parts` in each round, of `count` elements. */
struct whole {
    size_t count, parts;
};

static struct whole longest_of(const struct topo_reduce_lanes_layout *layout)
{
    struct whole whole = {layout->count, (size_t)layout->windows.blocks};
    if (!layout->block)
        return whole;
    whole = (struct whole){0, (size_t)layout->stripes};
    for (int block = 0; block < layout->windows.blocks / layout->stripes; block++) {
        size_t count = layout->block[block + 1] - layout->block[block];
        whole.count = count > whole.count ? count : whole.count;
    }
    return whole;
}

/* The vector's shares before `round`. */
static size_t shares_before(const struct topo_reduce_lanes_layout *layout, int round)
{
    size_t all = (size_t)round, lead = (size_t)layout->lead, shorter = all < lead ? all : lead;
    return shorter * (shorter + 1) / 2 + (all - shorter) * (lead + 1);
}

/* Sizes for segments of at most `most` elements; returns the bytes of a window. */
static size_t set_most(const struct topo_vector *vector, struct topo_reduce_lanes_layout *layout, size_t most)
{
    struct whole whole = longest_of(layout);
    size_t whole_ones = most * whole.parts;
    layout->lead = layout->leads && whole.count > whole_ones ? layout->ahead - 1 : 0;
    size_t longest = (size_t)layout->lead + 1, shares = (longest * whole.count + whole_ones - 1) / whole_ones;
    layout->windows.rounds = 1;
    while (layout->windows.rounds < layout->lead && shares_before(layout, layout->windows.rounds) < shares)
        layout->windows.rounds++;
    size_t before = shares_before(layout, layout->windows.rounds);
    if (before < shares)
        layout->windows.rounds += (int)((shares - before - 1) / longest + 1);
    else
        longest = (size_t)layout->windows.rounds;
    size_t cuts = shares_before(layout, layout->windows.rounds) * whole.parts;
    layout->longest = (longest * whole.count + cuts - 1) / cuts;
    layout->windows.stride = topo_align(layout->longest * vector->stored.bytes, 64);
    return layout->windows.stride * (size_t)layout->windows.blocks * ((size_t)layout->rows + 1);
}

/* Memory for `wanted` windows, else for as many as there may be, WINDOWS_LEAST or more: that there are fewer does not
 * depend on what shorter vectors came before. What is replaced grows by half, so that vectors which become longer
 * little by little do not get new memory each time. */
static bool reserve(struct topo_node *node, size_t header, size_t window, int wanted, bool *anew)
{
    size_t more = node->region[TOPO_SHM_REDUCE].bytes / 2 * 3;
    bool there = false;
    for (int windows = wanted; windows >= WINDOWS_LEAST && !there; windows--) {
        size_t all = header + (size_t)windows * window;
        const struct topo_shm_size size = {header, all, all > more ? all : more};
        there = topo_node_reserve(node, TOPO_SHM_REDUCE, size, anew);
    }
    return there;
}

/* Sizes for `stripes` segments of each node's block and a segment for them; returns the
 * bytes of a window, 0, on all ranks alike, when there is none large enough. *anew is
 * set when it is a new one. */
static size_t find_segment(struct topo_comm *comm, const struct topo_vector *vector,
                           const struct topo_reduce_lanes_cut *cut, struct topo_reduce_lanes_layout *layout,
                           int stripes, bool *anew)
{
    const struct topo_shm_region *segment = &comm->node->region[TOPO_SHM_REDUCE];
    size_t size = vector->size, header = header_bytes(comm);
    size_t least = SEGMENT_LEAST / size > 0 ? SEGMENT_LEAST / size : 1;
    bool fresh;
    layout->stripes = stripes;
    layout->windows.blocks = cut->blocks * stripes;
    size_t most = cut->segment / size > 0 ? cut->segment / size : 1, window = set_most(vector, layout, most);
    if (reserve(comm->node, header, window, cut->windows, anew))
        return window;
    /* Shorter segments, then. */
    size_t bytes = header + WINDOWS_LEAST * set_most(vector, layout, least);
    if (!topo_node_reserve(comm->node, TOPO_SHM_REDUCE, (struct topo_shm_size){header, bytes, bytes}, &fresh))
        return 0;
    *anew |= fresh;
    while (most > least && header + WINDOWS_LEAST * set_most(vector, layout, most) > segment->bytes)
        most /= 2;
    return set_most(vector, layout, most > least ? most : least);
}

bool topo_reduce_lanes_lay_out(struct topo_comm *comm, const struct topo_vector *vector,
                               const struct topo_reduce_lanes_cut *cut, struct topo_reduce_lanes_layout *layout)
{
    struct topo_node *node = comm->node;
    struct topo_shm_windows *windows = &layout->windows;
    const struct topo_shm_region *segment = &node->region[TOPO_SHM_REDUCE];
    size_t header = header_bytes(comm), window;
    int stripes = cut->stripes;
    bool anew;
    layout->count = vector->count;
    layout->block = cut->block;
    layout->leads = cut->leads;
    layout->ahead = cut->ahead > 0 ? cut->ahead : TOPO_REDUCE_WINDOWS_MOST;
    layout->pipelined =
        cut->pipelined && topo_reduce_cut_pipelined(vector->count * vector->size, cut->blocks * cut->stripes,
                                                    cut->segment, cut->windows, comm->layout.node_ranks_max);
    layout->rows = layout->pipelined ? node->group.groups_most : comm->layout.node_ranks_max;
    /* Where memory is too small for so many segments fewer ranks of a node take part. */
    while (!(window = find_segment(comm, vector, cut, layout, stripes, &anew)) && stripes > 1)
        stripes /= 2;
    if (!window)
        return false;
    /* More than were asked for where there is room, but each for its own kind of round. */
    size_t most = cut->windows > TOPO_REDUCE_WINDOWS_MORE ? TOPO_REDUCE_WINDOWS_MOST : TOPO_REDUCE_WINDOWS_MORE;
    windows->node = node;
    windows->windows = (int)least_of((segment->bytes - header) / window, most);
    windows->rows = layout->rows + 1;
    windows->finished = (struct topo_flag *)segment->base;
    layout->written = windows->finished + comm->layout.node_ranks_max;
    layout->handed = layout->written + comm->layout.node_ranks_max;
    windows->filled = (_Atomic uint64_t *)(layout->handed + comm->layout.node_ranks_max);
    windows->slots = segment->base + header;
    topo_shm_windows_begin(windows, &node->reduce_rounds, anew, FLAGS);
    layout->parts = topo_reduce_cut_parts(layout->longest * vector->stored.bytes, layout->windows.blocks);
    return true;
}

/* First element of part `part` of `round` of what a run of elements is cut into by all rounds. */
static size_t cut_at(const struct topo_reduce_lanes_layout *layout, size_t count, int round, int parts, int part)
{
    if (layout->lead == 0)
        return count * ((size_t)round * (size_t)parts + (size_t)part) /
               ((size_t)layout->windows.rounds * (size_t)parts);
    size_t before = shares_before(layout, round), shares = shares_before(layout, round + 1) - before;
    return count * (before * (size_t)parts + shares * (size_t)part) /
           (shares_before(layout, layout->windows.rounds) * (size_t)parts);
}

/* Where a segment starts, or, with `ends` 1, ends. */
static size_t edge(const struct topo_reduce_lanes_layout *layout, int round, int segment, int ends)
{
    if (!layout->block)
        return cut_at(layout, layout->count, round, layout->windows.blocks, segment + ends);
    const size_t *block = layout->block + segment / layout->stripes;
    return block[0] + cut_at(layout, block[1] - block[0], round, layout->stripes, segment % layout->stripes + ends);
}

size_t topo_reduce_lanes_start(const struct topo_reduce_lanes_layout *layout, int round, int segment)
{
    return edge(layout, round, segment, 0);
}

int topo_reduce_lanes_count(const struct topo_reduce_lanes_layout *layout, int round, int segment)
{
    return (int)(edge(layout, round, segment, 1) - edge(layout, round, segment, 0));
}

size_t topo_reduce_lanes_wanted(const struct topo_reduce_lanes_layout *layout, const struct topo_result_range *range,
                                int round, int segment, size_t *end)
{
    size_t start = topo_reduce_lanes_start(layout, round, segment),
           stop = start + (size_t)topo_reduce_lanes_count(layout, round, segment);
    *end = stop < range->end ? stop : range->end;
    return start > range->first ? start : range->first;
}
