/* Defects on purpose, to see that the fuzzer finds them: preloaded before the library, so that what the program gets
 * from the operations is spoilt. FUZZ_DEFECT names one, FUZZ_SEED is the job's.
 *
 *   none      nothing
 *   flip      one bit of the result is wrong, once in 500 calls
 *   behind    one byte behind the receive buffer is written, once in 200 calls
 *   gap       a byte of a gap between the places of a type is written
 *   swap      two blocks are exchanged where a call is in place
 *   sent      the send buffer is changed, once in 200 calls
 *   hang      one rank leaves out a call, once in 1,000 calls
 *   class     a negative count is MPI_ERR_OTHER
 *   silent    an error is not handed to the error handler
 *   last_bit  from the 129th MPI_Allreduce of a communicator on, rounded sums have another last bit
 *   one_rank  rounded sums of MPI_Allreduce have another last bit on the last rank
 *   code      a right call returns an error, once in 500 calls
 *   parts     MPI_Allreduce by a user's operation goes in two parts
 *   stray     MPI_Comm_dup leaves a message behind that a receive of anything gets
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "fuzz/calls.h"
#include "fuzz/random.h"

#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))
enum { LAST_BIT_CALLS = 128 };

static atomic_int calls;
static int keyval = MPI_KEYVAL_INVALID;

static bool is(const char *name)
{
    const char *wanted = getenv("FUZZ_DEFECT");
    return wanted && strcmp(wanted, name) == 0;
}

/* On one rank's calls: once in so many. */
static bool now_and_then(int calls_between)
{
    const char *seed = getenv("FUZZ_SEED");
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct fuzz_random random =
        fuzz_stream(seed ? strtoull(seed, NULL, 10) : 0, 9, (uint64_t)rank, (uint64_t)atomic_fetch_add(&calls, 1));
    return fuzz_below(&random, calls_between) == 0;
}

/* Elements in the receive buffer, of which the last may lie behind a gap of a v operation; 0 if there are none. */
static int received(const struct fuzz_call *c, int *first)
{
    int ranks, rank;
    *first = 0;
    PMPI_Comm_size(c->comm, &ranks);
    PMPI_Comm_rank(c->comm, &rank);
    switch (c->operation) {
    case FUZZ_BARRIER: return 0;
    case FUZZ_ALLGATHER:
    case FUZZ_ALLTOALL: return c->receive_count * ranks;
    case FUZZ_ALLGATHERV:
    case FUZZ_ALLTOALLV: *first = c->receive_places[ranks - 1]; return c->receive_counts[ranks - 1];
    case FUZZ_REDUCE_SCATTER: return c->receive_counts[rank];
    case FUZZ_REDUCE: return rank == c->root ? c->receive_count : 0;
    default: return c->receive_count;
    }
}

/* Spoils what lies in the receive buffer, elements first … first + count − 1. */
static void spoil_received(const struct fuzz_call *c, int first, int count)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size;
    PMPI_Type_get_extent(c->receive_type, &lb, &extent);
    PMPI_Type_get_true_extent(c->receive_type, &true_lb, &true_extent);
    PMPI_Type_size(c->receive_type, &size);
    char *at = (char *)c->receive + first * extent + true_lb;
    if (is("flip") && now_and_then(500))
        at[0] ^= 1;
    if (is("behind") && now_and_then(200))
        at[(count - 1) * extent + true_extent] ^= 1;
    if (is("gap") && size == 2 * (int)sizeof(int) && true_extent == 3 * (MPI_Aint)sizeof(int) && extent >= true_extent)
        at[sizeof(int)] ^= 1;
    if (is("swap") && c->send == MPI_IN_PLACE && extent >= true_extent && count > 1) {
        char *other = at + extent, byte;
        for (int i = 0; i < true_extent; i++) {
            byte = at[i];
            at[i] = other[i];
            other[i] = byte;
        }
    }
}

