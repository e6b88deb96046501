/* Every algorithm of MPI_Gather, MPI_Gatherv, MPI_Scatter and MPI_Scatterv against MPI's own call: byte for byte, gaps
 * included, from every root. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/call/operations.h"
#include "mpi/comms.h"
#include "mpi/harness.h"
#include "mpi/pending.h"
#include "mpi/remember.h"
#include "mpi/types.h"

struct call {
    const struct topo_algorithm *algorithm;
    MPI_Comm comm;
    const struct test_type *own, *all; /* of a rank's block, of the root's buffer */
    int ints, root;
    bool in_place;
};

/* A buffer in both ways of making a call, filled alike. */
struct twice {
    void *block[2], *base[2];
    size_t bytes;
};

static struct twice make(const struct test_type *type, long count)
{
    struct twice made;
    for (int i = 0; i < 2; i++)
        made.block[i] = test_buffer(type, count, 0x22, &made.base[i], &made.bytes);
    return made;
}

static void fill(const struct twice *buffer, const struct test_type *type, long first, long count, unsigned seed)
{
    MPI_Aint lb, extent;
    PMPI_Type_get_extent(type->type, &lb, &extent);
    for (int i = 0; i < 2; i++)
        test_fill(type, count, (char *)buffer->base[i] + extent * first, seed);
}

static bool forget(struct twice *buffer)
{
    const bool equal = !memcmp(buffer->block[0], buffer->block[1], buffer->bytes);
    free(buffer->block[0]);
    free(buffer->block[1]);
    return equal;
}

static bool is_any(enum topo_operation operation, enum topo_operation equal, enum topo_operation varying)
{
    return operation == equal || operation == varying;
}

static bool gathers(const struct call *call)
{
    return is_any(call->algorithm->operation, TOPO_OPERATION_gather, TOPO_OPERATION_gatherv);
}

static bool varies(const struct call *call)
{
    return is_any(call->algorithm->operation, TOPO_OPERATION_gatherv, TOPO_OPERATION_scatterv);
}

/* Ints of a rank's block: where lengths differ some have none, and some are long. */
static int ints_of(const struct call *call, int rank)
{
    if (!varies(call))
        return call->ints;
    return rank % 3 == 1 ? 0 : rank % 4 == 2 ? 3 * call->ints : call->ints / 6 * (rank % 6 + 1) / 6 * 6;
}

/* Elements of the root's blocks, the last one first and with room between them, and where they begin. */
struct blocks {
    int *counts, *places;
    long elements;
};

static struct blocks lay_out(const struct call *call, int ranks)
{
    struct blocks blocks = {malloc((size_t)ranks * sizeof(int)), malloc((size_t)ranks * sizeof(int)), 0};
    for (int rank = ranks - 1; rank >= 0; rank--) {
        const int place = varies(call) ? rank : ranks - 1 - rank;
        blocks.counts[place] = ints_of(call, place) / call->all->ints;
        blocks.places[place] = (int)blocks.elements;
        blocks.elements += blocks.counts[place] + varies(call);
    }
    return blocks;
}

#define EITHER(name, Name, ...) (ours ? topo_##name(call->algorithm, __VA_ARGS__) : PMPI_##Name(__VA_ARGS__))

/* What the root's arguments say nobody else need know. */
static int make_call(const struct call *call, bool ours, const struct blocks *blocks, void *own, int own_count,
                     void *all, int root)
{
    const int count = blocks ? call->ints / call->all->ints : -3;
    const int *counts = blocks ? blocks->counts : NULL, *places = blocks ? blocks->places : NULL;
    MPI_Datatype own_type = call->own->type, type = blocks ? call->all->type : MPI_DATATYPE_NULL;
    if (call->in_place && blocks) {
        own = MPI_IN_PLACE;
        own_count = -7;
        own_type = MPI_DATATYPE_NULL;
    }
    switch (call->algorithm->operation) {
    case TOPO_OPERATION_gather:
        return EITHER(gather, Gather, own, own_count, own_type, all, count, type, root, call->comm);
    case TOPO_OPERATION_scatter:
        return EITHER(scatter, Scatter, all, count, type, own, own_count, own_type, root, call->comm);
    case TOPO_OPERATION_gatherv:
        return EITHER(gatherv, Gatherv, own, own_count, own_type, all, counts, places, type, root, call->comm);
    default: return EITHER(scatterv, Scatterv, all, counts, places, type, own, own_count, own_type, root, call->comm);
    }
}

