#include "topo-bench/guideline_call.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "coll/call/operations.h"
#include "common/cli.h"
#include "topo-bench/settle.h"

enum { SETS_MOST = 8, SETS_LEAST = 2, GRANTS = 3 };
static const size_t MOST_BYTES = (size_t)16 << 20;

/* What a step is called with. */
struct step_call {
    struct bench_caller *caller;
    const struct bench_step *step;
    double *from, *to;
    const void *sent; /* from, or MPI_IN_PLACE */
    size_t count;
};

/* A function of MPI's that TopoMPI has, too. */
#define BOTH(mpi_call, topo_call, ...) \
    (c->library ? topo_call(NULL, __VA_ARGS__, c->comm) : mpi_call(__VA_ARGS__, c->comm))

static int run_step(const struct step_call *call)
{
    const struct bench_caller *c = call->caller;
    const bool is_root = c->rank == c->root;
    const int n = (int)call->count, *counts = c->counts, *places = c->places, root = c->root;
    const void *from = call->from, *sent = call->sent;
    double *to = call->to;
    MPI_Datatype type = call->step->amount == BENCH_INTEGER ? MPI_INT : MPI_DOUBLE;
    const MPI_Op op = MPI_SUM;
    switch (call->step->kind) {
    case BENCH_STEP_ALLGATHER: return BOTH(PMPI_Allgather, topo_allgather, sent, n, type, to, n, type);
    case BENCH_STEP_ALLGATHERV: return BOTH(PMPI_Allgatherv, topo_allgatherv, sent, n, type, to, counts, places, type);
    case BENCH_STEP_ALLREDUCE: return BOTH(PMPI_Allreduce, topo_allreduce, sent, to, n, type, op);
    case BENCH_STEP_ALLTOALL: return BOTH(PMPI_Alltoall, topo_alltoall, sent, n, type, to, n, type);
    case BENCH_STEP_ALLTOALLV:
        return BOTH(PMPI_Alltoallv, topo_alltoallv, sent, counts, places, type, to, counts, places, type);
    case BENCH_STEP_BARRIER: return c->library ? topo_barrier(NULL, c->comm) : PMPI_Barrier(c->comm);
    case BENCH_STEP_BCAST: return BOTH(PMPI_Bcast, topo_bcast, to, n, type, root);
    case BENCH_STEP_EXSCAN: return BOTH(PMPI_Exscan, topo_exscan, sent, to, n, type, op);
    case BENCH_STEP_GATHER: return BOTH(PMPI_Gather, topo_gather, from, n, type, to, n, type, root);
    case BENCH_STEP_GATHERV: return BOTH(PMPI_Gatherv, topo_gatherv, from, n, type, to, counts, places, type, root);
    case BENCH_STEP_REDUCE: return BOTH(PMPI_Reduce, topo_reduce, is_root ? sent : from, to, n, type, op, root);
    case BENCH_STEP_REDUCE_LOCAL:
        if (c->rank > 0)
            return PMPI_Reduce_local(from, to, n, type, op);
        memcpy(to, from, call->count * sizeof *to);
        return MPI_SUCCESS;
    case BENCH_STEP_REDUCE_SCATTER: return BOTH(PMPI_Reduce_scatter, topo_reduce_scatter, sent, to, counts, type, op);
    case BENCH_STEP_REDUCE_SCATTER_BLOCK:
        return BOTH(PMPI_Reduce_scatter_block, topo_reduce_scatter_block, sent, to, n, type, op);
    case BENCH_STEP_SCAN: return BOTH(PMPI_Scan, topo_scan, sent, to, n, type, op);
    case BENCH_STEP_SCATTER: return BOTH(PMPI_Scatter, topo_scatter, from, n, type, to, n, type, root);
    case BENCH_STEP_SCATTERV: return BOTH(PMPI_Scatterv, topo_scatterv, from, counts, places, type, to, n, type, root);
    case BENCH_STEP_COPIES:
        for (int i = 0; i < c->ranks; i++)
            memcpy(to + (size_t)i * call->count, from, call->count * sizeof *to);
        return MPI_SUCCESS;
    case BENCH_STEP_OWN_PART:
        memcpy(to, call->from + (size_t)c->rank * call->count, call->count * sizeof *to);
        return MPI_SUCCESS;
    case BENCH_NO_STEP:
    case BENCH_STEPS: break;
    }
    return MPI_ERR_INTERN;
}

/* Buffer `which` of a set. */
static double *memory_of(const struct bench_buffers *buffers, enum bench_buffer which, int set)
{
    return buffers->memory[which] + (size_t)set * buffers->extent[which];
}

static struct step_call call_of(struct bench_caller *caller, int step, int set)
{
    const struct bench_step *s = &caller->form->step[step];
    struct step_call call = {.caller = caller,
                             .step = s,
                             .from = memory_of(caller->buffers, s->from, set),
                             .to = memory_of(caller->buffers, s->to, set),
                             .count = bench_step_count(s, caller->count, caller->ranks)};
    call.sent = caller->form->in_place ? MPI_IN_PLACE : call.from;
    return call;
}

