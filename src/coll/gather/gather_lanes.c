/* Allgather(v) for long blocks: all ranks of a node drive the network exchange, segment
 * by segment, straight into and out of node-shared memory; every rank copies each
 * segment out of it once, as soon as it is there.
 *
 * Cost: (n - s) m beta for the link of a node with s ranks, the least there can
 * be, plus the time the first segment needs to arrive at the last node and one
 * iteration's copies; inside the node (n + 1) m bytes copied by each rank meanwhile.
 *
 * The blocks travel in iterations of at most `stride` bytes of each. A block that is
 * shorter than others has no segment in the later iterations: nobody writes, sends or
 * waits for it there; every iteration has a segment of the longest one. An iteration has a
 * window in the region with one slot for each block, `windows` of them follow
 * each other in a circle. A slot's number says of which iteration the segment is that
 * lies in it; `finished` of each rank says how many iterations it has read and sent on.
 * A window is written anew when all ranks of the node have finished the iteration that
 * was in it. Iterations are counted over all calls of the communicator, so calls
 * overlap as iterations do. Why nobody waits in a circle: patterns/gather_lanes.h. */
#include "coll/gather/gather_lanes.h"

#include <string.h>

#include "base/copy.h"
#include "coll/base/scratch.h"
#include "patterns/limits.h"
#include "base/align.h"

enum {
    SEGMENT_LEAST = 1024, /* below this the region is too small for so many ranks */
    WINDOWS_LEAST = 2,
    WINDOWS_WANTED = 4,
    SENDS_BY_TREES = 2, /* a rank has blocks for several nodes: all at once would come late together */
    SENDS_LEAST = 2,    /* of a rank, synchronous ones: one of them is kept for the next in order */
    NODE_SENDS = 8      /* of a node whose ranks are too few to have as many with SENDS_LEAST */
};

static int write_own(struct topo_gather_segments *run)
{
    int iteration = run->write_iteration, own = run->lanes->own;
    if (!topo_gather_segments_has(run, iteration, own) || !topo_gather_segments_free(run, iteration))
        return 0;
    topo_copy(run->slots + topo_gather_segments_slot(run, iteration, own) * run->stride,
              run->call->own + (size_t)iteration * run->stride, topo_gather_segments_bytes(run, iteration, own), false);
    topo_gather_segments_fill(run, iteration, own);
    run->write_iteration++;
    return 1;
}

/* The next segment of read_iteration that is to be read, or else the next iteration. */
static void find_unread(struct topo_gather_segments *run)
{
    int blocks = run->lanes->blocks;
    while (run->read_from < blocks && run->block[run->read_from].read)
        run->read_from++;
    if (run->read_from < blocks)
        return;
    run->read_iteration++;
    run->read_from = blocks;
    for (int block = blocks - 1; block >= 0; block--) {
        run->block[block].read = !topo_gather_segments_has(run, run->read_iteration, block);
        run->read_from = run->block[block].read ? run->read_from : block;
    }
    topo_gather_segments_finish(run);
}

/* Reads one segment that is there. */
static int read_segment(struct topo_gather_segments *run)
{
    if (run->read_iteration == run->iterations)
        return 0;
    int end = run->read_from + TOPO_GATHER_SEGMENTS_LOOK_AHEAD < run->lanes->blocks
                  ? run->read_from + TOPO_GATHER_SEGMENTS_LOOK_AHEAD
                  : run->lanes->blocks;
    for (int i = run->read_from; i < end; i++) {
        struct topo_gather_segments_block *block = &run->block[i];
        if (block->read || !topo_gather_segments_filled(run, run->read_iteration, i))
            continue;
        topo_copy(block->place + (size_t)run->read_iteration * run->stride,
                  run->slots + topo_gather_segments_slot(run, run->read_iteration, i) * run->stride,
                  topo_gather_segments_bytes(run, run->read_iteration, i), run->stream);
        block->read = true;
        find_unread(run);
        return 1;
    }
    return 0;
}

