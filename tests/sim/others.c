#include "sim/others.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "sim/world.h"

enum { TAG = 7, ROUNDS_MOST = 32 };

const char *const sim_operations[SIM_OPERATIONS] = {"allgather", "allreduce", "bcast", "reduce", "allgatherv"};

const char *const *other_names(enum sim_operation operation)
{
    static const char *names[SIM_OPERATIONS][16];
    static int count[SIM_OPERATIONS];
#define OTHER(of, name) names[SIM_##of][count[SIM_##of]++] = (name);
    if (count[operation] == 0) {
#include "sim/others.def"
    }
#undef OTHER
    return names[operation];
}

/* -- of papers ------------------------------------------------------------------------------------------------------
 */

/* Starts of `ranks` parts of `count` ints, that of rank `first` foremost; sim_unfold() it. */
static size_t *parts_from(int first, int ranks, int count)
{
    size_t *at = sim_fold(((size_t)ranks + 1) * sizeof *at), all = (size_t)count, sum = 0;
    for (int i = 0; i <= ranks; i++) {
        size_t part = (size_t)((first + i) % ranks);
        at[i] = sum;
        sum += all * (part + 1) / (size_t)ranks - all * part / (size_t)ranks;
    }
    return at;
}

/* n - 1 steps from rank i to rank i + 1, each passing on what it got last. */
static int true_ring(const struct sim_call *call)
{
    int rank, ranks, code = MPI_SUCCESS;
    size_t m = (size_t)call->count;
    PMPI_Comm_rank(call->comm, &rank);
    PMPI_Comm_size(call->comm, &ranks);
    memcpy(call->result + (size_t)rank * m, call->own, m * sizeof(int));
    for (int step = 0; step < ranks - 1 && code == MPI_SUCCESS; step++) {
        size_t out = (size_t)((rank - step + ranks) % ranks), in = (size_t)((rank - step - 1 + ranks) % ranks);
        code =
            PMPI_Sendrecv(call->result + out * m, call->count, MPI_INT, (rank + 1) % ranks, TAG, call->result + in * m,
                          call->count, MPI_INT, (rank - 1 + ranks) % ranks, TAG, call->comm, MPI_STATUS_IGNORE);
    }
    return code;
}

/* Reduce-scatter and allgather on a circulant graph, 2 ceil(log2 n) rounds for any number of ranks
 * (docs/REFERENCES.md: Träff 2024). Parts are numbered from this rank's own; of n parts that are not added up yet the
 * upper half goes to the rank that is as far away as half of them. */
static int circulant(const struct sim_call *call)
{
    int rank, ranks, rounds = 0, skip[ROUNDS_MOST], code = MPI_SUCCESS;
    PMPI_Comm_rank(call->comm, &rank);
    PMPI_Comm_size(call->comm, &ranks);
    size_t *at = parts_from(rank, ranks, call->count), bytes = (size_t)call->count * sizeof(int);
    int *parts = sim_fold(bytes + 1), *received = sim_fold(bytes + 1);
    size_t start = (size_t)call->count * (size_t)rank / (size_t)ranks;
    memcpy(parts, call->own + start, bytes - start * sizeof(int));
    memcpy(parts + ((size_t)call->count - start), call->own, start * sizeof(int));
    for (int left = ranks; left > 1 && code == MPI_SUCCESS; left = skip[rounds++]) {
        int half = skip[rounds] = (left + 1) / 2;
        int out = (int)(at[left] - at[half]), in = (int)at[left - half];
        code = PMPI_Sendrecv(parts + at[half], out, MPI_INT, (rank + half) % ranks, TAG, received, in, MPI_INT,
                             (rank - half + ranks) % ranks, TAG, call->comm, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS)
            code = PMPI_Reduce_local(received, parts, in, MPI_INT, MPI_SUM);
    }
    while (rounds-- > 0 && code == MPI_SUCCESS) {
        int half = skip[rounds], left = rounds > 0 ? skip[rounds - 1] : ranks;
        int out = (int)at[left - half], in = (int)(at[left] - at[half]);
        code = PMPI_Sendrecv(parts, out, MPI_INT, (rank - half + ranks) % ranks, TAG, parts + at[half], in, MPI_INT,
                             (rank + half) % ranks, TAG, call->comm, MPI_STATUS_IGNORE);
    }
    memcpy(call->result + start, parts, bytes - start * sizeof(int));
    memcpy(call->result, parts + ((size_t)call->count - start), start * sizeof(int));
    sim_unfold(at);
    sim_unfold(parts);
    sim_unfold(received);
    return code;
}

/* -- of SimGrid -----------------------------------------------------------------------------------------------------
 */

/* simgrid::smpi::OPERATION__NAME(): functions of C++, whose names say what they take. */
union function {
    void *object;
    int (*allgather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
    int (*reduce)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
    int (*allgatherv)(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm);
};

static int run_simgrids(const char *name, const struct sim_call *call)
{
    static const char *const arguments[SIM_OPERATIONS] = {
        "PKviPNS0_8DatatypeEPviS4_PNS0_4CommE", "PKvPviPNS0_8DatatypeEPNS0_2OpEPNS0_4CommE",
        "PviPNS0_8DatatypeEiPNS0_4CommE", "PKvPviPNS0_8DatatypeEPNS0_2OpEiPNS0_4CommE",
        "PKviPNS0_8DatatypeEPvPKiS7_S4_PNS0_4CommE"};
    char plain[96], symbol[256];
    int length = snprintf(plain, sizeof plain, "%s__%s", sim_operations[call->operation], name);
    snprintf(symbol, sizeof symbol, "_ZN7simgrid4smpi%d%sE%s", length, plain, arguments[call->operation]);
    union function function = {.object = dlsym(RTLD_DEFAULT, symbol)};
    if (!function.object) {
        fprintf(stderr, "sim: this SimGrid has no %s\n", symbol);
        return MPI_ERR_OTHER;
    }
    switch (call->operation) {
    case SIM_ALLGATHER:
        return function.allgather(call->own, call->count, MPI_INT, call->result, call->count, MPI_INT, call->comm);
    case SIM_ALLGATHERV:
        return function.allgatherv(call->own, call->count, MPI_INT, call->result, call->counts, call->starts, MPI_INT,
                                   call->comm);
    case SIM_ALLREDUCE: return function.allreduce(call->own, call->result, call->count, MPI_INT, MPI_SUM, call->comm);
    case SIM_BCAST: return function.bcast(call->result, call->count, MPI_INT, 0, call->comm);
    default: return function.reduce(call->own, call->result, call->count, MPI_INT, MPI_SUM, 0, call->comm);
    }
}

int other_run(const char *name, const struct sim_call *call)
{
    if (!strcmp(name, "true_ring"))
        return true_ring(call);
    if (!strcmp(name, "circulant"))
        return circulant(call);
    return run_simgrids(name, call);
}
