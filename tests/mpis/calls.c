/* An MPI program that knows nothing of TopoMPI: every operation in every form, each result compared with that of MPI's own
 * function on the same input, bytes that no rank receives too. It is compiled once for all MPIs of one ABI.
 *
 *   calls [large] [mistakes]    large: every second call by the name for large counts (MPI_Allgather_c), where the headers
 *                               know it; mistakes: wrong arguments, too, where MPI checks them
 *
 * Rank 0 prints "calls OPERATION N" for each operation, its right calls by the names that the library takes, and at the
 * end "ok". */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "common/native.h"

enum { SHORT = 3, MEDIUM = 1000, LONG = 30000, COMMS_MOST = 12 };

/* What an operation's arguments are; one buffer, count or type alone is the receiving one. */
struct call {
    const void *send;
    void *receive;
    int send_count, count, *counts, *places;
    MPI_Datatype type;
    MPI_Op op;
    int root;
    MPI_Comm comm;
};

enum operation {
#define OPERATION(name, ...) OPERATION_##name,
#include "catalog/operations.def"
    OPERATIONS
};
static const char *const names[] = {
#define OPERATION(name, ...) #name,
#include "catalog/operations.def"
};

static long made[OPERATIONS]; /* calls of ours */
static long wrong;
static bool large;
static int world_rank, ranks, rank;
static MPI_Datatype gaps;               /* two ints of three */
static MPI_Op least, in_order;          /* the program's own, commutative or not */
static MPI_Count *large_counts;         /* of the call, for names of MPI 4 */
static MPI_Aint *large_places;

