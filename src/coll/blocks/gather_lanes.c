/* Allgather(v) for long blocks, by all ranks of each node (plan/gather_lanes.c), in windows of segments that the node
 * shares (node/shm_windows.h). */
#include "base/copy.h"
#include "coll/base/scratch.h"
#include "coll/engine/engine.h"
#include "coll/blocks/gather.h"
#include "node/shm_windows.h"
#include "patterns/limits.h"
#include "plan/gather.h"

struct run {
    const struct topo_allgather *call;
    struct topo_shm_windows windows;
    char **place;  /* of each block, by its number in a window */
    size_t *bytes; /* of it */
    bool stream;   /* the result is larger than caches */
};

/* Of a block, before this round's segment; of that. */
static size_t before(const struct run *run, int64_t round)
{
    return (size_t)round * run->windows.stride;
}

static size_t bytes_of(const struct run *run, int64_t round, int block)
{
    const size_t all = run->bytes[block], done = before(run, round);
    if (all <= done)
        return 0;
    return all - done < run->windows.stride ? all - done : run->windows.stride;
}

static struct topo_elements place(const void *of, int64_t round, int block)
{
    const struct run *run = of;
    return (struct topo_elements){topo_shm_windows_at(&run->windows, round, 0, block),
                                  (MPI_Count)bytes_of(run, round, block), MPI_BYTE};
}

static enum topo_engine_work give(void *of, int64_t round, int block, int *code)
{
    const struct run *run = of;
    const size_t bytes = bytes_of(run, round, block);
    (void)code;
    if (bytes > 0) {
        topo_copy(topo_shm_windows_at(&run->windows, round, 0, block), run->call->own + before(run, round), bytes,
                  false);
        topo_shm_windows_fill(&run->windows, round, block);
    }
    return TOPO_ENGINE_ALL;
}

static int take(const void *of, int64_t round, int block)
{
    const struct run *run = of;
    const size_t bytes = bytes_of(run, round, block);
    if (bytes > 0)
        topo_copy(run->place[block] + before(run, round), topo_shm_windows_at(&run->windows, round, 0, block), bytes,
                  run->stream);
    return MPI_SUCCESS;
}

/* Fills place[] and bytes[]; `taken` gets the blocks where they cannot be written into the receive buffer as they are.
 */
static void describe_blocks(struct run *run, const struct topo_plan *plan, char *taken)
{
    const struct topo_allgather *call = run->call;
    for (int i = 0; i < plan->ranks; i++) {
        const int position = (int)topo_plan_number_in(plan, i);
        const struct topo_data data = topo_allgather_block(call, topo_tree_rank(call->comm->tree, position));
        run->place[i] = taken ? taken + topo_allgather_before(call, position) : data.base;
        run->bytes[i] = data.bytes;
    }
}

static int run_plan(struct run *run, const struct topo_plan *plan)
{
    const struct topo_allgather *call = run->call;
    const size_t all = topo_allgather_before(call, call->comm->ranks), ranks = (size_t)call->comm->ranks;
    char *taken = call->receive.contiguous ? NULL : topo_scratch_take(all);
    const struct topo_engine_windows windows = {
        .shm = &run->windows, .place = place, .give = give, .take = take, .of = run};
    int code = MPI_ERR_NO_MEM;
    run->place = topo_scratch_take(ranks * (sizeof *run->place + sizeof *run->bytes));
    run->stream = all >= TOPO_COPY_STREAM;
    if (run->place && (call->receive.contiguous || taken)) {
        run->bytes = (size_t *)(run->place + ranks);
        describe_blocks(run, plan, taken);
        code = topo_engine_run_windows(call->comm, plan, &windows);
        for (int i = 0; i < plan->ranks && taken && code == MPI_SUCCESS; i++)
            code = topo_allgather_place(call, topo_tree_rank(call->comm->tree, (int)topo_plan_number_in(plan, i)),
                                        run->place[i]);
    }
    topo_scratch_give(run->place);
    topo_scratch_give(taken);
    return code;
}

int topo_gather_lanes(const struct topo_allgather *call)
{
    struct topo_comm *comm = call->comm;
    struct topo_node *node = topo_comm_node(comm);
    if (!node)
        return MPI_ERR_NO_MEM;
    struct run run = {.call = call};
    const bool oversubscribed = !comm->layout.has_processors;
    const size_t longest = topo_allgather_longest(call), given = comm->call.parameters.segment;
    const struct topo_gather_lanes_cut cut = topo_gather_lanes_cut(node->levels, oversubscribed, longest);
    /* Of their bytes plans know whether a block is one segment. */
    const struct topo_plan_input in = {.bytes =
                                           (size_t)comm->ranks * (longest <= cut.segment ? 1 : TOPO_SEGMENT_BYTES + 1)};
    const struct topo_plan *kept = topo_comm_plan(comm, topo_plan_gather_lanes, &in);
    if (!kept)
        return MPI_ERR_NO_MEM;
    if (!topo_shm_windows_open(&run.windows, node, comm->ranks, longest, given ? given : cut.segment)) {
        topo_comm_lacks_shm(comm); /* found by all ranks alike: `auto` takes other forms from now on */
        return topo_gather_by_rank(call, TOPO_ALGORITHM_allgather_ring);
    }
    const struct topo_plan plan = topo_plan_in_windows(kept, node->levels, cut.kind, oversubscribed, call->counts.at,
                                                       run.windows.rounds, run.windows.windows);
    return run_plan(&run, &plan);
}
