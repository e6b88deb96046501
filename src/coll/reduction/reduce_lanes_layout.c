#include "coll/reduction/reduce_lanes.h"

enum {
    PIECE_LEAST = 1024, /* below this the segment is too small for so many ranks */
    WINDOWS_WANTED = 4,
    WINDOWS_LEAST = 2
};

static size_t up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Bytes of the segment before the places: equal on all nodes and for all calls. */
static size_t header_bytes(const struct topo_comm *comm)
{
    size_t ranks = (size_t)comm->layout.node_ranks_max, pieces = (size_t)comm->layout.nodes * ranks;
    return up(2 * ranks * sizeof(struct topo_flag) + TOPO_LANES_WINDOWS_MOST * pieces * sizeof(uint64_t), 4096);
}

/* What all turns together cut into how many parts: `parts` in each turn, of `count` elements. */
struct whole {
    size_t count, parts;
};

static struct whole longest_of(const struct topo_lanes_layout *layout)
{
    struct whole whole = {layout->count, (size_t)layout->pieces};
    if (!layout->block)
        return whole;
    whole = (struct whole){0, (size_t)layout->slices};
    for (int block = 0; block < layout->pieces / layout->slices; block++) {
        size_t count = layout->block[block + 1] - layout->block[block];
        whole.count = count > whole.count ? count : whole.count;
    }
    return whole;
}

/* Sizes for pieces of at most `most` elements; returns the bytes of a window. */
static size_t set_most(const struct topo_vector *vector, struct topo_lanes_layout *layout, size_t most)
{
    struct whole whole = longest_of(layout);
    size_t turns = (whole.count + most * whole.parts - 1) / (most * whole.parts), cuts = turns * whole.parts;
    layout->turns = (int)turns;
    layout->longest = (whole.count + cuts - 1) / cuts;
    layout->stride = up(layout->longest * vector->stored.bytes, 64);
    return layout->stride * (size_t)layout->pieces * ((size_t)layout->rows + 1);
}

/* Sizes for `slices` pieces of each node's block and a segment for them; returns the
 * bytes of a window, 0, on all ranks alike, when there is none large enough. *anew is
 * set when it is a new one. */
static size_t find_segment(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_lanes_cut *cut,
                           struct topo_lanes_layout *layout, int slices, bool *anew)
{
    const struct topo_segment *segment = &comm->shared->segment[TOPO_SEGMENT_SUMS];
    size_t size = vector->size, header = header_bytes(comm);
    size_t least = PIECE_LEAST / size > 0 ? PIECE_LEAST / size : 1;
    bool fresh;
    layout->slices = slices;
    layout->pieces = cut->blocks * slices;
    size_t most = cut->piece / size > 0 ? cut->piece / size : 1, window = set_most(vector, layout, most);
    if (topo_shared_reserve(comm, TOPO_SEGMENT_SUMS, header + WINDOWS_LEAST * window, header + WINDOWS_WANTED * window,
                            anew))
        return window;
    /* Shorter pieces, then. */
    size_t bytes = header + WINDOWS_LEAST * set_most(vector, layout, least);
    if (!topo_shared_reserve(comm, TOPO_SEGMENT_SUMS, bytes, bytes, &fresh))
        return 0;
    *anew |= fresh;
    while (most > least && header + WINDOWS_LEAST * set_most(vector, layout, most) > segment->bytes)
        most /= 2;
    return set_most(vector, layout, most > least ? most : least);
}

/* In a new segment. */
static void begin(struct topo_turns *turns, const struct topo_comm *comm, const struct topo_lanes_layout *layout)
{
    *turns = (struct topo_turns){.turn = topo_counters_start.turns};
    if (!topo_counters_elsewhere())
        return;
    for (int i = 0; i < comm->shared->ranks; i++) {
        topo_flag_set(&layout->written[i], (uint32_t)turns->turn);
        topo_flag_set(&layout->finished[i], (uint32_t)turns->turn);
    }
    topo_counters_set(comm);
}

