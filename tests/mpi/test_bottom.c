/* MPI_BOTTOM with types of absolute addresses as send buffer, as receive buffer, as both and in place: every algorithm
 * of every operation, against the native call on plain buffers, gaps included. A reduction has one type for both sides,
 * so the other buffer's address is the distance between them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/calls.h"
#include "mpi/harness.h"
#include "mpi/ops.h"
#include "mpi/types.h"

enum way { SEND, RECEIVE, BOTH, IN_PLACE, WAYS };
static const char *const ways[] = {"send", "receive", "both", "in place"};

enum { INTS = 5, GAP = 1, SPAN = INTS + GAP }; /* of an element */

static int rank, ranks;

/* INTS ints with a gap among them, at `address`; of one block, or of two types. */
static MPI_Datatype type_at(const void *address, bool structure)
{
    int lengths[2] = {2, INTS - 2};
    MPI_Aint at[2];
    MPI_Datatype type, types[2] = {MPI_INT, MPI_INT};
    MPI_Get_address(address, &at[0]);
    if (!address)
        at[0] = 0;
    at[1] = at[0] + (2 + GAP) * (MPI_Aint)sizeof(int);
    if (structure)
        MPI_Type_create_struct(2, lengths, at, types, &type);
    else
        MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

/* The address to be used with `type_of` for data that is at `data`. */
static void *shifted(const void *data, const void *type_of)
{
    return (void *)((uintptr_t)data - (uintptr_t)type_of);
}

/* Memory of one call: what is sent, what ours and the native call give, each `bytes` long. */
struct memory {
    size_t bytes;
    int *sent, *ours, *native;
};

static struct memory memory_of(const struct test_call *call, MPI_Comm comm)
{
    long sends = test_call_sends(call, comm), receives = test_call_receives(call, comm);
    long most = (sends > receives ? sends : receives) + 1;
    struct memory memory = {.bytes = (size_t)most * SPAN * sizeof(int)};
    memory.sent = malloc(memory.bytes);
    memory.ours = malloc(memory.bytes);
    memory.native = malloc(memory.bytes);
    for (size_t i = 0; i < memory.bytes / sizeof(int); i++)
        memory.sent[i] = (int)((unsigned)(rank + 1) * 2654435761u + (unsigned)i * 40503u);
    return memory;
}

static void forget(struct memory *memory)
{
    free(memory->sent);
    free(memory->ours);
    free(memory->native);
}

/* Buffers and types of our call. */
static void by_address(struct test_call *call, enum way way, bool structure, const struct memory *memory)
{
    bool one_type = test_call_reduces(call->operation);
    if (one_type) {
        /* Ranks may describe their sides by different types. */
        bool receives = way == RECEIVE || way == IN_PLACE || (way == BOTH && rank % 2);
        const int *of = receives ? memory->ours : memory->sent;
        call->send_type = call->receive_type = type_at(of, structure);
        call->send = shifted(memory->sent, of);
        call->receive = shifted(memory->ours, of);
        if (call->operation == TOPO_OPERATION_reduce && rank != call->root)
            call->receive = MPI_BOTTOM; /* says nothing there */
    } else {
        call->send_type = type_at(way == RECEIVE ? NULL : memory->sent, structure);
        call->receive_type = type_at(way == SEND ? NULL : memory->ours, structure);
        call->send = way == RECEIVE ? memory->sent : MPI_BOTTOM;
        call->receive = way == SEND ? memory->ours : MPI_BOTTOM;
    }
    if (way == IN_PLACE && (topo_operation_waits(call->operation) != TOPO_WAITS_SOME || rank == call->root))
        call->send = MPI_IN_PLACE;
}

/* One call in both ways: equal codes and bytes, and nothing that was sent is touched. */
static bool same(const struct topo_algorithm *algorithm, enum way way, int count, MPI_Op op, bool structure,
                 MPI_Comm comm)
{
    struct test_call ours = {.operation = algorithm->operation, .count = count, .op = op, .root = count % ranks};
    struct memory memory = memory_of(&ours, comm);
    struct test_call native = ours;
    int *kept = malloc(memory.bytes);
    bool in_place = way == IN_PLACE || ours.operation == TOPO_OPERATION_bcast;
    memcpy(kept, memory.sent, memory.bytes);
    memset(memory.ours, 0x5a, memory.bytes);
    if (in_place)
        memcpy(memory.ours, memory.sent, memory.bytes);
    memcpy(memory.native, memory.ours, memory.bytes);
    by_address(&ours, way, structure, &memory);
    native.send_type = native.receive_type = type_at(NULL, structure);
    native.send = ours.send == MPI_IN_PLACE ? MPI_IN_PLACE : memory.sent;
    native.receive = memory.native;
    int codes[] = {test_call(&ours, algorithm, comm), test_call(&native, NULL, comm)};
    /* In place a reduce-scatter may leave anything behind this rank's part. */
    size_t compared = memory.bytes;
    if (way == IN_PLACE &&
        (ours.operation == TOPO_OPERATION_reduce_scatter || ours.operation == TOPO_OPERATION_reduce_scatter_block))
        compared = (size_t)test_call_receives(&ours, comm) * SPAN * sizeof(int);
    bool good = codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS && !memcmp(kept, memory.sent, memory.bytes) &&
                !memcmp(memory.ours, memory.native, compared);
    MPI_Type_free(&native.send_type);
    if (ours.send_type != ours.receive_type)
        MPI_Type_free(&ours.receive_type);
    MPI_Type_free(&ours.send_type);
    free(kept);
    forget(&memory);
    return good;
}

/* MPI_Alltoallv in place is the native call's, and wants equal counts both ways; MPI_Scatter's buffer in place is another. MPICH's MPI_Reduce reads MPI_IN_PLACE.
 */
static bool is_possible(enum topo_operation operation, enum way way)
{
    if (HARNESS_MPICH && operation == TOPO_OPERATION_reduce && way == IN_PLACE)
        return false;
    if (operation == TOPO_OPERATION_barrier || (operation == TOPO_OPERATION_bcast && way != BOTH))
        return false;
    return way != IN_PLACE || (operation != TOPO_OPERATION_alltoallv && operation != TOPO_OPERATION_scatter &&
                               operation != TOPO_OPERATION_scatterv);
}

/* Open MPI 4.1's MPI_Reduce takes MPI_BOTTOM as the root's receive buffer for none at all; ours go there without shared
 * memory. The ring of its MPI_Allreduce takes no account of where a type's bytes begin, as in test_allreduce_ops.c. */
static bool native_fails(const struct topo_algorithm *algorithm, enum way way, const char *node)
{
    bool native = algorithm == topo_algorithm_native(algorithm->operation);
    if (algorithm->operation == TOPO_OPERATION_allreduce)
        return native || !topo_algorithm_applies(algorithm, ranks, NULL);
    return algorithm->operation == TOPO_OPERATION_reduce && way != SEND && (native || strcmp(node, "64M") != 0);
}

static void on_machine(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *none)
{
    static const int counts[] = {1, 3, 40, 2500};
    struct test_user_op ops[TEST_USER_OPS];
    (void)none;
    test_user_ops_make(ops);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (int way = 0; way < WAYS; way++)
            for (int c = 0; c < (thorough ? 4 : 3); c++) {
                const struct topo_algorithm *algorithm = topo_algorithm(id);
                if (is_possible(algorithm->operation, (enum way)way) && !native_fails(algorithm, (enum way)way, node))
                    harness_check(same(algorithm, (enum way)way, counts[c], ops[0].op, (c + way) % 2, comm),
                                  "%s %s on %s, %s shared: MPI_BOTTOM, %s, %d elements",
                                  topo_operation_name(algorithm->operation), algorithm->name, machine, node, ways[way],
                                  counts[c]);
            }
    test_user_ops_free(ops);
}

int main(int argc, char **argv)
{
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    harness_on_machines(on_machine, "20K", NULL);
    return harness_finish();
}
