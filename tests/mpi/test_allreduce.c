/* Every algorithm of MPI_Allreduce against PMPI_Allreduce: predefined operations and
 * datatypes, counts, placements, communicators. Values are small integers, whose
 * sums and products are exact in any order. */
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/allreduce/allreduce.h"
#include "job/job.h"
#include "mpi/comms.h"
#include "mpi/harness.h"
#include "mpi/pending.h"
#include "mpi/remember.h"

enum kind { INTEGER = 1, OTHER_INTEGER = 64, FLOATING = 2, LOGICAL = 4, COMPLEX = 8, BYTE = 16, PAIR = 32 };

struct type {
    const char *name;
    MPI_Datatype type;
    enum kind kind;
};

#define T(type, kind) \
    { \
#type, type, kind \
    }
#define TYPES \
    T(MPI_INT, INTEGER), T(MPI_LONG, INTEGER), T(MPI_SHORT, INTEGER), T(MPI_UNSIGNED, INTEGER), \
        T(MPI_UNSIGNED_SHORT, INTEGER), T(MPI_UNSIGNED_LONG, INTEGER), T(MPI_LONG_LONG, INTEGER), \
        T(MPI_UNSIGNED_LONG_LONG, INTEGER), T(MPI_SIGNED_CHAR, INTEGER), T(MPI_UNSIGNED_CHAR, INTEGER), \
        T(MPI_INT8_T, INTEGER), T(MPI_INT16_T, INTEGER), T(MPI_INT32_T, INTEGER), T(MPI_INT64_T, INTEGER), \
        T(MPI_UINT8_T, INTEGER), T(MPI_UINT16_T, INTEGER), T(MPI_UINT32_T, INTEGER), T(MPI_UINT64_T, INTEGER), \
        T(MPI_INTEGER, OTHER_INTEGER), T(MPI_AINT, OTHER_INTEGER), T(MPI_OFFSET, OTHER_INTEGER), \
        T(MPI_COUNT, OTHER_INTEGER), T(MPI_FLOAT, FLOATING), T(MPI_DOUBLE, FLOATING), T(MPI_LONG_DOUBLE, FLOATING), \
        T(MPI_REAL, FLOATING), T(MPI_DOUBLE_PRECISION, FLOATING), T(MPI_C_BOOL, LOGICAL), T(MPI_LOGICAL, LOGICAL), \
        T(MPI_C_FLOAT_COMPLEX, COMPLEX), T(MPI_C_DOUBLE_COMPLEX, COMPLEX), T(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX), \
        T(MPI_COMPLEX, COMPLEX), T(MPI_DOUBLE_COMPLEX, COMPLEX), T(MPI_BYTE, BYTE), T(MPI_FLOAT_INT, PAIR), \
        T(MPI_DOUBLE_INT, PAIR), T(MPI_LONG_INT, PAIR), T(MPI_2INT, PAIR), T(MPI_SHORT_INT, PAIR), \
        T(MPI_LONG_DOUBLE_INT, PAIR), T(MPI_2REAL, PAIR), T(MPI_2DOUBLE_PRECISION, PAIR), T(MPI_2INTEGER, PAIR)

struct op {
    const char *name;
    MPI_Op op;
    unsigned kinds;
};

#define OPS \
    {"MPI_SUM", MPI_SUM, INTEGER | OTHER_INTEGER | FLOATING | COMPLEX}, \
        {"MPI_PROD", MPI_PROD, INTEGER | OTHER_INTEGER | FLOATING | COMPLEX}, \
        {"MPI_MAX", MPI_MAX, INTEGER | OTHER_INTEGER | FLOATING}, \
        {"MPI_MIN", MPI_MIN, INTEGER | OTHER_INTEGER | FLOATING}, {"MPI_LAND", MPI_LAND, INTEGER | LOGICAL}, \
        {"MPI_LOR", MPI_LOR, INTEGER | LOGICAL}, {"MPI_LXOR", MPI_LXOR, INTEGER | LOGICAL}, \
        {"MPI_BAND", MPI_BAND, INTEGER | OTHER_INTEGER | BYTE}, {"MPI_BOR", MPI_BOR, INTEGER | OTHER_INTEGER | BYTE}, \
        {"MPI_BXOR", MPI_BXOR, INTEGER | OTHER_INTEGER | BYTE}, {"MPI_MAXLOC", MPI_MAXLOC, PAIR}, \
    { \
        "MPI_MINLOC", MPI_MINLOC, PAIR \
    }