static int run_iterations(struct topo_gather_segments *run)
{
    int code = MPI_SUCCESS, idle = 0, own = run->block[run->lanes->own].segments;
    find_unread(run);
    topo_gather_segments_begin(run);
    while (code == MPI_SUCCESS && (run->active || run->write_iteration < own || run->read_iteration < run->iterations ||
                                   run->receive_iteration < run->iterations || run->send_iteration < run->iterations)) {
        int moved = topo_gather_segments_end(run, &code);
        moved |= write_own(run);
        moved |= topo_gather_segments_start(run, &code);
        moved |= read_segment(run);
        if (moved) {
            idle = 0;
            continue;
        }
        topo_idle(&idle, !run->active, &run->node->wait_policy);
    }
    topo_gather_segments_finish(run);
    run->node->iteration += (uint64_t)run->iterations;
    return code;
}

/* Bytes of the region before the slots: equal on all nodes. */
static size_t header_bytes(const struct topo_comm *comm)
{
    return topo_align((size_t)comm->layout.node_ranks_max * sizeof(struct topo_flag) +
                          (size_t)TOPO_GATHER_SEGMENTS_WINDOWS_MOST * (size_t)comm->ranks * sizeof(uint64_t),
                      4096);
}

/* In a new region. */
static void begin(struct topo_gather_segments *run)
{
    struct topo_node *node = run->node;
    node->iteration = topo_counters_start.iterations;
    node->settled = 0;
    if (!topo_counters_elsewhere())
        return;
    for (int i = 0; i < node->ranks; i++)
        topo_flag_set(&run->finished[i], (uint32_t)node->iteration);
    topo_counters_set(run->node);
}

/* Bytes of a segment of a block of `m` bytes that is cut into as few as may be, of up to `most`. */
static size_t share_of(size_t m, size_t most)
{
    size_t iterations = (m + most - 1) / most;
    return topo_align((m + iterations - 1) / iterations, TOPO_CACHE_LINE);
}

/* Memory for windows of segments of `stride` bytes, else of a half, a quarter and so on; false when there is none even
 * for SEGMENT_LEAST. A window of 1,024 ranks and 32 KiB takes 32 MiB. */
static bool reserve(struct topo_node *node, size_t header, size_t blocks, size_t stride, bool *anew)
{
    for (size_t tried = stride;; tried = tried / 2 > SEGMENT_LEAST ? tried / 2 : SEGMENT_LEAST) {
        size_t window = blocks * tried;
        const struct topo_shm_size size = {header, header + WINDOWS_LEAST * window, header + WINDOWS_WANTED * window};
        if (topo_node_reserve(node, TOPO_SHM_GATHER, size, anew))
            return true;
        if (tried <= SEGMENT_LEAST)
            return false;
    }
}

/* Finds the sizes of segments of blocks of up to `m` bytes and lays the region out; false when there is none to use. */
static bool lay_out(struct topo_gather_segments *run, size_t m, const struct topo_gather_lanes_cut *cut)
{
    struct topo_comm *comm = run->call->comm;
    struct topo_node *node = run->node;
    size_t blocks = (size_t)comm->ranks, header = header_bytes(comm);
    size_t given = comm->call.parameters.segment;
    size_t stride = share_of(m, given ? given : cut->segment);
    bool anew;
    if (!reserve(node, header, blocks, stride, &anew))
        return false;
    const struct topo_shm_region *segment = &node->region[TOPO_SHM_GATHER];
    size_t room = (segment->bytes - header) / blocks;
    if (room / WINDOWS_LEAST < stride)
        stride = share_of(m, room / WINDOWS_LEAST / TOPO_CACHE_LINE * TOPO_CACHE_LINE);
    run->finished = (struct topo_flag *)segment->base;
    run->filled = (_Atomic uint64_t *)(segment->base + (size_t)comm->layout.node_ranks_max * sizeof(struct topo_flag));
    if (anew)
        begin(run);
    else if (node->stride != stride)
        node->settled = node->iteration;
    node->stride = stride;
    run->windows =
        room / stride < TOPO_GATHER_SEGMENTS_WINDOWS_MOST ? (int)(room / stride) : TOPO_GATHER_SEGMENTS_WINDOWS_MOST;
    run->stride = stride;
    run->iterations = (int)((m + stride - 1) / stride);
    /* The node with the least to send has the most to receive: who sends to it must not run out of segments when others
     * are late. Where all have as much to do, and by trees, whatever the blocks, later segments only hold earlier ones
     * up (docs/LEVELS.md), until all windows are taken: then behind a block that comes from another rack all others
     * would wait. */
    bool waits = run->iterations > run->windows && comm->layout.has_racks && comm->layout.has_processors;
    bool uneven = comm->layout.node_ranks_min < comm->layout.node_ranks_max || run->call->counts.at;
    run->ahead = waits || (uneven && cut->kind == TOPO_PATH_RING) ? run->windows : 1;
    run->sends = cut->kind == TOPO_PATH_TREE && run->ahead == 1 ? SENDS_BY_TREES : TOPO_GATHER_SEGMENTS_SENDS;
    /* Own segments of several iterations are there from the start. Sent at once, they share the link with what others
     * wait for: 128 KiB on 15 simulated nodes of 8 ranks and one of 3 took 2,177 us so, 1,528 with two under way. */
    run->synchronous = run->iterations > 1 && uneven && cut->kind == TOPO_PATH_RING && comm->layout.has_processors &&
                       !comm->layout.has_racks;
    if (run->synchronous) {
        run->sends = NODE_SENDS / comm->layout.node_ranks_max;
        run->sends = run->sends > SENDS_LEAST ? run->sends : SENDS_LEAST;
    }
    run->slots = segment->base + header;
    return true;
}

