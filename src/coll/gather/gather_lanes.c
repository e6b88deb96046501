/* Allgather(v) for long blocks, by all ranks of each node (plan/gather_lanes.c), in windows of segments that the node
 * shares (node/shm_windows.h). */
#include "base/copy.h"
#include "coll/base/scratch.h"
#include "coll/engine/engine.h"
#include "coll/gather/gather.h"
#include "node/shm_windows.h"
#include "patterns/limits.h"
#include "plan/gather.h"

struct run {
    const struct topo_allgather *call;
    struct topo_shm_windows windows;
    char **place;  /* of each block, by its number in the windows */
    size_t *bytes; /* of it */
    bool stream;   /* the result is larger than caches */
};

static size_t bytes_of(const struct run *run, int64_t number)
{
    const size_t block = run->bytes[number % run->windows.blocks],
                 before = (size_t)(number / run->windows.blocks) * run->windows.stride;
    if (block <= before)
        return 0;
    return block - before < run->windows.stride ? block - before : run->windows.stride;
}

static struct topo_elements place(const void *of, int64_t number, int count)
{
    const struct run *run = of;
    (void)count; /* one */
    return (struct topo_elements){topo_shm_windows_at(&run->windows, number), (MPI_Count)bytes_of(run, number),
                                  MPI_BYTE};
}

static void copy(const void *of, int64_t number, bool out)
{
    const struct run *run = of;
    const size_t before = (size_t)(number / run->windows.blocks) * run->windows.stride;
    char *slot = topo_shm_windows_at(&run->windows, number);
    if (out)
        topo_copy(run->place[number % run->windows.blocks] + before, slot, bytes_of(run, number), run->stream);
    else
        topo_copy(slot, run->call->own + before, bytes_of(run, number), false);
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
    struct topo_engine_vector vector = {.place = place, .of = run, .windows = &run->windows, .copy = copy};
    int code = MPI_ERR_NO_MEM;
    run->place = topo_scratch_take(ranks * (sizeof *run->place + sizeof *run->bytes));
    run->stream = all >= TOPO_COPY_STREAM;
    if (run->place && (call->receive.contiguous || taken)) {
        run->bytes = (size_t *)(run->place + ranks);
        describe_blocks(run, plan, taken);
        code = topo_engine_run(call->comm, plan, &vector, NULL);
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
