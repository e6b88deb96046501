/* The forms of collectives with large counts, MPI_X_c, in an MPI program that knows nothing of TopoMPI; ranks mix them
 * with the others. Where the MPI library has none, libtopompi.so's do what MPI_X does. Prints "ok" on rank 0, else what
 * differs.
 *
 *   random SEED CALLS    drawn arguments, beside the native MPI_X
 *   mistakes             class of the error and calls of the handler, beside the native MPI_X
 *   far                  displacements beyond 2^31; where the library has no MPI_X_c, the error
 *   scarce               the library has no memory; where MPI has no MPI_X_c, the error
 *   huge                 more than 2^31 elements; takes 9 GiB with two ranks */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <mpi.h>

#include "catalog/arguments.h"
#include "common/native.h"

#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    TOPO_IF_COUNTS(count, __attribute__((weak)) int MPI_##Name##_c(TOPO_PARAMETERS_c(count, kinds)); \
                   __attribute__((weak)) int PMPI_##Name##_c(TOPO_PARAMETERS_c(count, kinds));)
#include "catalog/operations.def"

enum { RANKS = 8, BYTES = 1 << 19 }; /* the longest calls of 8 ranks take 0.3 MB */
enum {
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    BCAST,
    ALLREDUCE,
    REDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    OPERATIONS
};
static const char *const names[] = {"Allgather", "Allgatherv", "Alltoall",       "Alltoallv",           "Bcast",
                                    "Allreduce", "Reduce",     "Reduce_scatter", "Reduce_scatter_block"};

/* MPICH 4.0.2's own MPI_Reduce ends the root of a long vector in place, at address -1. */
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
enum { REDUCES_IN_PLACE = 0 };
#else
enum { REDUCES_IN_PLACE = 1 };
#endif

static int rank, ranks, wrong, handled;
static MPI_Comm comm;
static MPI_Datatype gaps, many; /* two ints with one between; 8 ints */

/* The arguments of one call. */
static struct {
    int operation, count, root, large; /* large: this rank's is MPI_X_c, or PMPI_X_c (2) */
    const void *send;
    MPI_Datatype type;
    MPI_Op op;
    int counts[2][RANKS], places[2][RANKS]; /* of what is sent; of what is received */
    MPI_Count large_counts[2][RANKS];
    MPI_Aint large_places[2][RANKS];
} c;

static void expect(int good, const char *what, int number)
{
    if (good)
        return;
    wrong++;
    printf("rank %d: %s, call %d\n", rank, what, number);
    fflush(stdout);
}

/* The call, by MPI's own MPI_X, or by the name that is drawn. */
static int call(int native, void *receive)
{
    const int large = native ? 0 : c.large;
#define LARGE(Name) (large == 2 ? PMPI_##Name##_c : MPI_##Name##_c)
#define SMALL(Name) (native ? NATIVE(Name) : MPI_##Name)
#define EITHER(Name, ...) (large ? LARGE(Name)(__VA_ARGS__) : SMALL(Name)(__VA_ARGS__))
    const int *counts = c.counts[1], *places = c.places[1];
    const MPI_Count *large_counts = c.large_counts[1];
    const MPI_Aint *large_places = c.large_places[1];
    switch (c.operation) {
    case ALLGATHER: return EITHER(Allgather, c.send, c.count, c.type, receive, c.count, c.type, comm);
    case ALLGATHERV:
        if (large)
            return LARGE(Allgatherv)(c.send, counts[rank], c.type, receive, large_counts, large_places, c.type, comm);
        return SMALL(Allgatherv)(c.send, counts[rank], c.type, receive, counts, places, c.type, comm);
    case ALLTOALL: return EITHER(Alltoall, c.send, c.count, c.type, receive, c.count, c.type, comm);
    case ALLTOALLV:
        if (large)
            return LARGE(Alltoallv)(c.send, c.large_counts[0], c.large_places[0], c.type, receive, large_counts,
                                    large_places, c.type, comm);
        return SMALL(Alltoallv)(c.send, c.counts[0], c.places[0], c.type, receive, counts, places, c.type, comm);
    case BCAST: return EITHER(Bcast, receive, c.count, c.type, c.root, comm);
    case ALLREDUCE: return EITHER(Allreduce, c.send, receive, c.count, c.type, c.op, comm);
    case REDUCE: return EITHER(Reduce, c.send, receive, c.count, c.type, c.op, c.root, comm);
    case REDUCE_SCATTER:
        if (large)
            return LARGE(Reduce_scatter)(c.send, receive, large_counts, c.type, c.op, comm);
        return SMALL(Reduce_scatter)(c.send, receive, counts, c.type, c.op, comm);
    default: return EITHER(Reduce_scatter_block, c.send, receive, c.count, c.type, c.op, comm);
    }
}

