#include "coll/gather/gather_direct.h"

#include <string.h>

#include "coll/base/scratch.h"
#include "coll/base/transport.h"

bool topo_allgather_is_direct(const struct topo_allgather *call)
{
    return call->m >= TOPO_DIRECT_BYTES;
}

/* The state of one run. */
struct run {
    const struct topo_allgather *call;
    const struct topo_step *steps;
    int step_count;
    const int *owner;
    char *blocks; /* n blocks of m bytes by rank */
    MPI_Request *receives, *sends;
    int *position; /* of the block that receives[i] brings */
    int *done;     /* indices that MPI_Waitsome gives */
    int receive_count, send_count;
};

static char *slot(const struct run *run, int position)
{
    return run->blocks + (size_t)run->owner[position] * run->call->m;
}

/* Every block is received once, so its owner's rank tells its message from all others. */
static int post_receives(struct run *run)
{
    const struct topo_allgather *call = run->call;
    for (int s = 0; s < run->step_count; s++)
        for (int i = 0; i < run->steps[s].count; i++) {
            int at = run->steps[s].receive_at + i;
            int code = topo_irecv_typed(slot(run, at), (int)call->m, MPI_BYTE, run->steps[s].from, run->owner[at],
                                        call->channel, &run->receives[run->receive_count]);
            if (code != MPI_SUCCESS)
                return code;
            run->position[run->receive_count++] = at;
        }
    return MPI_SUCCESS;
}

/* The block at position `at` is here: on to whoever gets it from us. */
static int pass_on(struct run *run, int at)
{
    const struct topo_allgather *call = run->call;
    for (int s = 0; s < run->step_count; s++) {
        const struct topo_step *step = &run->steps[s];
        if (at < step->send_at || at >= step->send_at + step->count)
            continue;
        int code = topo_isend_typed(slot(run, at), (int)call->m, MPI_BYTE, step->to, run->owner[at], call->channel,
                                    &run->sends[run->send_count]);
        if (code != MPI_SUCCESS)
            return code;
        run->send_count++;
    }
    return MPI_SUCCESS;
}

static int exchange(struct run *run, int start)
{
    int left = run->receive_count, arrived;
    int code = pass_on(run, start);
    while (left > 0 && code == MPI_SUCCESS) {
        code = PMPI_Waitsome(run->receive_count, run->receives, &arrived, run->done, MPI_STATUSES_IGNORE);
        for (int i = 0; i < arrived && code == MPI_SUCCESS; i++, left--)
            code = pass_on(run, run->position[run->done[i]]);
    }
    int sent = PMPI_Waitall(run->send_count, run->sends, MPI_STATUSES_IGNORE);
    return code != MPI_SUCCESS ? code : sent;
}

int topo_allgather_direct(const struct topo_allgather *call, const struct topo_step *steps, int step_count,
                          const int *owner, int start, const char *first)
{
    int n = call->comm->ranks, code = MPI_ERR_NO_MEM, sends = 0;
    struct run run = {.call = call, .steps = steps, .step_count = step_count, .owner = owner};
    char *packed = NULL, *tables = NULL;
    for (int s = 0; s < step_count; s++)
        sends += steps[s].count;
    size_t requests = (size_t)(n + sends) * sizeof *run.receives;
    tables = topo_scratch_take(requests + 2 * (size_t)n * sizeof *run.position);
    if (!call->receive.contiguous)
        packed = topo_scratch_take((size_t)n * call->m);
    if (!tables || (!call->receive.contiguous && !packed))
        goto out;
    run.receives = (MPI_Request *)(void *)tables;
    run.sends = run.receives + n;
    run.position = (int *)(void *)(tables + requests);
    run.done = run.position + n;
    run.blocks = packed ? packed : call->receive.base;

    code = post_receives(&run);
    if (code == MPI_SUCCESS && slot(&run, start) != first)
        memcpy(slot(&run, start), first, call->m);
    if (code == MPI_SUCCESS)
        code = exchange(&run, start);
    for (int rank = 0; packed && rank < n && code == MPI_SUCCESS; rank++)
        code = topo_allgather_place(call, rank, packed + (size_t)rank * call->m);
out:
    topo_scratch_give(packed);
    topo_scratch_give(tables);
    return code;
}