int bench_caller_run(struct bench_caller *caller)
{
    struct bench_buffers *buffers = caller->buffers;
    int code = MPI_SUCCESS;
    for (int time = 0; time <= caller->form->again; time++) {
        for (int i = 0; i < BENCH_STEPS_MAX && caller->form->step[i].kind && code == MPI_SUCCESS; i++) {
            const struct step_call call = call_of(caller, i, buffers->next);
            code = run_step(&call);
        }
        buffers->next = (buffers->next + 1) % buffers->sets;
    }
    return code;
}

static int run_one(void *context)
{
    return run_step(context);
}

/* True the first time. */
static bool is_new(struct bench_settled *settled, const struct bench_settling *settling)
{
    for (int i = 0; i < settled->count; i++) {
        const struct bench_settled_call *before = &settled->call[i];
        if (before->comm == settling->comm && before->operation == (int)settling->operation &&
            before->bytes == settling->bytes)
            return false;
    }
    if (!topo_grow(&settled->call, (size_t)settled->count, sizeof *settled->call))
        PMPI_Abort(MPI_COMM_WORLD, CLI_FAILED); /* the others would not agree */
    settled->call[settled->count++] =
        (struct bench_settled_call){settling->comm, (int)settling->operation, settling->bytes};
    return true;
}

void bench_caller_settle(struct bench_caller *caller, double batch, struct bench_settled *settled)
{
    bool takes_part = caller->library && caller->comm != MPI_COMM_NULL;
    for (int i = 0; i < BENCH_STEPS_MAX && takes_part && caller->form->step[i].kind; i++) {
        struct step_call call = call_of(caller, i, 0);
        int operation = bench_step_info[call.step->kind].operation;
        if (operation == BENCH_NOT_OURS)
            continue;
        const struct bench_settling settling = {
            .comm = caller->comm,
            .operation = (enum topo_operation)operation,
            .bytes = call.count * (call.step->amount == BENCH_INTEGER ? sizeof(int) : sizeof(double)),
            .batch = batch,
            .call = run_one,
            .context = &call};
        if (is_new(settled, &settling))
            bench_settle(&settling);
    }
    /* What another root or another form of the same call asks for. */
    for (int i = 0; i < GRANTS && takes_part; i++) {
        bench_caller_run(caller);
        bench_grant(caller->comm);
    }
}

bool bench_caller_open(const struct bench_calling *calling, struct bench_buffers *buffers, struct bench_caller *caller)
{
    const struct bench_form *form = calling->form;
    *caller = (struct bench_caller){.form = form,
                                    .library = calling->library,
                                    .comm = calling->comm,
                                    .outcome = calling->outcome,
                                    .buffers = buffers};
    if (caller->comm == MPI_COMM_NULL)
        return true;
    PMPI_Comm_rank(caller->comm, &caller->rank);
    PMPI_Comm_size(caller->comm, &caller->ranks);
    caller->root = form->root == BENCH_ROOT_MIDDLE ? caller->ranks / 2
                   : form->root == BENCH_ROOT_LAST ? caller->ranks - 1
                                                   : 0;
    caller->count = form->twice ? 2 * calling->count : calling->count;
    if (caller->count > (size_t)INT_MAX / (size_t)caller->ranks)
        return false;
    caller->counts = topo_alloc(2 * (size_t)caller->ranks, sizeof *caller->counts);
    if (!caller->counts)
        return false;
    caller->places = caller->counts + caller->ranks;
    for (int i = 0; i < caller->ranks; i++) {
        caller->counts[i] = (int)caller->count;
        caller->places[i] = i * (int)caller->count;
    }
    return true;
}

void bench_caller_close(struct bench_caller *caller)
{
    topo_free(caller->counts);
    caller->counts = NULL;
}

bool bench_buffers_open(const struct bench_caller callers[2], size_t count, struct bench_buffers *buffers)
{
    size_t bytes = 0;
    bool all = true;
    *buffers = (struct bench_buffers){0};
    for (int b = 0; b < BENCH_BUFFERS; b++) {
        buffers->extent[b] = 1;
        for (int i = 0; i < 2; i++) {
            size_t extent = bench_form_extent(callers[i].form, (enum bench_buffer)b, count, callers[i].ranks);
            buffers->extent[b] = extent > buffers->extent[b] ? extent : buffers->extent[b];
        }
        bytes += buffers->extent[b] * sizeof(double);
    }
    buffers->sets = bytes * SETS_LEAST > MOST_BYTES  ? SETS_LEAST
                    : bytes * SETS_MOST > MOST_BYTES ? (int)(MOST_BYTES / bytes)
                                                     : SETS_MOST;
    for (int b = 0; b < BENCH_BUFFERS; b++) {
        buffers->memory[b] = topo_calloc(buffers->extent[b] * (size_t)buffers->sets, sizeof(double));
        all = all && buffers->memory[b];
    }
    return all;
}

void bench_buffers_close(struct bench_buffers *buffers)
{
    for (int b = 0; b < BENCH_BUFFERS; b++) {
        topo_free(buffers->memory[b]);
        buffers->memory[b] = NULL;
    }
}

void bench_buffers_clear(struct bench_buffers *buffers)
{
    for (int b = 0; b < BENCH_BUFFERS; b++)
        memset(buffers->memory[b], 0, buffers->extent[b] * (size_t)buffers->sets * sizeof(double));
}