/* One call in both ways; true when the buffers are equal and codes are too. On an inter-communicator the root is rank 0
 * of the lower group. */
static bool same(const struct call *call)
{
    int rank, ranks, inter, world, worlds, root = call->root;
    MPI_Comm_rank(call->comm, &rank);
    MPI_Comm_test_inter(call->comm, &inter);
    (inter ? MPI_Comm_remote_size : MPI_Comm_size)(call->comm, &ranks);
    bool is_root = rank == root;
    if (inter) {
        MPI_Comm_rank(MPI_COMM_WORLD, &world);
        MPI_Comm_size(MPI_COMM_WORLD, &worlds);
        is_root = world == 0;
        root = world >= worlds / 2 ? 0 : is_root ? MPI_ROOT : MPI_PROC_NULL;
    }
    struct blocks blocks = lay_out(call, ranks);
    const long own_count = ints_of(call, rank) / call->own->ints;
    struct twice own = make(call->own, own_count), all = make(call->all, is_root ? blocks.elements : 0);
    if (gathers(call))
        fill(&own, call->own, 0, own_count, (unsigned)rank);
    for (int from = 0; is_root && from < ranks; from++)
        if (!gathers(call) || (call->in_place && from == rank))
            fill(&all, call->all, blocks.places[from], blocks.counts[from], (unsigned)from);
    const struct blocks *roots = is_root ? &blocks : NULL;
    const int code = make_call(call, true, roots, own.base[0], (int)own_count, is_root ? all.base[0] : NULL, root);
    const struct key {
        const char *own, *all;
        int operation, ints, root, in_place;
    } key = {call->own->name, call->all->name, (int)call->algorithm->operation, call->ints, call->root, call->in_place};
    const struct twice *result = gathers(call) ? &all : &own;
    int native;
    if (!test_recall(&key, sizeof key, call->comm, result->block[1], result->bytes, &native)) {
        native = make_call(call, false, roots, own.base[1], (int)own_count, is_root ? all.base[1] : NULL, root);
        test_remember(&key, sizeof key, call->comm, result->block[1], result->bytes, native);
    }
    const bool equal[] = {forget(&own), forget(&all)};
    free(blocks.counts);
    free(blocks.places);
    return code == native && equal[0] && equal[1];
}

static void all_types(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types,
                      const char *machine)
{
    static const int sizes[] = {0, 6, 6 * 200, 6 * 3000};
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < 2 * TEST_TYPES; t++) {
            const struct call call = {algorithm,     comm,
                                      &types[t / 2], &types[(t / 2 + s) % TEST_TYPES],
                                      sizes[s],      (s * TEST_TYPES + t) % ranks,
                                      (t + s) % 2};
            harness_check(same(&call), "%s %s on %s from rank %d: %d ints as %s%s",
                          topo_operation_name(algorithm->operation), algorithm->name, machine, call.root, sizes[s],
                          types[t / 2].name, call.in_place ? ", in place" : "");
        }
    for (int root = 0; root < ranks; root++) {
        /* Ranks may describe one signature by different types. */
        const struct call call = {
            algorithm, comm, &types[(rank + root) % TEST_TYPES], &types[root % TEST_TYPES], 60, root, root % 3 == 1};
        harness_check(same(&call), "%s %s on %s from rank %d, another type on each rank",
                      topo_operation_name(algorithm->operation), algorithm->name, machine, root);
    }
}

