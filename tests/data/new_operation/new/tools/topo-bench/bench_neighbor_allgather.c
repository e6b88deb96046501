/* MPI_Neighbor_allgather in the benchmark, on a ring. */
#include "coll/neighbor_allgather/neighbor_allgather.h"

#include "base/memory.h"
#include "topo-bench/operation.h"
#include "topo-bench/pattern.h"

struct ring {
    MPI_Comm comm;
    char *send, *receive;
};

static bool open_ring(struct bench_call *call)
{
    const int periodic = 1;
    struct ring *s = call->state = topo_calloc(1, sizeof *s);
    if (!s)
        return false;
    PMPI_Cart_create(call->comm, 1, &call->ranks, &periodic, 0, &s->comm);
    s->send = topo_alloc(call->bytes, 1);
    s->receive = topo_alloc(2 * call->bytes, 1);
    return s->send && s->receive;
}

static void close_ring(struct bench_call *call)
{
    struct ring *s = call->state;
    if (!s)
        return;
    PMPI_Comm_free(&s->comm);
    topo_free_all(s->send, s->receive, s);
    call->state = NULL;
}

static void fill(struct bench_call *call)
{
    const struct bench_layout layout = bench_layout_of(call->bytes, 0);
    struct ring *s = call->state;
    bench_pattern_write(&layout, s->send, call->bytes, (uint64_t)call->rank, call->round);
    bench_pattern_spoil(s->receive, 2 * call->bytes);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct ring *s = call->state;
    const int count = (int)call->bytes;
    return variant->native
               ? PMPI_Neighbor_allgather(s->send, count, MPI_BYTE, s->receive, count, MPI_BYTE, s->comm)
               : topo_neighbor_allgather(variant->algorithm, s->send, count, MPI_BYTE, s->receive, count, MPI_BYTE,
                                         s->comm);
}

static size_t wrong(const struct bench_call *call)
{
    const struct bench_layout layout = bench_layout_of(call->bytes, 0);
    const struct ring *s = call->state;
    const int before = (call->rank + call->ranks - 1) % call->ranks, behind = (call->rank + 1) % call->ranks;
    return bench_pattern_wrong(&layout, s->receive, call->bytes, (uint64_t)before, call->round) +
           bench_pattern_wrong(&layout, s->receive + call->bytes, call->bytes, (uint64_t)behind, call->round);
}

const struct bench_operation bench_neighbor_allgather = {.name = "neighbor_allgather",
                                                         .help = "every rank's block to its two neighbours on a ring",
                                                         .open = open_ring,
                                                         .close = close_ring,
                                                         .fill = fill,
                                                         .run = run,
                                                         .wrong = wrong};
