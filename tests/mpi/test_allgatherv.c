/* Every algorithm of MPI_Allgatherv: byte for byte, gaps included; blocks of no bytes, in any order, with space between
 * them. Open MPI 4.1 chooses its own form by counts times the size of what is sent, so ranks that describe one
 * signature by different types hang there: what comes out is compared with what was sent, not with PMPI_Allgatherv's.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "coll/call/operations.h"
#include "mpi/comms.h"
#include "mpi/harness.h"
#include "mpi/pending.h"
#include "mpi/remember.h"
#include "mpi/types.h"

static int rank, ranks;

/* How blocks lie in the receive buffer. */
enum places { CLOSE, SPACED, BACKWARDS, PLACES };
static const char *const place_names[] = {"one after the other", "with space between", "backwards"};

/* How long they are, in units of `ints`. */
enum lengths { EQUAL, EVERY_OTHER, GROWING, ONE, LENGTHS };
static const char *const length_names[] = {"equal", "every other empty", "growing", "one only"};

/* Long blocks grow to the length of four, whatever the number of ranks. */
static int length(enum lengths kind, int of, int all, int ints)
{
    switch (kind) {
    case EQUAL: return 1;
    case EVERY_OTHER: return of % 2;
    case GROWING: return ints > 1000 ? of * 5 / all : of;
    default: return of == all / 2;
    }
}

/* One call; true when every block is where it belongs and nothing else was written. */
static bool is_right(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *send,
                     const struct test_type *receive, int ints, enum lengths kind, enum places where, bool in_place)
{
    int self, all, inter, total = 0;
    void *out, *out_base, *in[2], *in_base[2];
    size_t out_bytes, bytes;
    MPI_Aint lb, extent;
    MPI_Comm_rank(comm, &self);
    MPI_Comm_size(comm, &all);
    MPI_Comm_test_inter(comm, &inter);
    int own = length(kind, self, all, ints) * ints;
    if (inter)
        MPI_Comm_remote_size(comm, &all);
    int *counts = malloc((size_t)all * sizeof *counts), *places = malloc((size_t)all * sizeof *places);
    for (int k = 0; k < all; k++) {
        int i = where == BACKWARDS ? all - 1 - k : k, theirs = all;
        if (inter) /* as the other group counts itself */
            MPI_Comm_remote_size(comm, &theirs);
        counts[i] = length(kind, i, theirs, ints) * ints / receive->ints;
        places[i] = counts[i] == 0 && k % 3 == 0 ? 0 : total;
        total += counts[i] + (where == SPACED);
    }
    in_place = in_place && !inter;
    out = test_buffer(send, own / send->ints, 0x11, &out_base, &out_bytes);
    test_fill(send, own / send->ints, out_base, (unsigned)self + 1);
    PMPI_Type_get_extent(receive->type, &lb, &extent);
    for (int i = 0; i < 2; i++)
        in[i] = test_buffer(receive, total, 0x22, &in_base[i], &bytes);
    if (in_place)
        test_fill(receive, counts[self], (char *)in_base[0] + places[self] * extent, (unsigned)self + 1);
    const struct key {
        const char *type;
        enum lengths kind;
        enum places where;
        long ints;
    } key = {receive->name, kind, where, ints};
    int code = MPI_SUCCESS;
    if (!test_recall(&key, sizeof key, comm, in[1], bytes, &code)) {
        for (int from = 0; from < all; from++)
            test_fill(receive, counts[from], (char *)in_base[1] + places[from] * extent, (unsigned)from + 1);
        test_remember(&key, sizeof key, comm, in[1], bytes, code);
    }
    code = topo_allgatherv(algorithm, in_place ? MPI_IN_PLACE : out_base, own / send->ints, send->type, in_base[0],
                           counts, places, receive->type, comm);
    bool equal = code == MPI_SUCCESS && !memcmp(in[0], in[1], bytes);
    free(out);
    free(in[0]);
    free(in[1]);
    free(counts);
    free(places);
    return equal;
}

static void all_types(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types,
                      const char *machine)
{
    static const int sizes[] = {0, 6, 6 * 40, 6 * 1500};
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < TEST_TYPES; t++)
            for (int kind = 0; kind < LENGTHS; kind++) {
                enum places where = (enum places)((s + t + kind) % PLACES);
                bool in_place = (s + t) % 2;
                /* Ranks may describe one signature by different types. */
                /* On one rank the native call runs, which fails on types that differ. */
                bool mixed = ranks > 1 && algorithm->id != TOPO_ALGORITHM_allgatherv_native;
                const struct test_type *send = &types[(mixed ? rank + t : t) % TEST_TYPES];
                const struct test_type *receive = &types[mixed && kind % 2 ? (rank + 2 * t) % TEST_TYPES : t];
                harness_check(is_right(algorithm, comm, send, receive, sizes[s], (enum lengths)kind, where, in_place),
                              "%s on %s: %d ints, %s, as %s, %s%s", algorithm->name, machine, sizes[s],
                              length_names[kind], types[t].name, place_names[where], in_place ? ", in place" : "");
            }
}

static bool is_right_on(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context)
{
    const struct test_type *types = context;
    return is_right(algorithm, comm->comm, &types[0], &types[2], 12, EQUAL, BACKWARDS, comm->ranks % 2);
}

/* Bytes of a rank's block in a row of calls whose lengths change from call to call. */
static int changing(int call, int of)
{
    switch (call % 6) {
    case 0: return of == call / 6 % ranks ? 700001 : 0;
    case 1: return of == ranks - 1 ? 300000 : 1 + of;
    case 2: return of < (ranks + 1) / 2 ? 0 : 40000 + of; /* whole nodes have none, or only the last rank has any */
    case 3: return 8;
    case 4: return (of * 7 + call) % 5 * 20000;
    default: return 65536;
    }
}