/* Fills block[]; `taken` gets the blocks where they cannot be written into the receive buffer as they are. */
static void describe_blocks(struct topo_gather_segments *run, char *taken)
{
    const struct topo_allgather *call = run->call;
    for (int i = 0; i < run->lanes->blocks; i++) {
        int position = run->lanes->position[i];
        struct topo_data data = topo_allgather_block(call, topo_tree_rank(call->comm->tree, position));
        run->block[i] = (struct topo_gather_segments_block){
            .bytes = data.bytes,
            .segments = (int)((data.bytes + run->stride - 1) / run->stride),
            .read = data.bytes == 0,
            .place = taken ? taken + topo_allgather_before(call, position) : data.base};
    }
}

int topo_gather_lanes(const struct topo_allgather *call)
{
    struct topo_gather_segments run = {.call = call, .node = topo_comm_node(call->comm)};
    size_t all = topo_allgather_before(call, call->comm->ranks);
    char *taken = NULL;
    int code = MPI_ERR_NO_MEM;
    if (!run.node)
        return MPI_ERR_NO_MEM;
    const size_t longest = topo_allgather_longest(call);
    const struct topo_gather_lanes_cut cut =
        topo_gather_lanes_cut(run.node->levels, !call->comm->layout.has_processors, longest);
    struct topo_gather_lanes **lanes = &run.node->lanes[cut.kind];
    if (!*lanes)
        topo_gather_lanes_new(run.node->levels, run.node->index, run.node->local, cut.kind, lanes);
    if (!*lanes)
        return MPI_ERR_NO_MEM;
    if (!lay_out(&run, longest, &cut)) {
        topo_comm_lacks_shm(call->comm); /* found by all ranks alike: `auto` takes other forms from now on */
        return topo_gather_by_rank(call, TOPO_ALGORITHM_allgather_ring);
    }
    run.lanes = *lanes;
    size_t marks = (size_t)TOPO_GATHER_SEGMENTS_WINDOWS_MOST * (size_t)run.lanes->sends * sizeof *run.sent;
    run.block = topo_scratch_take((size_t)run.lanes->blocks * sizeof *run.block + marks);
    if (!call->receive.contiguous)
        taken = topo_scratch_take(all);
    run.stream = all >= TOPO_COPY_STREAM;
    if (run.block && (call->receive.contiguous || taken)) {
        run.sent = memset(run.block + run.lanes->blocks, 0, marks);
        describe_blocks(&run, taken);
        code = run_iterations(&run);
        for (int i = 0; i < run.lanes->blocks && taken && code == MPI_SUCCESS; i++)
            code = topo_allgather_place(call, topo_tree_rank(call->comm->tree, run.lanes->position[i]),
                                        run.block[i].place);
    }
    topo_scratch_give(run.block);
    topo_scratch_give(taken);
    return code;
}
