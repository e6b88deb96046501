#include "operations.h"

#include <stdio.h>
#include <stdlib.h>

struct call {
    MPI_Comm comm;
    int rank, ranks, count, root;
    unsigned seed;
};

static int *in, *out, *counts, *places;
static size_t room, places_room;

static const char *const names[OPERATIONS] = {
#define OPERATION(name, ...) #name,
#include "catalog/operations.def"
};

const char *operation_name(int operation)
{
    return names[operation];
}

static void *must(void *block)
{
    if (!block)
        exit(3);
    return block;
}

/* Room for `ranks` parts of `count` ints; the places of the parts in `v` forms, the last first. */
static void prepare(int ranks, int count)
{
    size_t ints = (size_t)ranks * (size_t)count + 1;
    if (ints > room) {
        in = must(realloc(in, ints * sizeof *in));
        out = must(realloc(out, ints * sizeof *out));
        room = ints;
    }
    if ((size_t)ranks > places_room) {
        counts = must(realloc(counts, (size_t)ranks * sizeof *counts));
        places = must(realloc(places, (size_t)ranks * sizeof *places));
        places_room = (size_t)ranks;
    }
    for (int i = 0; i < ranks; i++) {
        counts[i] = count;
        places[i] = (ranks - 1 - i) * count;
    }
    for (size_t i = 0; i < ints; i++)
        in[i] = -1;
}

void operation_free(void)
{
    free(in);
    free(out);
    free(counts);
    free(places);
    in = out = counts = places = NULL;
    room = places_room = 0;
}

/* What `from` has at `index` for `to`; sums over some hundred ranks fit. */
static int value(const struct call *call, int from, int to, int index)
{
    return (int)((call->seed * 31u + (unsigned)from * 1009u + (unsigned)to * 97u + (unsigned)index * 7u) % 1000003u);
}

static void fill(const struct call *call, int to, int *at)
{
    for (int i = 0; i < call->count; i++)
        at[i] = value(call, call->rank, to, i);
}

static void fill_all(const struct call *call, int reversed)
{
    for (int to = 0; to < call->ranks; to++)
        fill(call, to, out + (reversed ? (size_t)places[to] : (size_t)to * (size_t)call->count));
}

static long check_part(const struct call *call, int from, int to, const int *at)
{
    long wrong = 0;
    for (int i = 0; i < call->count; i++)
        wrong += at[i] != value(call, from, to, i);
    return wrong;
}

/* `to`: -1 where parts are the same for all. */
static long check_all(const struct call *call, int to, int reversed)
{
    long wrong = 0;
    for (int from = 0; from < call->ranks; from++)
        wrong += check_part(call, from, to < 0 ? 0 : to,
                            in + (reversed ? (size_t)places[from] : (size_t)from * (size_t)call->count));
    return wrong;
}

static long check_sum(const struct call *call, int to)
{
    long wrong = 0;
    for (int i = 0; i < call->count; i++) {
        int sum = 0;
        for (int from = 0; from < call->ranks; from++)
            sum += value(call, from, to, i);
        wrong += in[i] != sum;
    }
    return wrong;
}

static int run_gathering(int operation, struct call *call, long *wrong)
{
    int reversed = operation == OPERATION_allgatherv, code;
    fill(call, 0, out);
    if (reversed)
        code = MPI_Allgatherv(out, call->count, MPI_INT, in, counts, places, MPI_INT, call->comm);
    else
        code = MPI_Allgather(out, call->count, MPI_INT, in, call->count, MPI_INT, call->comm);
    if (code == MPI_SUCCESS)
        *wrong = check_all(call, -1, reversed);
    return code;
}

static int run_rooted(int operation, struct call *call, long *wrong)
{
    const int gathers = operation == OPERATION_gather, is_root = call->rank == call->root;
    int code;
    if (gathers) {
        fill(call, 0, out);
        code = MPI_Gather(out, call->count, MPI_INT, is_root ? in : NULL, is_root ? call->count : -1, MPI_INT,
                          call->root, call->comm);
    } else {
        fill_all(call, 0);
        code = MPI_Scatter(is_root ? out : NULL, is_root ? call->count : -1, MPI_INT, in, call->count, MPI_INT,
                           call->root, call->comm);
    }
    if (code == MPI_SUCCESS && gathers)
        *wrong = is_root ? check_all(call, -1, 0) : 0;
    else if (code == MPI_SUCCESS)
        *wrong = check_part(call, call->root, call->rank, in);
    return code;
}

