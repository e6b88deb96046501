/* Elements that lie among one another, as the columns of a matrix do: a user's operations on them by every algorithm of
 * every reduction, in packets of one element to the whole vector, and such elements moved by all other operations. All
 * bytes of the buffers count, those between the elements too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/calls.h"
#include "mpi/harness.h"
#include "mpi/ops.h"
#include "mpi/types.h"

static int rank, ranks;

/* Operands of all ranks combined one after the other: elements `first` .. first + `gets` - 1 of `count` to `base`. */
static void expect(const struct test_type *type, int count, int first, int gets, test_combine *each, void *base,
                   MPI_Comm comm)
{
    const struct test_type whole = {type->name, MPI_INT, 1};
    int ints = count * type->ints, position = 0, bytes = ints * (int)sizeof(int);
    int *all = malloc((size_t)bytes);
    test_reference(&whole, ints, all, each, comm);
    if (gets > 0)
        PMPI_Unpack(all + first * type->ints, gets * type->ints * (int)sizeof(int), &position, base, gets, type->type,
                    MPI_COMM_SELF);
    free(all);
}

/* The first element that this rank gets. */
static int first_of(const struct test_call *call, MPI_Comm comm)
{
    int mine = (int)test_call_receives(call, comm), first = 0;
    if (call->operation == TOPO_OPERATION_reduce_scatter_block || call->operation == TOPO_OPERATION_reduce_scatter)
        MPI_Exscan(&mine, &first, 1, MPI_INT, MPI_SUM, comm);
    return rank ? first : 0;
}

/* One reduction. */
static bool adds_up(const struct topo_algorithm *algorithm, const struct test_type *type, MPI_Op op, test_combine *each,
                    int count, bool in_place, MPI_Comm comm)
{
    struct test_call call = {.operation = algorithm->operation,
                             .count = count,
                             .send_type = type->type,
                             .receive_type = type->type,
                             .op = op,
                             .root = count % ranks};
    int all = (int)test_call_sends(&call, comm), mine = (int)test_call_receives(&call, comm);
    int first = first_of(&call, comm);
    void *base[3], *block[3];
    size_t bytes;
    for (int i = 0; i < 3; i++)
        block[i] = test_buffer(type, all, 0x5a, &base[i], &bytes);
    in_place = in_place && (call.operation != TOPO_OPERATION_reduce || rank == call.root);
    for (int i = in_place ? 0 : 2; i < 3; i++)
        test_fill(type, all, base[i], (unsigned)rank + 1);
    expect(type, all, first, mine, each, base[1], comm);
    call.send = in_place ? MPI_IN_PLACE : base[2];
    call.receive = base[0];
    bool good = test_call(&call, algorithm, comm) == MPI_SUCCESS;
    if (in_place && mine < all) { /* the rest may be anything: what this rank got counts */
        size_t ints = (size_t)mine * (size_t)type->ints * sizeof(int);
        char *got[2];
        for (int i = 0; i < 2; i++) {
            int position = 0;
            got[i] = malloc(ints + 1);
            PMPI_Pack(base[i], mine, type->type, got[i], (int)ints, &position, MPI_COMM_SELF);
        }
        good = good && !memcmp(got[0], got[1], ints);
        free(got[0]);
        free(got[1]);
    } else {
        good = good && !memcmp(block[0], block[1], bytes);
    }
    for (int i = 0; i < 3; i++)
        free(block[i]);
    return good;
}

/* Any other operation: runs of ints are sent and such elements received, against the native call that receives runs. */
static bool moves(const struct topo_algorithm *algorithm, const struct test_type *type, int count, MPI_Comm comm)
{
    struct test_type run = {"run", MPI_DATATYPE_NULL, type->ints};
    struct test_call call = {.operation = algorithm->operation, .count = count, .root = count % ranks};
    int sends = (int)test_call_sends(&call, comm), receives = (int)test_call_receives(&call, comm), position = 0;
    void *sent, *base[2], *runs, *block[4];
    size_t bytes, unused;
    PMPI_Type_contiguous(type->ints, MPI_INT, &run.type);
    PMPI_Type_commit(&run.type);
    block[0] = test_buffer(type, receives, 0x5a, &base[0], &bytes);
    block[1] = test_buffer(type, receives, 0x5a, &base[1], &bytes);
    block[2] = test_buffer(&run, receives, 0, &runs, &unused);
    block[3] = test_buffer(&run, sends, 0, &sent, &unused);
    test_fill(&run, sends, sent, (unsigned)rank + 1);
    if (call.operation == TOPO_OPERATION_bcast) {
        test_fill(&run, receives, runs, (unsigned)rank + 1);
        test_fill(type, receives, base[0], (unsigned)rank + 1);
    }
    call.send = sent;
    call.send_type = run.type;
    call.receive = base[0];
    call.receive_type = type->type;
    bool good = test_call(&call, algorithm, comm) == MPI_SUCCESS;
    call.receive = runs;
    call.receive_type = run.type;
    good = test_call(&call, NULL, comm) == MPI_SUCCESS && good;
    PMPI_Unpack(runs, receives * run.ints * (int)sizeof(int), &position, base[1], receives, type->type, MPI_COMM_SELF);
    good = good && !memcmp(block[0], block[1], bytes);
    PMPI_Type_free(&run.type);
    for (int i = 0; i < 4; i++)
        free(block[i]);
    return good;
}