static bool is_right_on(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context)
{
    const struct test_type *types = context;
    const struct call call = {algorithm, comm->comm, &types[1], &types[2], 12, comm->ranks - 1, false};
    /* Open MPI's own truncates messages between groups there. */
    return (comm->inter && algorithm->operation == TOPO_OPERATION_scatterv) || same(&call);
}

static void application_messages(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types)
{
    struct test_pending pending;
    test_pending_begin(&pending, comm);
    const struct call call = {algorithm, comm, &types[0], &types[0], 90, pending.ranks / 2, false};
    test_pending_end(&pending, same(&call), algorithm->name);
}

/* Calls in a row from changing roots and by changing forms, while some ranks are late: a message of one must not be
 * taken for another's. */
static void in_a_row(MPI_Comm comm, const char *machine)
{
    enum { CALLS = 120, MOST = 20000 };
    static const int sizes[] = {1, 700, 1, MOST, 3, 100};
    const struct topo_algorithm *const gather[] = {topo_algorithm_find(TOPO_OPERATION_gather, "leader"),
                                                   topo_algorithm_find(TOPO_OPERATION_gather, "direct"), NULL};
    const struct topo_algorithm *const scatter[] = {topo_algorithm_find(TOPO_OPERATION_scatter, "leader"),
                                                    topo_algorithm_find(TOPO_OPERATION_scatter, "direct"), NULL};
    const struct topo_algorithm *const scatterv[] = {topo_algorithm_find(TOPO_OPERATION_scatterv, "leader"),
                                                     topo_algorithm_find(TOPO_OPERATION_scatterv, "direct"), NULL};
    int rank, ranks, *own = malloc(MOST * sizeof *own), counts[64], places[64];
    bool good = true;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *all = malloc((size_t)ranks * MOST * sizeof *all);
    for (int call = 0; call < CALLS; call++) {
        int root = call * 5 / 3 % ranks, ints = sizes[call % 6];
        if (call % 7 == rank % 7)
            usleep(300);
        for (int i = 0; i < ints; i++)
            own[i] = rank * 31 + call * 1009 + i;
        good &= topo_gather(gather[call % 3], own, ints, MPI_INT, all, ints, MPI_INT, root, comm) == MPI_SUCCESS;
        for (int i = 0; rank == root && i < ranks * ints; i++) {
            good &= all[i] == i / ints * 31 + call * 1009 + i % ints;
            all[i]++;
        }
        if (call % 2 == 0)
            continue;
        for (int i = 0; i < ranks; i++) {
            counts[i] = ints;
            places[i] = i * ints;
        }
        good &= (call % 4 == 1 ? topo_scatter(scatter[call / 2 % 3], all, ints, MPI_INT, own, ints, MPI_INT, root, comm)
                               : topo_scatterv(scatterv[call / 2 % 3], all, counts, places, MPI_INT, own, ints, MPI_INT,
                                               root, comm)) == MPI_SUCCESS;
        for (int i = 0; i < ints; i++)
            good &= own[i] == rank * 31 + call * 1009 + i + 1;
    }
    harness_check(good, "calls in a row on %s", machine);
    free(own);
    free(all);
}

static void on_machine(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *context)
{
    const struct test_type *types = context;
    if (strcmp(node, "64M") != 0) /* they share no memory */
        return;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm(id);
        const struct call call = {.algorithm = algorithm};
        if (!gathers(&call) && !is_any(algorithm->operation, TOPO_OPERATION_scatter, TOPO_OPERATION_scatterv))
            continue;
        all_types(algorithm, comm, types, machine);
        if (thorough) {
            application_messages(algorithm, comm, types);
            test_each_comm(algorithm, is_right_on, types);
        }
    }
    in_a_row(comm, machine);
}

int main(int argc, char **argv)
{
    struct test_type types[TEST_TYPES];
    harness_start(&argc, &argv);
    test_types_make(types);
    harness_on_machines(on_machine, "20K", types);
    test_types_free(types);
    return harness_finish();
}