static int run_varying(int operation, struct call *call, long *wrong)
{
    const int gathers = operation == OPERATION_gatherv, is_root = call->rank == call->root;
    const int *all = is_root ? counts : NULL, *at = is_root ? places : NULL;
    int code;
    if (gathers) {
        fill(call, 0, out);
        code = MPI_Gatherv(out, call->count, MPI_INT, in, all, at, MPI_INT, call->root, call->comm);
    } else {
        fill_all(call, 1);
        code = MPI_Scatterv(out, all, at, MPI_INT, in, call->count, MPI_INT, call->root, call->comm);
    }
    if (code == MPI_SUCCESS && gathers)
        *wrong = is_root ? check_all(call, -1, 1) : 0;
    else if (code == MPI_SUCCESS)
        *wrong = check_part(call, call->root, call->rank, in);
    return code;
}

static int run_exchange(int operation, struct call *call, long *wrong)
{
    int reversed = operation == OPERATION_alltoallv, code;
    fill_all(call, reversed);
    if (reversed)
        code = MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, call->comm);
    else
        code = MPI_Alltoall(out, call->count, MPI_INT, in, call->count, MPI_INT, call->comm);
    if (code == MPI_SUCCESS)
        *wrong = check_all(call, call->rank, reversed);
    return code;
}

static int run_scatter(int operation, struct call *call, long *wrong)
{
    int code;
    fill_all(call, 0);
    if (operation == OPERATION_reduce_scatter)
        code = MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, call->comm);
    else
        code = MPI_Reduce_scatter_block(out, in, call->count, MPI_INT, MPI_SUM, call->comm);
    if (code == MPI_SUCCESS)
        *wrong = check_sum(call, call->rank);
    return code;
}

static int run_sum(int operation, struct call *call, long *wrong)
{
    int all = operation == OPERATION_allreduce, code;
    fill(call, 0, out);
    if (all)
        code = MPI_Allreduce(out, in, call->count, MPI_INT, MPI_SUM, call->comm);
    else
        code = MPI_Reduce(out, in, call->count, MPI_INT, MPI_SUM, call->root, call->comm);
    if (code == MPI_SUCCESS && (all || call->rank == call->root))
        *wrong = check_sum(call, 0);
    return code;
}

static int run_scan(int operation, struct call *call, long *wrong)
{
    const int exclusive = operation == OPERATION_exscan;
    const int code = (fill(call, 0, out), exclusive ? MPI_Exscan(out, in, call->count, MPI_INT, MPI_SUM, call->comm)
                                                    : MPI_Scan(out, in, call->count, MPI_INT, MPI_SUM, call->comm));
    for (int i = 0; i < call->count && code == MPI_SUCCESS; i++) {
        int sum = 0;
        for (int from = 0; from < call->rank + !exclusive; from++)
            sum += value(call, from, 0, i);
        *wrong += in[i] != sum && (!exclusive || call->rank > 0);
    }
    return code;
}

static int run_bcast(struct call *call, long *wrong)
{
    if (call->rank == call->root)
        fill(call, 0, in);
    int code = MPI_Bcast(in, call->count, MPI_INT, call->root, call->comm);
    if (code == MPI_SUCCESS)
        *wrong = check_part(call, call->root, 0, in);
    return code;
}

long operation_call(int operation, int count, unsigned seed, MPI_Comm comm, int *code)
{
    struct call call = {.comm = comm, .count = count, .seed = seed};
    long wrong = 0;
    int ran;
    MPI_Comm_rank(comm, &call.rank);
    MPI_Comm_size(comm, &call.ranks);
    call.root = (int)(seed % (unsigned)call.ranks);
    prepare(call.ranks, count);
    switch (operation) {
    case OPERATION_allgather:
    case OPERATION_allgatherv: ran = run_gathering(operation, &call, &wrong); break;
    case OPERATION_alltoall:
    case OPERATION_alltoallv: ran = run_exchange(operation, &call, &wrong); break;
    case OPERATION_barrier: ran = MPI_Barrier(comm); break;
    case OPERATION_bcast: ran = run_bcast(&call, &wrong); break;
    case OPERATION_gather:
    case OPERATION_scatter: ran = run_rooted(operation, &call, &wrong); break;
    case OPERATION_gatherv:
    case OPERATION_scatterv: ran = run_varying(operation, &call, &wrong); break;
    case OPERATION_reduce_scatter:
    case OPERATION_reduce_scatter_block: ran = run_scatter(operation, &call, &wrong); break;
    case OPERATION_allreduce:
    case OPERATION_reduce: ran = run_sum(operation, &call, &wrong); break;
    case OPERATION_scan:
    case OPERATION_exscan: ran = run_scan(operation, &call, &wrong); break;
    default: ran = MPI_SUCCESS;
    }
    if (code)
        *code = ran;
    return wrong;
}
