/* MPI_Alltoallv in the benchmark. */
#include "coll/alltoallv/alltoallv.h"
#include "job/job.h"
#include "topo-bench/blocks.h"
#include "topo-bench/lengths.h"
#include "topo-bench/loop.h"

/* Schedules of other counts are forgotten: the first call makes its own, not one of the next 64. */
static void forget_schedules(MPI_Comm comm)
{
    struct topo_comm *state = NULL;
    if (topo_comm_of(comm, &state) != MPI_SUCCESS || !state || state->native)
        return;
    struct topo_count_estimate *estimate = topo_count_estimate_of(state);
    if (estimate && estimate->tables)
        estimate->free_tables(estimate->tables);
    if (estimate)
        estimate->tables = NULL;
}

static bool open_call(struct bench_call *call)
{
    forget_schedules(call->comm);
    return bench_lengths_ready(call->request, call->ranks, call->bytes) && bench_blocks_open(call);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const struct bench_side *send = &s->send, *receive = &s->receive;
    if (variant->loop)
        return bench_loop_run(s, variant->loop == BENCH_LOOP_SHIFTED, (enum bench_loop_sync)variant->sync, call->comm);
    int *sync = &topo_job.options.value[TOPO_OPTION_ALLTOALLV_SYNC].choice, as_set = *sync;
    if (variant->sync >= 0)
        *sync = variant->sync;
    int code = BENCH_RUN(PMPI_Alltoallv, topo_alltoallv, send->memory, send->count, send->place, s->type,
                         receive->memory, receive->count, receive->place, s->type);
    *sync = as_set;
    return code;
}

/* Of the scheduled forms: "drc", or css's form. */
static const char *ran(const struct bench_call *call, const struct bench_variant *variant)
{
    struct topo_comm *state = NULL;
    if (!variant->algorithm || topo_comm_of(call->comm, &state) != MPI_SUCCESS || !state || state->native)
        return NULL;
    const struct topo_count_estimate *estimate = topo_count_estimate_of(state);
    if (!estimate || !estimate->ran)
        return NULL;
    return estimate->ran != variant->algorithm ? estimate->ran->name : estimate->form;
}

const struct bench_operation bench_alltoallv = {.name = "alltoallv",
                                                .help = "a message of another length between every two ranks",
                                                .describe = bench_lengths_describe,
                                                .blocks = BENCH_BLOCKS_EXCHANGED,
                                                .open = open_call,
                                                .close = bench_blocks_close,
                                                .fill = bench_blocks_fill,
                                                .run = run,
                                                .ran = ran,
                                                .wrong = bench_blocks_wrong,
                                                .bound = bench_traffic_alltoall,
                                                .length = bench_length};