#if defined MPI_VERSION && MPI_VERSION >= 4
#define EITHER(Name, how, plain, wide) \
    ((how) == BY_NATIVE ? NATIVE(Name) plain : (how) == BY_LARGE ? MPI_##Name##_c wide : MPI_##Name plain)
enum { HAS_LARGE = 1 };
#else
#define EITHER(Name, how, plain, wide) ((how) == BY_NATIVE ? NATIVE(Name) plain : MPI_##Name plain)
enum { HAS_LARGE = 0 };
#endif
enum how { BY_NAME, BY_LARGE, BY_NATIVE };
#define ARGUMENTS(...) (__VA_ARGS__)

static int make(enum operation operation, const struct call *c, enum how how)
{
    for (int i = 0; c->counts && i < ranks; i++) {
        large_counts[i] = c->counts[i];
        large_places[i] = c->places[i];
    }
    switch (operation) {
    case OPERATION_allgather:
        return EITHER(Allgather, how, ARGUMENTS(c->send, c->send_count, c->type, c->receive, c->count, c->type, c->comm),
                      ARGUMENTS(c->send, c->send_count, c->type, c->receive, c->count, c->type, c->comm));
    case OPERATION_allreduce:
        return EITHER(Allreduce, how, ARGUMENTS(c->send, c->receive, c->count, c->type, c->op, c->comm),
                      ARGUMENTS(c->send, c->receive, c->count, c->type, c->op, c->comm));
    case OPERATION_alltoallv:
        return EITHER(Alltoallv, how,
                      ARGUMENTS(c->send, c->counts, c->places, c->type, c->receive, c->counts, c->places, c->type, c->comm),
                      ARGUMENTS(c->send, large_counts, large_places, c->type, c->receive, large_counts, large_places, c->type,
                                c->comm));
    case OPERATION_barrier: return how == BY_NATIVE ? NATIVE(Barrier)(c->comm) : MPI_Barrier(c->comm);
    case OPERATION_bcast:
        return EITHER(Bcast, how, ARGUMENTS(c->receive, c->count, c->type, c->root, c->comm),
                      ARGUMENTS(c->receive, c->count, c->type, c->root, c->comm));
    case OPERATION_gather:
        return EITHER(Gather, how,
                      ARGUMENTS(c->send, c->send_count, c->type, c->receive, c->count, c->type, c->root, c->comm),
                      ARGUMENTS(c->send, c->send_count, c->type, c->receive, c->count, c->type, c->root, c->comm));
    case OPERATION_gatherv:
        return EITHER(
            Gatherv, how,
            ARGUMENTS(c->send, c->send_count, c->type, c->receive, c->counts, c->places, c->type, c->root, c->comm),
            ARGUMENTS(c->send, c->send_count, c->type, c->receive, large_counts, large_places, c->type, c->root, c->comm));
    case OPERATION_scatterv:
        return EITHER(
            Scatterv, how,
            ARGUMENTS(c->send, c->counts, c->places, c->type, c->receive, c->send_count, c->type, c->root, c->comm),
            ARGUMENTS(c->send, large_counts, large_places, c->type, c->receive, c->send_count, c->type, c->root, c->comm));
    case OPERATION_scatter:
        return EITHER(Scatter, how,
                      ARGUMENTS(c->send, c->send_count, c->type, c->receive, c->count, c->type, c->root, c->comm),
                      ARGUMENTS(c->send, c->send_count, c->type, c->receive, c->count, c->type, c->root, c->comm));
    case OPERATION_reduce:
        return EITHER(Reduce, how, ARGUMENTS(c->send, c->receive, c->count, c->type, c->op, c->root, c->comm),
                      ARGUMENTS(c->send, c->receive, c->count, c->type, c->op, c->root, c->comm));
    case OPERATION_allgatherv:
        return EITHER(Allgatherv, how,
                      ARGUMENTS(c->send, c->send_count, c->type, c->receive, c->counts, c->places, c->type, c->comm),
                      ARGUMENTS(c->send, c->send_count, c->type, c->receive, large_counts, large_places, c->type, c->comm));
    case OPERATION_alltoall:
        return EITHER(Alltoall, how, ARGUMENTS(c->send, c->send_count, c->type, c->receive, c->count, c->type, c->comm),
                      ARGUMENTS(c->send, c->send_count, c->type, c->receive, c->count, c->type, c->comm));
    case OPERATION_reduce_scatter:
        return EITHER(Reduce_scatter, how, ARGUMENTS(c->send, c->receive, c->counts, c->type, c->op, c->comm),
                      ARGUMENTS(c->send, c->receive, large_counts, c->type, c->op, c->comm));
    case OPERATION_reduce_scatter_block:
        return EITHER(Reduce_scatter_block, how, ARGUMENTS(c->send, c->receive, c->count, c->type, c->op, c->comm),
                      ARGUMENTS(c->send, c->receive, c->count, c->type, c->op, c->comm));
    case OPERATION_scan:
        return EITHER(Scan, how, ARGUMENTS(c->send, c->receive, c->count, c->type, c->op, c->comm),
                      ARGUMENTS(c->send, c->receive, c->count, c->type, c->op, c->comm));
    case OPERATION_exscan:
        return EITHER(Exscan, how, ARGUMENTS(c->send, c->receive, c->count, c->type, c->op, c->comm),
                      ARGUMENTS(c->send, c->receive, c->count, c->type, c->op, c->comm));
    default: return MPI_SUCCESS;
    }
}

static void lesser(void *one, void *both, int *count, MPI_Datatype *type)
{
    int *a = one, *b = both;
    (void)type;
    for (int i = 0; i < *count; i++)
        b[i] = a[i] < b[i] ? a[i] : b[i];
}

/* The result is the first rank's, so the order counts. */
static void keep_first(void *one, void *both, int *count, MPI_Datatype *type)
{
    (void)type;
    memcpy(both, one, (size_t)*count * sizeof(int));
}

enum form { PLAIN, IN_PLACE, GAPS, OWN, ORDERED, FORMS };

static bool reduces(enum operation operation)
{
    return operation == OPERATION_allreduce || operation == OPERATION_reduce || operation == OPERATION_reduce_scatter ||
           operation == OPERATION_reduce_scatter_block || operation == OPERATION_scan || operation == OPERATION_exscan;
}

static void *room(size_t bytes)
{
    void *block = malloc(bytes + 1);
    if (!block)
        exit(3);
    return block;
}

/* One call on `comm`, and MPI's own. `count` elements a rank, in forms with counts up to twice as many. */
static void compare(enum operation operation, enum form form, int count, int root, MPI_Comm comm)
{
    bool in_place = form == IN_PLACE, sums = reduces(operation), counted;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if ((form == GAPS && sums) || (form >= OWN && !sums) || (in_place && (operation == OPERATION_bcast || operation == OPERATION_scatter || operation == OPERATION_scatterv)))
        return;
    counted = operation == OPERATION_allgatherv || operation == OPERATION_alltoallv || operation == OPERATION_reduce_scatter ||
              operation == OPERATION_gatherv || operation == OPERATION_scatterv;
    /* The most that a rank has to have room for, in ints; three of a type with gaps. */
    size_t ints = (size_t)ranks * 2 * (size_t)(count + 1) * (form == GAPS ? 3 : 1), bytes = ints * sizeof(int);
    int *send = room(bytes), *ours = room(bytes), *theirs = room(bytes);
    struct call c = {.receive = ours, .send = send, .send_count = count, .count = count, .root = root, .comm = comm};
    c.type = form == GAPS ? gaps : MPI_INT;
    c.op = form == OWN ? least : form == ORDERED ? in_order : count % 2 ? MPI_SUM : MPI_MAX;
    if (counted) {
        c.counts = room((size_t)ranks * sizeof(int));
        c.places = room((size_t)ranks * sizeof(int));
        large_counts = room((size_t)ranks * sizeof *large_counts);
        large_places = room((size_t)ranks * sizeof *large_places);
        for (int i = 0; i < ranks; i++) {
            /* From each to each the same both ways. */
            c.counts[i] = operation == OPERATION_alltoallv ? count + (i + rank) % 2 : count + i % 2;
            c.places[i] = (ranks - 1 - i) * 2 * (count + 1);
        }
        c.send_count = c.counts[rank];
    }
    for (size_t i = 0; i < ints; i++) {
        send[i] = (int)((i * 7919 + (size_t)rank * 104729) % 100003);
        ours[i] = theirs[i] = in_place ? send[i] : -1;
    }
    if (operation == OPERATION_bcast && rank == root)
        memcpy(ours, send, bytes), memcpy(theirs, send, bytes);
    if (in_place && ((operation != OPERATION_reduce && operation != OPERATION_gather && operation != OPERATION_gatherv) || rank == root))
        c.send = MPI_IN_PLACE;
    int wide = large && HAS_LARGE && operation != OPERATION_barrier && made[operation] % 2;
    int code = make(operation, &c, wide ? BY_LARGE : BY_NAME);
    made[operation]++;
    c.receive = theirs;
    int native = make(operation, &c, BY_NATIVE);
    if (code != native || memcmp(ours, theirs, bytes)) {
        wrong++;
        fprintf(stderr, "DIFFERENCE: MPI_%s%s, form %d, %d elements, root %d, rank %d of %d: code %d, natively %d\n",
                names[operation], wide ? "_c" : "", form, count, root, rank, ranks, code, native);
    }
    free(send), free(ours), free(theirs);
    if (counted)
        free(c.counts), free(c.places), free(large_counts), free(large_places);
}

/* A call with a mistake that all ranks make; its error's class is that of MPI's own call. */
static void mistake(enum operation operation, const char *what, const struct call *c)
{
    int code = make(operation, c, BY_NAME), native = make(operation, c, BY_NATIVE), class = -1, class_of_native = -1;
    MPI_Error_class(code, &class);
    MPI_Error_class(native, &class_of_native);
    if (code == MPI_SUCCESS || class != class_of_native) {
        wrong++;
        fprintf(stderr, "DIFFERENCE: MPI_%s with %s, rank %d: class %d, natively %d\n", names[operation], what, rank, class,
                class_of_native);
    }
}

static void mistakes(MPI_Comm comm)
{
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *send = room((size_t)ranks * sizeof *send), *receive = room((size_t)ranks * sizeof *receive);
    const struct call right = {send, receive, 1, 1, NULL, NULL, MPI_INT, MPI_SUM, 0, comm};
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < OPERATIONS; i++) {
        enum operation operation = (enum operation)i;
        struct call c = right;
        if (operation == OPERATION_barrier || operation == OPERATION_alltoallv || operation == OPERATION_allgatherv ||
            operation == OPERATION_reduce_scatter || operation == OPERATION_gatherv || operation == OPERATION_scatterv)
            continue;
        c.send_count = c.count = -1;
        mistake(operation, "a negative count", &c);
        c = right, c.type = MPI_DATATYPE_NULL;
        mistake(operation, "no datatype", &c);
        c = right, c.op = MPI_OP_NULL;
        if (reduces(operation))
            mistake(operation, "no operation", &c);
        c = right, c.root = ranks;
        if (operation == OPERATION_bcast || operation == OPERATION_reduce || operation == OPERATION_gather)
            mistake(operation, "a root too large", &c);
    }
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    free(send), free(receive);
}