static unsigned drawn(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Counts by the pair of ranks, blocks in turned order with gaps between them. */
static void draw_counts(unsigned seed, int most)
{
    for (int side = 0; side < 2; side++) {
        int at = 0;
        for (int i = ranks - 1; i >= 0; i--) {
            int from = side ? i : rank, to = side ? rank : i;
            unsigned pair = seed + (unsigned)from * 77u + (c.operation == ALLTOALLV ? (unsigned)to * 7919u : 0);
            c.large_counts[side][i] = c.counts[side][i] =
                drawn(&pair) % 3 ? (int)(drawn(&pair) % (unsigned)(most + 1)) : 0;
            c.large_places[side][i] = c.places[side][i] = at;
            at += c.counts[side][i] + i % 2;
        }
    }
}

static void draw(unsigned seed, int number)
{
    static const int most[] = {0, 1, 9, 200, 3000};
    unsigned shared = seed + (unsigned)number * 2654435761u, own = shared + (unsigned)rank;
    MPI_Datatype types[] = {MPI_INT, MPI_INT, gaps, many};
    c.operation = (int)(drawn(&shared) % OPERATIONS);
    int longest = most[drawn(&shared) % 5];
    c.count = longest ? (int)(drawn(&shared) % (unsigned)longest) / 8 * 8 : 0;
    c.root = (int)(drawn(&shared) % (unsigned)ranks);
    c.op = drawn(&shared) % 2 ? MPI_SUM : MPI_MAX;
    c.type = c.operation < ALLREDUCE ? types[drawn(&shared) % 3] : MPI_INT;
    c.large = (int)(drawn(&own) % 3);
    draw_counts(shared, longest);
    /* One rank's 8 ints are another's element. */
    if ((c.operation == BCAST || c.operation == ALLGATHER) && c.type == MPI_INT && drawn(&own) % 2) {
        c.type = many;
        c.count /= 8;
    }
}

static void random_calls(unsigned seed, int calls)
{
    static char send[BYTES], ours[BYTES], natives[BYTES];
    for (int number = 0; number < calls; number++) {
        unsigned shared = seed + (unsigned)number;
        draw(seed, number);
        for (int i = 0; i < BYTES; i++)
            send[i] = (char)(i * 7 + rank * 31 + number);
        int in_place = drawn(&shared) % 4 == 0 && c.operation != BCAST && c.operation != ALLTOALLV &&
                       (c.operation != REDUCE || (REDUCES_IN_PLACE && rank == c.root));
        c.send = in_place ? MPI_IN_PLACE : send;
        for (int i = 0; i < BYTES; i++)
            ours[i] = natives[i] = (char)(i * 3 + rank * 5);
        int native = call(1, natives), code = call(0, ours);
        expect(native == MPI_SUCCESS && code == MPI_SUCCESS, "an error", number);
        /* MPI's own may leave sums of other ranks behind the result. */
        int result = c.operation == REDUCE_SCATTER ? c.counts[1][rank] : c.count;
        size_t bytes = in_place && c.operation >= REDUCE_SCATTER ? (size_t)result * sizeof(int) : BYTES;
        expect(!memcmp(ours, natives, bytes), names[c.operation], number);
    }
}

static void handle(MPI_Comm *on, int *code, ...)
{
    (void)on;
    (void)code;
    handled++;
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void mistakes(void)
{
    static int in[RANKS * 4], out[RANKS * 4];
    enum { NEGATIVE, NO_TYPE, NO_OP, KINDS };
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    for (c.operation = 0; c.operation < OPERATIONS; c.operation++)
        for (int kind = 0; kind < KINDS; kind++) {
            int operation = c.operation;
            memset(&c, 0, sizeof c);
            c.operation = operation;
            c.large = 1;
            c.send = out;
            c.op = kind == NO_OP ? MPI_OP_NULL : MPI_SUM;
            c.type = kind == NO_TYPE ? MPI_DATATYPE_NULL : MPI_INT;
            c.count = kind == NEGATIVE ? -1 : 1;
            for (int i = 0; i < ranks; i++) {
                c.large_counts[0][i] = c.large_counts[1][i] = c.counts[0][i] = c.counts[1][i] = c.count;
                c.large_places[0][i] = c.large_places[1][i] = c.places[0][i] = c.places[1][i] = i;
            }
            if (kind == NO_OP && operation < ALLREDUCE)
                continue;
            int before = handled, native = call(1, in), natives = handled - before;
            before = handled;
            int code = call(0, in);
            expect(class_of(code) == class_of(native) && handled - before == natives, names[operation], kind);
        }
    MPI_Errhandler_free(&handler);
}

/* Memory of which few pages are touched. */
static char *sparse(size_t bytes)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 2);
    return memory;
}