static unsigned number(int rank, size_t i, unsigned below)
{
    unsigned x = (unsigned)rank * 2654435761u + (unsigned)i * 40503u + 12345u;
    x ^= x >> 13;
    return x * 2246822519u >> 16 & (below - 1);
}

/* Values of 0..3 (logical: 0 and 1) in the type's own form. */
static void fill(const struct type *type, void *base, size_t count, int rank)
{
    int size;
    MPI_Aint lb, extent;
    PMPI_Type_size(type->type, &size);
    PMPI_Type_get_extent(type->type, &lb, &extent);
    for (size_t i = 0; i < count; i++) {
        char *at = (char *)base + (size_t)extent * i;
        unsigned value = number(rank, i, type->kind == LOGICAL ? 2 : 4);
        memset(at, 0, (size_t)extent); /* the unused bytes of a long double, too */
        if (type->kind == FLOATING && size == 4)
            *(float *)at = (float)value;
        else if (type->kind == FLOATING && size == 8)
            *(double *)at = value;
        else if (type->kind == FLOATING)
            *(long double *)at = value;
        else if (type->kind == COMPLEX && size == 8)
            *(float *)at = (float)value;
        else if (type->kind == COMPLEX && size == 16)
            *(double *)at = value;
        else if (type->kind == COMPLEX)
            *(long double *)at = value;
        else if (type->type == MPI_FLOAT_INT || type->type == MPI_2REAL)
            *(float *)at = (float)value;
        else if (type->type == MPI_DOUBLE_INT || type->type == MPI_2DOUBLE_PRECISION)
            *(double *)at = value;
        else if (type->type == MPI_LONG_DOUBLE_INT)
            *(long double *)at = value;
        else
            *(unsigned char *)at = (unsigned char)value;
        if (type->type == MPI_2REAL)
            ((float *)at)[1] = (float)rank;
        else if (type->type == MPI_2DOUBLE_PRECISION)
            ((double *)at)[1] = rank;
        else if (type->type == MPI_SHORT_INT || type->type == MPI_2INT || type->type == MPI_2INTEGER ||
                 type->type == MPI_FLOAT_INT)
            ((int *)at)[1] = rank;
        else if (type->type == MPI_LONG_INT || type->type == MPI_DOUBLE_INT)
            ((int *)at)[2] = rank;
        else if (type->type == MPI_LONG_DOUBLE_INT)
            ((int *)at)[4] = rank;
    }
}

/* One call in both ways; true when the receive buffers are equal and codes are too. */
static bool same(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct type *type, MPI_Op op, int count,
                 bool in_place)
{
    int rank;
    MPI_Aint lb, extent;
    MPI_Comm_rank(comm, &rank);
    PMPI_Type_get_extent(type->type, &lb, &extent);
    size_t bytes = (size_t)extent * (size_t)count, margin = 64;
    char *send = malloc(bytes + 1), *receive[2];
    fill(type, send, (size_t)count, rank);
    for (int i = 0; i < 2; i++) {
        receive[i] = malloc(bytes + 2 * margin);
        memset(receive[i], 0, bytes + 2 * margin);
        if (in_place)
            fill(type, receive[i] + margin, (size_t)count, rank);
    }
    const void *from = in_place ? MPI_IN_PLACE : send;
    int ours = topo_allreduce(algorithm, from, receive[0] + margin, count, type->type, op, comm);
    const struct key {
        MPI_Datatype type;
        MPI_Op op;
        int count, in_place;
    } key = {type->type, op, count, in_place};
    int native;
    if (!test_recall(&key, sizeof key, comm, receive[1], bytes + 2 * margin, &native)) {
        native = PMPI_Allreduce(from, receive[1] + margin, count, type->type, op, comm);
        test_remember(&key, sizeof key, comm, receive[1], bytes + 2 * margin, native);
    }
    bool equal = ours == native && !memcmp(receive[0], receive[1], bytes + 2 * margin);
    free(send);
    free(receive[0]);
    free(receive[1]);
    return equal;
}

static void all_pairs(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine)
{
    const struct type types[] = {TYPES};
    const struct op ops[] = {OPS};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
            for (int in_place = 0; in_place < 2; in_place++)
                if (ops[o].kinds & types[t].kind)
                    harness_check(same(algorithm, comm, &types[t], ops[o].op, 37, in_place), "%s on %s: %s of %s%s",
                                  algorithm->name, machine, ops[o].name, types[t].name, in_place ? ", in place" : "");
}

