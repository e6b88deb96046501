/* Sums whose bits depend on the order of additions. */
#include <string.h>

#include "common/native.h"
#include "fuzz/calls.h"
#include "fuzz/steps.h"

enum { COUNT_MOST = 3000 };
static const enum fuzz_operation operations[4] = {FUZZ_ALLREDUCE, FUZZ_REDUCE, FUZZ_REDUCE_SCATTER,
                                                  FUZZ_REDUCE_SCATTER_BLOCK};

static uint64_t hash(const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    while (count--)
        h = (h ^ *at++) * 1099511628211u;
    return h ? h : 1;
}

/* What depends on communicator and operation alone is the same in every such step. */
struct rounded {
    struct fuzz_call call;
    int received; /* doubles */
    int counts[FUZZ_RANKS_MOST];
    double out[COUNT_MOST], in[COUNT_MOST];
};

static void prepare(struct rounded *r, const struct fuzz_worker *worker, const struct fuzz_comm *comm, int which)
{
    struct fuzz_random random =
        fuzz_stream(fuzz_job.seed, 5000 + (uint64_t)worker->id, (uint64_t)comm->id, (uint64_t)which);
    int count = fuzz_chance(&random, 60) ? fuzz_between(&random, 1, 20) : fuzz_between(&random, 1, COUNT_MOST);
    int each = count / comm->size, root = fuzz_below(&random, comm->size);
    random = fuzz_stream(fuzz_job.seed, 6000 + (uint64_t)worker->id, (uint64_t)comm->id, (uint64_t)comm->rank);
    for (int i = 0; i < COUNT_MOST; i++)
        r->out[i] = (double)(fuzz_next(&random) >> 11) / (double)(1 + fuzz_below(&random, 1 << 20));
    for (int i = 0; i < comm->size; i++)
        r->counts[i] = each;
    r->received = which >= 2 ? each : which == 1 && comm->rank != root ? 0 : count;
    r->call = (struct fuzz_call){.operation = operations[which],
                                 .send = r->out,
                                 .receive = r->in,
                                 .receive_count = which == 3 ? each : count,
                                 .receive_counts = r->counts,
                                 .receive_type = MPI_DOUBLE,
                                 .op = MPI_SUM,
                                 .root = root,
                                 .comm = comm->comm};
}

void fuzz_rounded(struct fuzz_worker *worker, struct fuzz_comm *comm)
{
    static __thread struct rounded r;
    int which = fuzz_chance(&worker->plan, 50) ? 0 : fuzz_below(&worker->plan, 4);
    int rows =
        fuzz_chance(&worker->plan, 50) ? fuzz_between(&worker->plan, 1, 10) : fuzz_between(&worker->plan, 130, 200);
    uint64_t all[FUZZ_RANKS_MOST];
    if (comm->rank < 0 || fuzz_without("rounded"))
        return;
    prepare(&r, worker, comm, which);
    fuzz_does(worker, "%d calls of MPI_%s on %d doubles, rounded, on communicator %d by %s of %d ranks", rows,
              fuzz_operation_name(r.call.operation), r.call.receive_count, comm->id, comm->made_by, comm->size);
    for (int row = 1; row <= rows; row++) {
        memset(r.in, 0, sizeof r.in);
        int code = fuzz_call(&r.call, false);
        if (code != MPI_SUCCESS)
            fuzz_differ(worker, "call %d: error class %d", row, fuzz_error_class(code));
        uint64_t bits = hash(r.in, (size_t)r.received * sizeof *r.in);
        if (comm->bits[which] && comm->bits[which] != bits)
            fuzz_differ(worker, "call %d has other bits than an equal call on the communicator before", row);
        comm->bits[which] = bits;
        fuzz_progress();
    }
    if (which > 0)
        return;
    NATIVE(Allgather)(&comm->bits[0], 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, comm->comm);
    for (int i = 0; i < comm->size; i++)
        if (all[i] != all[0])
            fuzz_differ(worker, "other bits on rank %d than on rank 0", i);
}
