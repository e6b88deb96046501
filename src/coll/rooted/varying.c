/* MPI_Gatherv and MPI_Scatterv by a tree. Only the root and the rank that has a block know how long it is. So the
 * lengths go up or down the tree first, 8 bytes each, and right behind them the short blocks, packed; a rank on the way
 * then knows what comes. Long blocks go by themselves, as ranks that pass on what others have would only lose time with
 * them. */
#include "coll/base/scratch.h"
#include "coll/engine/engine.h"
#include "coll/rooted/rooted.h"

struct run {
    const struct topo_rooted *call;
    const struct topo_plan *plan;
    int64_t *length;  /* [plan->ranks] of each block in the plan's order; */
    int64_t *by_rank; /* on the root [n] by rank, else [1] of the own one */
    size_t *start;    /* [plan->ranks + 1] bytes of the short ones before each, ... */
    char *blocks;     /* ... which lie here */
};

static struct topo_elements lengths_of(const void *of, int64_t first, int count)
{
    const struct run *run = of;
    return (struct topo_elements){run->length + first, (MPI_Count)((size_t)count * sizeof *run->length), MPI_BYTE};
}

static struct topo_elements blocks_of(const void *of, int64_t first, int count)
{
    const struct run *run = of;
    return (struct topo_elements){run->blocks + run->start[first],
                                  (MPI_Count)(run->start[first + count] - run->start[first]), MPI_BYTE};
}

/* Whose block lies in a place. */
static int rank_in(const struct run *run, int place)
{
    return topo_tree_rank(run->call->comm->tree, (int)topo_plan_number_in(run->plan, place));
}

static bool is_root(const struct run *run)
{
    return run->call->comm->rank == run->call->root;
}

/* What this rank knows at first. The root's own block goes no way. */
static void set_lengths(const struct run *run)
{
    const struct topo_rooted *call = run->call;
    for (int place = 0; place < run->plan->ranks; place++) {
        const bool knows = is_root(run) && !call->gathers && rank_in(run, place) != call->root;
        run->length[place] = knows ? (int64_t)topo_rooted_block(call, rank_in(run, place)).bytes : 0;
    }
    if (call->gathers && !is_root(run))
        run->length[run->plan->own] = (int64_t)call->own.bytes;
}

/* Once all lengths are here. */
static void lay_out(const struct run *run)
{
    run->start[0] = 0;
    for (int place = 0; place < run->plan->ranks; place++) {
        const int64_t length = run->length[place];
        run->start[place + 1] = run->start[place] + (length <= TOPO_ROOTED_SHORT ? (size_t)length : 0);
        if (is_root(run))
            run->by_rank[rank_in(run, place)] = length;
    }
    if (!is_root(run))
        run->by_rank[0] = run->length[run->plan->own];
}

/* Packs the short block of a place, or unpacks it: as much of it as there is. */
static int move(const struct run *run, int place, struct topo_data block, bool pack)
{
    const size_t length = run->start[place + 1] - run->start[place];
    MPI_Comm channel = run->call->comm->channel.comm;
    if (length == 0)
        return MPI_SUCCESS;
    if (length > block.bytes)
        return MPI_ERR_TRUNCATE;
    block.count = (MPI_Count)(length / (block.bytes / (size_t)block.count));
    block.bytes = length;
    char *packed = run->blocks + run->start[place];
    return pack ? topo_data_pack(&block, 0, packed, channel) : topo_data_unpack(&block, 0, packed, channel);
}

/* The root's blocks of all ranks, or a rank's own one. */
static int move_all(const struct run *run, bool pack)
{
    const struct topo_rooted *call = run->call;
    int code = MPI_SUCCESS;
    if (!is_root(run))
        return move(run, run->plan->own, call->own, pack);
    for (int place = 0; place < run->plan->ranks && code == MPI_SUCCESS; place++)
        code = move(run, place, topo_rooted_block(call, rank_in(run, place)), pack);
    return code;
}

/* Lengths are here: the short blocks, then the long ones. */
static int run_blocks(struct run *run, const struct topo_plan *direct)
{
    const struct topo_engine_vector vector = {.place = blocks_of, .of = run};
    struct topo_rooted others = *run->call;
    const bool gives = others.gathers != is_root(run);
    int code = MPI_SUCCESS, moved = MPI_SUCCESS;
    lay_out(run);
    run->blocks = topo_scratch_take(run->start[run->plan->ranks] + 1);
    if (!run->blocks)
        return MPI_ERR_NO_MEM;
    if (gives)
        moved = move_all(run, true);
    code = topo_engine_run(others.comm, run->plan, &vector, NULL);
    if (!gives && code == MPI_SUCCESS)
        moved = move_all(run, false);
    topo_scratch_give(run->blocks);
    others.lengths = run->by_rank;
    return topo_first_error(topo_first_error(code, moved), topo_rooted_direct(&others, direct));
}

int topo_rooted_varying(const struct topo_rooted *call, const struct topo_plan *tree, const struct topo_plan *direct)
{
    struct run run = {.call = call, .plan = tree};
    const struct topo_engine_vector vector = {.place = lengths_of, .of = &run};
    const size_t places = (size_t)tree->ranks, ranks = is_root(&run) ? places : 1;
    void *memory =
        topo_scratch_take(places * sizeof *run.length + ranks * sizeof *run.by_rank + (places + 1) * sizeof *run.start);
    if (!memory)
        return MPI_ERR_NO_MEM;
    run.length = memory;
    run.by_rank = run.length + places;
    run.start = (size_t *)(run.by_rank + ranks);
    set_lengths(&run);
    int code = topo_engine_run(call->comm, tree, &vector, NULL);
    code = topo_first_error(code, run_blocks(&run, direct));
    topo_scratch_give(memory);
    return topo_first_error(code, topo_rooted_copy_own(call));
}