bool topo_lanes_lay_out(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_lanes_cut *cut,
                        struct topo_lanes_layout *layout)
{
    struct topo_shared *shared = comm->shared;
    struct topo_turns *turns = &shared->sum_turns;
    const struct topo_segment *segment = &shared->segment[TOPO_SEGMENT_SUMS];
    size_t header = header_bytes(comm), window;
    int slices = cut->slices;
    bool anew;
    layout->count = vector->count;
    layout->block = cut->block;
    layout->rows = comm->layout.node_ranks_max;
    /* Where memory is too small for so many pieces fewer ranks of a node take part. */
    while (!(window = find_segment(comm, vector, cut, layout, slices, &anew)) && slices > 1)
        slices /= 2;
    if (!window)
        return false;
    layout->windows = (int)least_of((segment->bytes - header) / window, TOPO_LANES_WINDOWS_MOST);
    layout->written = (struct topo_flag *)segment->base;
    layout->finished = layout->written + layout->rows;
    layout->filled = (_Atomic uint64_t *)(layout->finished + layout->rows);
    layout->places = segment->base + header;
    if (anew)
        begin(turns, comm, layout);
    else if (turns->stride != layout->stride || turns->pieces != layout->pieces || turns->windows != layout->windows)
        turns->settled = turns->turn;
    turns->stride = layout->stride;
    turns->pieces = layout->pieces;
    turns->windows = layout->windows;
    layout->first = turns->turn;
    return true;
}

/* First element of part `part` of `turn` of what a run of elements is cut into by all turns. */
static size_t cut_at(size_t count, int turns, int turn, int parts, int part)
{
    return count * ((size_t)turn * (size_t)parts + (size_t)part) / ((size_t)turns * (size_t)parts);
}

/* Where a piece starts, or, with `ends` 1, ends. */
static size_t edge(const struct topo_lanes_layout *layout, int turn, int piece, int ends)
{
    if (!layout->block)
        return cut_at(layout->count, layout->turns, turn, layout->pieces, piece + ends);
    const size_t *block = layout->block + piece / layout->slices;
    return block[0] + cut_at(block[1] - block[0], layout->turns, turn, layout->slices, piece % layout->slices + ends);
}

size_t topo_lanes_start(const struct topo_lanes_layout *layout, int turn, int piece)
{
    return edge(layout, turn, piece, 0);
}

int topo_lanes_count(const struct topo_lanes_layout *layout, int turn, int piece)
{
    return (int)(edge(layout, turn, piece, 1) - edge(layout, turn, piece, 0));
}

size_t topo_lanes_own(const struct topo_vector *vector, const struct topo_lanes_order *order, size_t at, size_t count,
                      const char **elements)
{
    if (!order) {
        *elements = topo_vector_own(vector, at);
        return count;
    }
    int low = 0, high = order->runs - 1; /* the last run that starts at or before `at` */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (order->first[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    size_t left = order->first[low + 1] - at;
    *elements = topo_vector_own(vector, order->from[low] + at - order->first[low]);
    return left < count ? left : count;
}

static _Atomic uint64_t *filled_at(const struct topo_lanes_layout *layout, int turn, int piece)
{
    return &layout->filled[topo_lanes_window(layout, turn) * (size_t)layout->pieces + (size_t)piece];
}

bool topo_lanes_is_filled(const struct topo_lanes_layout *layout, int turn, int piece)
{
    return atomic_load_explicit(filled_at(layout, turn, piece), memory_order_acquire) ==
           layout->first + (uint64_t)turn + 1;
}

void topo_lanes_fill(const struct topo_lanes_layout *layout, int turn, int piece)
{
    atomic_store_explicit(filled_at(layout, turn, piece), layout->first + (uint64_t)turn + 1, memory_order_release);
}