/* Communicators by each constructor, for the ranks that are in them. */
static int construct(MPI_Comm *comms)
{
    int made_here = 0, all, dims[2] = {0, 0}, periods[2] = {0, 0}, of_last[2];
    MPI_Group group, last_ones;
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[made_here++]);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comms[made_here++]);
    MPI_Comm_idup(MPI_COMM_WORLD, &comms[made_here++], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &comms[made_here++]);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comms[made_here++]);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    of_last[0] = all - 1, of_last[1] = 0;
    MPI_Group_incl(group, all > 1 ? 2 : 1, of_last, &last_ones);
    MPI_Comm_create(MPI_COMM_WORLD, last_ones, &comms[made_here++]);
    comms[made_here] = MPI_COMM_NULL;
    if (world_rank == 0 || world_rank == all - 1)
        MPI_Comm_create_group(MPI_COMM_WORLD, last_ones, 7, &comms[made_here]);
    made_here++;
    MPI_Dims_create(all, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comms[made_here++]);
    of_last[0] = all > 1 ? all - 1 : 1; /* all but the last: MPICH 5.0 calls its group the one of all */
    MPI_Cart_create(MPI_COMM_WORLD, 1, of_last, periods, 0, &comms[made_here++]);
    MPI_Group_free(&group);
    MPI_Group_free(&last_ones);
    return made_here;
}