static void far(int narrowed)
{
    const MPI_Aint apart = (MPI_Aint)3 << 30;
    char *in = sparse((size_t)(ranks * apart) + 64), *out = sparse((size_t)(ranks * apart) + 64);
    for (int i = 0; i < ranks; i++) {
        c.large_counts[0][i] = c.large_counts[1][i] = 40;
        c.large_places[0][i] = c.large_places[1][i] = i * apart;
        memset(out + i * apart, rank * 10 + i, 40);
    }
    for (int again = 0; again < 30; again++) {
        int code = MPI_Alltoallv_c(out, c.large_counts[0], c.large_places[0], MPI_BYTE, in, c.large_counts[1],
                                   c.large_places[1], MPI_BYTE, comm);
        expect(narrowed ? class_of(code) == MPI_ERR_COUNT : code == MPI_SUCCESS, "far Alltoallv", again);
        for (int i = 0; i < ranks && !narrowed; i++)
            expect(in[i * apart] == i * 10 + rank && in[i * apart + 39] == i * 10 + rank, "far block", i);
        code = MPI_Allgatherv_c(out, 40, MPI_BYTE, in, c.large_counts[1], c.large_places[1], MPI_BYTE, comm);
        expect(narrowed ? class_of(code) == MPI_ERR_COUNT : code == MPI_SUCCESS, "far Allgatherv", again);
        for (int i = 0; i < ranks && !narrowed; i++)
            expect(in[i * apart] == i * 10 && in[i * apart + 39] == i * 10, "far block of all", i);
        if (narrowed)
            expect(class_of(MPI_Bcast_c(in, apart, MPI_BYTE, 0, comm)) == MPI_ERR_COUNT, "far Bcast", again);
    }
}

/* Counts that fit, and no memory for them as ints; one rank. */
static void scarce(void)
{
    char in[8] = "", out[8] = "1234567";
    c.large_counts[0][0] = c.large_counts[1][0] = sizeof in;
    int code = MPI_Alltoallv_c(out, c.large_counts[0], c.large_places[0], MPI_BYTE, in, c.large_counts[1],
                               c.large_places[1], MPI_BYTE, comm);
    expect(class_of(code) == MPI_ERR_NO_MEM && !in[0], "scarce Alltoallv", 0);
    code = MPI_Allgather_c(out, sizeof in, MPI_BYTE, in, sizeof in, MPI_BYTE, comm);
    expect(code == MPI_SUCCESS && !memcmp(in, out, sizeof in), "scarce Allgather", 0);
}

/* A message of more than 2^31 bytes beside short ones; a broadcast of as many, which one rank calls as elements of 1
 * KiB. */
static void huge(void)
{
    const MPI_Count most = ((MPI_Count)1 << 31) + 1024;
    char *in = sparse((size_t)most + 4096), *out = sparse((size_t)most + 4096);
    MPI_Datatype block;
    MPI_Type_contiguous(1024, MPI_BYTE, &block);
    MPI_Type_commit(&block);
    for (int i = 0; i < ranks; i++) {
        c.large_counts[0][i] = rank == 0 && i == 1 ? most : 8;
        c.large_counts[1][i] = rank == 1 && i == 0 ? most : 8;
        c.large_places[0][i] = c.large_places[1][i] = i == (rank == 1 ? 0 : 1) ? 0 : most + 8 * i;
    }
    memset(out, rank + 1, (size_t)most + 4096);
    for (int again = 0; again < 3; again++) {
        in[most - 1] = 0;
        int code = MPI_Alltoallv_c(out, c.large_counts[0], c.large_places[0], MPI_BYTE, in, c.large_counts[1],
                                   c.large_places[1], MPI_BYTE, comm);
        expect(code == MPI_SUCCESS && (rank != 1 || (in[0] == 1 && in[most - 1] == 1)), "huge Alltoallv", again);
        in[most - 1] = 0;
        code = rank ? MPI_Bcast(in, (int)(most / 1024), block, 0, comm) : MPI_Bcast_c(out, most, MPI_BYTE, 0, comm);
        expect(code == MPI_SUCCESS && (rank == 0 || in[most - 1] == 1), "huge Bcast", again);
        code = MPI_Allreduce_c(out, in, most, MPI_BYTE, MPI_BOR, comm);
        expect(code == MPI_SUCCESS && in[most - 1] == 3, "huge Allreduce", again);
    }
    MPI_Type_free(&block);
}

int main(int argc, char **argv)
{
    int version, subversion, all;
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Get_version(&version, &subversion);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Type_contiguous(8, MPI_INT, &many);
    MPI_Type_commit(&many);
    if (!MPI_Bcast_c)
        expect(0, "no MPI_Bcast_c", 0);
    else if (!strcmp(mode, "random") && argc == 4)
        random_calls((unsigned)atoi(argv[2]), atoi(argv[3]));
    else if (!strcmp(mode, "mistakes"))
        mistakes();
    else if (!strcmp(mode, "far"))
        far(version < 4);
    else if (!strcmp(mode, "scarce"))
        scarce();
    else if (!strcmp(mode, "huge"))
        huge();
    else
        expect(0, "no such mode", 0);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && !all)
        puts("ok");
    MPI_Type_free(&gaps);
    MPI_Type_free(&many);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return wrong > 0;
}