/* Open MPI 4.1 takes no account of how far such elements reach: its ring of reductions writes outside its buffers, and
 * so does its Bruck of allgathers. Ours go there where they do not apply, and reductions without shared memory. */
static bool goes_natively(const struct topo_algorithm *algorithm, bool commutes, const char *node)
{
    return algorithm == topo_algorithm_native(algorithm->operation) ||
           !topo_algorithm_applies(algorithm, ranks, NULL) ||
           (!commutes && topo_algorithm_misses(algorithm, TOPO_TRAIT_COMMUTATIVE, NULL)) ||
           (algorithm->operation != TOPO_OPERATION_allreduce && test_call_reduces(algorithm->operation) &&
            strcmp(node, "64M") != 0);
}

/* The elements of the longest buffer of any rank: the next row begins right behind them. */
static int longest(const struct topo_algorithm *algorithm, int count, MPI_Comm comm)
{
    const struct test_call call = {.operation = algorithm->operation, .count = count};
    long sends = test_call_sends(&call, comm), receives = test_call_receives(&call, comm);
    int most = (int)(sends > receives ? sends : receives);
    PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm);
    return most;
}

static void on_machine(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *packet)
{
    static const int counts[] = {1, 5, 61, 1201};
    struct test_user_op ops[TEST_USER_OPS];
    test_user_ops_make(ops);
    for (int at = 0; at < TOPO_ALGORITHM_COUNT * (thorough && !packet ? 4 : 3); at++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)(at % TOPO_ALGORITHM_COUNT));
        enum topo_operation operation = algorithm->operation;
        int count = counts[at / TOPO_ALGORITHM_COUNT];
        struct test_type types[TEST_INTERLEAVED];
        test_interleaved_make(types, longest(algorithm, count, comm));
        for (int t = 0; t < TEST_INTERLEAVED; t++)
            for (int k = 0; k < 4; k++) {
                bool commutes = k < 2, good;
                if (goes_natively(algorithm, commutes, node) || test_call_scans(operation))
                    continue;
                if (test_call_reduces(operation))
                    good = adds_up(algorithm, &types[t], ops[!commutes].op, ops[!commutes].each, count, k % 2, comm);
                else if (k == 0 && !packet && operation != TOPO_OPERATION_barrier)
                    good = moves(algorithm, &types[t], count, comm);
                else
                    continue;
                harness_check(good, "%s %s on %s, %s shared%s%s: %d x %s%s%s", topo_operation_name(operation),
                              algorithm->name, machine, node, packet ? ", packets of " : "",
                              packet ? (const char *)packet : "", count, types[t].name,
                              commutes ? "" : ", does not commute", k % 2 ? ", in place" : "");
            }
        test_interleaved_free(types);
    }
    test_user_ops_free(ops);
}

/* Those that go in packets have a size of them: less than an element, some elements, more than the vector, whole
 * blocks. */
static void in_packets(void)
{
    static const char *const packets[] = {"1", "100", "1K", "1M", "0"};
    const char *machine;
    for (int i = 0; i < 5; i++) {
        harness_option("TOPOMPI_PACKET", packets[i]);
        for (int m = 0; (machine = harness_machine(m)); m++) {
            MPI_Comm comm;
            if (m % 2 == i % 2 || !harness_use_machine(machine))
                continue;
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            on_machine(comm, machine, "64M", false, packets[i]);
            MPI_Comm_free(&comm);
        }
    }
    harness_option("TOPOMPI_PACKET", "auto");
}

int main(int argc, char **argv)
{
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    harness_on_machines(on_machine, "20K", NULL);
    harness_option("TOPOMPI_SHARED", "64M");
    in_packets();
    return harness_finish();
}