/* Integers have no bits there. */
static void spoil_rounded(double *values, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if (bits & 0xff)
            bits ^= 1;
        memcpy(&values[i], &bits, sizeof bits);
    }
}

static int calls_of(MPI_Comm comm)
{
    int found;
    void *value = NULL;
    if (keyval == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    PMPI_Comm_get_attr(comm, keyval, &value, &found);
    intptr_t count = found ? (intptr_t)value : 0;
    PMPI_Comm_set_attr(comm, keyval, (void *)(count + 1));
    return (int)count;
}

static void spoil_sum(const struct fuzz_call *c)
{
    int rank, ranks;
    bool repeated = is("last_bit") && calls_of(c->comm) >= LAST_BIT_CALLS;
    PMPI_Comm_rank(c->comm, &rank);
    PMPI_Comm_size(c->comm, &ranks);
    if (repeated || (is("one_rank") && ranks > 1 && rank == ranks - 1))
        spoil_rounded(c->receive, c->receive_count);
}

static void spoil_sent(const struct fuzz_call *c)
{
    MPI_Aint lb, extent;
    MPI_Datatype type = c->send_type ? c->send_type : c->receive_type; /* reductions have one */
    if (c->operation >= FUZZ_BARRIER && c->operation <= FUZZ_BCAST)
        return;
    if (c->send == MPI_IN_PLACE || !now_and_then(200))
        return;
    PMPI_Type_get_true_extent(type, &lb, &extent);
    ((char *)c->send)[lb] ^= 1; /* a buffer without elements has a guard zone there */
}

static void spoil(const struct fuzz_call *c)
{
    int first, count = received(c, &first);
    if (count > 0)
        spoil_received(c, first, count);
    if (is("sent"))
        spoil_sent(c);
    if (c->operation == FUZZ_ALLREDUCE && c->receive_type == MPI_DOUBLE && c->op == MPI_SUM)
        spoil_sum(c);
}

/* A call of the library (or MPI) in which nothing is spoilt. */
#define NEXT(name) ((__typeof__(&PMPI_##name))dlsym(RTLD_NEXT, "MPI_" #name))

/* Around each operation. */
#define AROUND(name, call_, ...) \
    do { \
        struct fuzz_call c_ = call_; \
        if (is("hang") && now_and_then(1000)) \
            return MPI_SUCCESS; \
        if (is("class") && c_.receive_count < 0) \
            return MPI_ERR_OTHER; \
        if (is("silent") && c_.receive_count < 0) \
            return MPI_ERR_COUNT; \
        int code_ = NEXT(name)(__VA_ARGS__); \
        if (code_ == MPI_SUCCESS) \
            spoil(&c_); \
        return code_ == MPI_SUCCESS && is("code") && now_and_then(500) ? MPI_ERR_OTHER : code_; \
    } while (0)
#define CALL(...) ((struct fuzz_call){__VA_ARGS__})

EXPORT int MPI_Allgather(const void *s, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, MPI_Comm comm)
{
    AROUND(Allgather,
           CALL(.operation = FUZZ_ALLGATHER, .send = s, .send_count = sn, .send_type = st, .receive = r,
                .receive_count = rn, .receive_type = rt, .comm = comm),
           s, sn, st, r, rn, rt, comm);
}

EXPORT int MPI_Allgatherv(const void *s, int sn, MPI_Datatype st, void *r, const int *rn, const int *rp,
                          MPI_Datatype rt, MPI_Comm comm)
{
    AROUND(Allgatherv,
           CALL(.operation = FUZZ_ALLGATHERV, .send = s, .send_count = sn, .send_type = st, .receive = r,
                .receive_counts = rn, .receive_places = rp, .receive_type = rt, .comm = comm),
           s, sn, st, r, rn, rp, rt, comm);
}

static bool is_users(MPI_Op op)
{
    const MPI_Op mpis[] = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_BAND,   MPI_BOR,
                           MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MAXLOC, MPI_MINLOC};
    for (size_t i = 0; i < sizeof mpis / sizeof *mpis; i++)
        if (mpis[i] == op)
            return false;
    return op != MPI_OP_NULL;
}