/* Counts around the number of ranks, and such that blocks are cut into packets. */
static void all_counts(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine)
{
    static const int counts[] = {0, 1, 2, 3, 7, 15, 16, 17, 100, 1000, 4099, 50001};
    static const struct type types[] = {T(MPI_DOUBLE, FLOATING), T(MPI_SHORT_INT, PAIR)};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int in_place = 0; in_place < 2; in_place++) {
            harness_check(same(algorithm, comm, &types[0], MPI_SUM, counts[c], in_place), "%s on %s: %d doubles%s",
                          algorithm->name, machine, counts[c], in_place ? ", in place" : "");
            harness_check(same(algorithm, comm, &types[1], MPI_MINLOC, counts[c], in_place),
                          "%s on %s: %d pairs with gaps%s", algorithm->name, machine, counts[c],
                          in_place ? ", in place" : "");
        }
}

static bool is_right_on(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context)
{
    (void)context;
    static const struct type type = T(MPI_INT, INTEGER);
    return same(algorithm, comm->comm, &type, MPI_SUM, 1001, false);
}

static void application_messages(const struct topo_algorithm *algorithm, MPI_Comm comm)
{
    static const struct type type = T(MPI_2INT, PAIR);
    struct test_pending pending;
    test_pending_begin(&pending, comm);
    test_pending_end(&pending, same(algorithm, comm, &type, MPI_MAXLOC, 90, false), algorithm->name);
}

/* Grids by hand, packets of one element and of none. */
static void settings(void)
{
    static const char *const packets[] = {"0", "1", "64", "4K", "1M"};
    const struct topo_algorithm *cyclic = topo_algorithm_find(TOPO_OPERATION_allreduce, "cyclic");
    static const struct type type = T(MPI_DOUBLE, FLOATING);
    int ranks;
    MPI_Comm comm;
    char grid[3][32];
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(grid[0], sizeof *grid, "%d", ranks < 2 ? 2 : ranks);
    snprintf(grid[1], sizeof *grid, ranks % 4 ? "3x5" : "2x%d", ranks / 2);
    snprintf(grid[2], sizeof *grid, ranks % 8 ? "auto" : "%dx2x2", ranks / 4);
    for (int p = 0; p < 5; p++)
        for (int g = 0; g < 3; g++) {
            harness_option("TOPOMPI_PACKET", packets[p]);
            harness_option("TOPOMPI_CYCLIC_GRID", grid[g]);
            if (!harness_use_machine("auto"))
                continue;
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            harness_check(same(cyclic, comm, &type, MPI_SUM, 777, false) &&
                              same(cyclic, comm, &type, MPI_SUM, 50, true),
                          "cyclic on grid %s in packets of %s", grid[g], packets[p]);
            if (p > 1)
                harness_check(same(cyclic, comm, &type, MPI_SUM, 40000, false), "many in packets of %s", packets[p]);
            MPI_Comm_free(&comm);
        }
    harness_option("TOPOMPI_PACKET", "auto");
    harness_option("TOPOMPI_CYCLIC_GRID", "auto");
}

/* As where each rank has a processor to itself: the operands of large nodes are added up in parts. */
static void with_processors(MPI_Comm comm, const char *machine)
{
    bool oversubscribed = topo_job.oversubscribed;
    topo_job.oversubscribed = false;
    all_counts(topo_algorithm_find(TOPO_OPERATION_allreduce, "leader"), comm, machine);
    topo_job.oversubscribed = oversubscribed;
}

int main(int argc, char **argv)
{
    const char *machine;
    harness_start(&argc, &argv);
    for (int i = 0; (machine = harness_machine(i)); i++) {
        MPI_Comm comm;
        if (!harness_use_machine(machine))
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
            const struct topo_algorithm *algorithm = topo_algorithm(id);
            if (algorithm->operation != TOPO_OPERATION_allreduce)
                continue;
            all_counts(algorithm, comm, machine);
            if (i == 0)
                all_pairs(algorithm, comm, machine);
            if (i == 0 || strstr(machine, "by:node")) {
                test_each_comm(algorithm, is_right_on, NULL);
                application_messages(algorithm, comm);
            }
        }
        with_processors(comm, machine);
        MPI_Comm_free(&comm);
    }
    settings();
    return harness_finish();
}
