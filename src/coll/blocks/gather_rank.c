/* Allgathers by messages between all ranks, as their plans say (plan/gather.h). Blocks that travel by themselves come
 * straight to their places, as elements of the types that these have; those that travel together lie in the receive
 * buffer where that has them in their order, else beside it until the end. */
#include <string.h>

#include "coll/base/scratch.h"
#include "coll/engine/engine.h"
#include "coll/blocks/gather.h"
#include "plan/gather.h"

struct run {
    const struct topo_allgather *call;
    struct topo_plan_numbers numbers; /* of the blocks, where they are not those of ranks */
    char *blocks;                     /* together: one after the other from block `first` on, round */
    int first;
    bool again; /* the own block comes once more */
};

/* The rank whose block has a number. */
static int rank_of(const struct run *run, int64_t block)
{
    return run->numbers.rank ? run->numbers.rank(run->numbers.of, (int)block) : (int)block;
}

/* Of one block, in the receive buffer; the own one where it was, whose bytes nobody has written anew. */
static struct topo_elements apart(const void *of, int64_t block, int count)
{
    const struct run *run = of;
    const int rank = rank_of(run, block);
    const struct topo_data data = topo_allgather_block(run->call, rank);
    (void)count;
    if (rank == run->call->comm->rank && !run->again)
        return (struct topo_elements){(char *)run->call->own, (MPI_Count)data.bytes, MPI_PACKED};
    return (struct topo_elements){data.base, data.count, data.type};
}

static struct topo_elements together(const void *of, int64_t block, int count)
{
    const struct run *run = of;
    size_t m = run->call->m, at = (size_t)(block - run->first + (block < run->first ? run->call->comm->ranks : 0));
    return (struct topo_elements){run->blocks + at * m, (MPI_Count)((size_t)count * m), MPI_BYTE};
}

static int run_apart(struct run *run, const struct topo_plan *plan)
{
    run->again = plan->again;
    const struct topo_engine_vector vector = {.place = apart, .of = run};
    int code = topo_allgather_place(run->call, run->call->comm->rank, run->call->own);
    return topo_first_error(code, topo_engine_run(run->call->comm, plan, &vector, NULL));
}

static int run_together(struct run *run, const struct topo_plan *plan)
{
    const struct topo_allgather *call = run->call;
    const struct topo_engine_vector vector = {.place = together, .of = run};
    const bool in_buffer = call->receive.contiguous && !run->numbers.rank && plan->lies_first == 0;
    char *taken = in_buffer ? NULL : topo_scratch_take((size_t)plan->ranks * call->m);
    run->first = plan->lies_first;
    run->blocks = in_buffer ? call->receive.base : taken;
    if (!run->blocks)
        return MPI_ERR_NO_MEM;
    char *own = together(run, plan->own, 1).at;
    if (own != call->own)
        memcpy(own, call->own, call->m);
    int code = topo_engine_run(call->comm, plan, &vector, NULL);
    for (int block = 0; taken && block < plan->ranks && code == MPI_SUCCESS; block++)
        code = topo_allgather_place(call, rank_of(run, block), together(run, block, 1).at);
    topo_scratch_give(taken);
    return code;
}

int topo_gather_by_rank(const struct topo_allgather *call, enum topo_algorithm_id id)
{
    struct run run = {.call = call};
    const bool by_itself = topo_plan_is_apart(id, call->m);
    /* Of their bytes plans know that alone. */
    const struct topo_plan_input in = {.bytes = (size_t)call->comm->ranks * (by_itself ? TOPO_PLAN_APART_BYTES : 1),
                                       .numbers = topo_comm_numbers(call->comm, id)};
    const struct topo_plan *plan = topo_comm_plan(call->comm, topo_plan_of(id), &in);
    if (!plan)
        return MPI_ERR_NO_MEM;
    /* Those that begin with an exchange end with each rank's block under its own number. */
    if (!(topo_algorithm(id)->traits & TOPO_TRAIT_NEIGHBOURS))
        run.numbers = in.numbers;
    return by_itself ? run_apart(&run, plan) : run_together(&run, plan);
}