static void all_forms(MPI_Comm comm, int rounds)
{
    static const int counts[] = {SHORT, 0, MEDIUM, 1, LONG};
    int size;
    MPI_Comm_size(comm, &size);
    for (int round = 0; round < rounds; round++)
        for (int operation = 0; operation < OPERATIONS; operation++)
            for (int form = 0; form < FORMS; form++)
                compare((enum operation)operation, (enum form)form, counts[round % 5], round % size, comm);
}

int main(int argc, char **argv)
{
    MPI_Comm comms[COMMS_MOST];
    long anywhere;
    bool wrong_too = argc > 1 && !strcmp(argv[argc - 1], "mistakes");
    large = argc > 1 && !strcmp(argv[1], "large");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Op_create(lesser, 1, &least);
    MPI_Op_create(keep_first, 0, &in_order);
    /* Often enough that what decides by time would have begun. */
    all_forms(MPI_COMM_WORLD, 10);
    int count = construct(comms);
    for (int i = 0; i < count; i++) {
        if (comms[i] == MPI_COMM_NULL)
            continue;
        all_forms(comms[i], 4);
        if (i == 0 && wrong_too)
            mistakes(comms[i]);
        MPI_Comm_free(&comms[i]);
    }
    MPI_Op_free(&least);
    MPI_Op_free(&in_order);
    MPI_Type_free(&gaps);
    NATIVE(Allreduce)(&wrong, &anywhere, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0) {
        for (int operation = 0; operation < OPERATIONS; operation++)
            printf("calls %s %ld\n", names[operation], made[operation]);
        puts(anywhere ? "wrong" : "ok");
        fflush(stdout);
    }
    MPI_Finalize();
    return anywhere > 0;
}