static int in_parts(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    MPI_Aint lb, extent;
    int code = NEXT(Allreduce)(s, r, n / 2, t, op, comm);
    if (code != MPI_SUCCESS)
        return code;
    PMPI_Type_get_extent(t, &lb, &extent);
    uintptr_t on = (uintptr_t)(n / 2 * extent);
    return NEXT(Allreduce)(s == MPI_IN_PLACE ? s : (void *)((uintptr_t)s + on), (void *)((uintptr_t)r + on), n - n / 2,
                           t, op, comm);
}

EXPORT int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    if (is("parts") && n > 1 && is_users(op))
        return in_parts(s, r, n, t, op, comm);
    AROUND(Allreduce,
           CALL(.operation = FUZZ_ALLREDUCE, .send = s, .receive = r, .receive_count = n, .receive_type = t, .op = op,
                .comm = comm),
           s, r, n, t, op, comm);
}

EXPORT int MPI_Alltoall(const void *s, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, MPI_Comm comm)
{
    AROUND(Alltoall,
           CALL(.operation = FUZZ_ALLTOALL, .send = s, .send_count = sn, .send_type = st, .receive = r,
                .receive_count = rn, .receive_type = rt, .comm = comm),
           s, sn, st, r, rn, rt, comm);
}

EXPORT int MPI_Alltoallv(const void *s, const int *sn, const int *sp, MPI_Datatype st, void *r, const int *rn,
                         const int *rp, MPI_Datatype rt, MPI_Comm comm)
{
    AROUND(Alltoallv,
           CALL(.operation = FUZZ_ALLTOALLV, .send = s, .send_counts = sn, .send_places = sp, .send_type = st,
                .receive = r, .receive_counts = rn, .receive_places = rp, .receive_type = rt, .comm = comm),
           s, sn, sp, st, r, rn, rp, rt, comm);
}

EXPORT int MPI_Barrier(MPI_Comm comm)
{
    AROUND(Barrier, CALL(.operation = FUZZ_BARRIER, .comm = comm), comm);
}

EXPORT int MPI_Bcast(void *r, int n, MPI_Datatype t, int root, MPI_Comm comm)
{
    AROUND(
        Bcast,
        CALL(.operation = FUZZ_BCAST, .receive = r, .receive_count = n, .receive_type = t, .root = root, .comm = comm),
        r, n, t, root, comm);
}

EXPORT int MPI_Reduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm)
{
    AROUND(Reduce,
           CALL(.operation = FUZZ_REDUCE, .send = s, .receive = r, .receive_count = n, .receive_type = t, .op = op,
                .root = root, .comm = comm),
           s, r, n, t, op, root, comm);
}

EXPORT int MPI_Reduce_scatter(const void *s, void *r, const int *rn, MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    AROUND(Reduce_scatter,
           CALL(.operation = FUZZ_REDUCE_SCATTER, .send = s, .receive = r, .receive_counts = rn, .receive_type = t,
                .op = op, .comm = comm),
           s, r, rn, t, op, comm);
}

EXPORT int MPI_Reduce_scatter_block(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    AROUND(Reduce_scatter_block,
           CALL(.operation = FUZZ_REDUCE_SCATTER_BLOCK, .send = s, .receive = r, .receive_count = n, .receive_type = t,
                .op = op, .comm = comm),
           s, r, n, t, op, comm);
}

/* A message of the library's own that strays into the application's communicator. */
EXPORT int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    int code = NEXT(Comm_dup)(comm, made), word = 0;
    MPI_Request request;
    int rank, ranks;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    if (code == MPI_SUCCESS && is("stray") && ranks > 1) {
        PMPI_Isend(&word, 1, MPI_INT, (rank + 1) % ranks, 9, *made, &request);
        PMPI_Request_free(&request);
    }
    return code;
}