/* What a rank sends in a call: bytes that have no period, from another one on. */
static const unsigned char *values_of(int from, int call)
{
    enum { BYTES = 700001 + 64 * 997 + 12 * 31 };
    static unsigned char values[BYTES];
    if (!values[0]) {
        uint32_t state = 1;
        for (int i = 0; i < BYTES; i++) {
            state = state * 1664525 + 1013904223;
            values[i] = (unsigned char)(state >> 24 | 1);
        }
    }
    return values + from * 997 + call * 31;
}

static bool changed_is_right(const struct topo_algorithm *algorithm, MPI_Comm comm, int call)
{
    int *counts = malloc((size_t)ranks * sizeof *counts), *places = malloc((size_t)ranks * sizeof *places), total = 0;
    for (int from = 0; from < ranks; from++) {
        counts[from] = changing(call, from);
        places[from] = total;
        total += counts[from];
    }
    unsigned char *receive = calloc((size_t)total + 1, 1);
    bool good = topo_allgatherv(algorithm, values_of(rank, call), counts[rank], MPI_BYTE, receive, counts, places,
                                MPI_BYTE, comm) == MPI_SUCCESS;
    for (int from = 0; from < ranks; from++)
        good &= !memcmp(receive + places[from], values_of(from, call), (size_t)counts[from]);
    free(receive);
    free(counts);
    free(places);
    return good;
}

/* One huge block and many empty ones, nodes with nothing, many iterations, all one after the other without a pause and
 * between allgathers, which cut the same memory otherwise. */
static void changes(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine, const char *node)
{
    static const int lengths[] = {100, 33000, 70000};
    const struct topo_algorithm *lanes = topo_algorithm_find(TOPO_OPERATION_allgather, "lanes");
    unsigned char *send = malloc(70000), *receive = malloc((size_t)ranks * 70000);
    bool good = true, between = true;
    for (int call = 0; call < 12; call++) {
        good &= changed_is_right(algorithm, comm, call);
        if (call % 2)
            continue;
        int bytes = lengths[call / 2 % 3];
        memset(send, rank + call, (size_t)bytes);
        between &= topo_allgather(lanes, send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, comm) == MPI_SUCCESS;
        for (int from = 0; from < ranks; from++) {
            const unsigned char *got = receive + (size_t)from * (size_t)bytes;
            between &= got[0] == (unsigned char)(from + call) && !memcmp(got, got + 1, (size_t)bytes - 1);
        }
    }
    harness_check(good, "%s on %s with %s shared: lengths that change", algorithm->name, machine, node);
    harness_check(between, "allgather lanes between calls of %s on %s with %s shared", algorithm->name, machine, node);
    free(send);
    free(receive);
}

static void application_messages(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types)
{
    struct test_pending pending;
    test_pending_begin(&pending, comm);
    test_pending_end(&pending, is_right(algorithm, comm, &types[0], &types[0], 90, GROWING, CLOSE, false),
                     algorithm->name);
}

/* Open MPI 4.1 does not look at the counts and places that it is given. */
static void errors(MPI_Comm comm)
{
    const struct topo_algorithm *leader = topo_algorithm_find(TOPO_OPERATION_allgatherv, "leader");
    int *in = calloc((size_t)ranks, sizeof *in), *counts = calloc((size_t)ranks, sizeof *counts);
    int *places = calloc((size_t)ranks, sizeof *places);
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    const struct {
        const char *name;
        int count;
        MPI_Datatype send, receive;
    } wrong[] = {{"a negative count to send", -1, MPI_INT, MPI_INT},
                 {"no type to send", 1, MPI_DATATYPE_NULL, MPI_INT},
                 {"no type to receive", 1, MPI_INT, MPI_DATATYPE_NULL}};
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int class[2], code = topo_allgatherv(leader, &rank, wrong[i].count, wrong[i].send, in, counts, places,
                                             wrong[i].receive, comm);
        MPI_Error_class(code, &class[0]);
        code = PMPI_Allgatherv(&rank, wrong[i].count, wrong[i].send, in, counts, places, wrong[i].receive, comm);
        MPI_Error_class(code, &class[1]);
        harness_check(class[0] != MPI_SUCCESS && class[0] == class[1], "error of %s", wrong[i].name);
    }
    free(in);
    free(counts);
    free(places);
}

static void on_machine(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *context)
{
    const struct test_type *types = context;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm(id);
        if (algorithm->operation != TOPO_OPERATION_allgatherv)
            continue;
        all_types(algorithm, comm, types, machine);
        changes(algorithm, comm, machine, node);
        if (thorough) {
            application_messages(algorithm, comm, types);
            test_each_comm(algorithm, is_right_on, types);
        }
    }
    if (thorough)
        errors(comm);
}

/* As where each rank has a processor to itself: blocks that change go by trees and in rings, one after the other. */
static void with_processors(const struct test_type *types)
{
    const struct topo_algorithm *lanes = topo_algorithm_find(TOPO_OPERATION_allgatherv, "lanes");
    const char *machine;
    harness_option("TOPOMPI_SHARED", "64M");
    for (int i = 0; (machine = harness_machine(i)); i++) {
        MPI_Comm comm;
        if (!harness_use_processors(machine))
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        all_types(lanes, comm, types, machine);
        changes(lanes, comm, machine, "64M");
        MPI_Comm_free(&comm);
    }
}

int main(int argc, char **argv)
{
    struct test_type types[TEST_TYPES];
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_types_make(types);
    harness_on_machines(on_machine, "20K", types);
    with_processors(types);
    test_types_free(types);
    return harness_finish();
}
