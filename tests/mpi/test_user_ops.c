/* Operations of a user's that look at several elements of a vector: in every form of ours and by auto each call of the
 * function gets all elements, of the type that the program gave, and forms that cut vectors stay native. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/base/datatype.h"
#include "coll/call/operations.h"
#include "job/native.h"
#include "mpi/calls.h"
#include "mpi/harness.h"
#include "mpi/ops.h"
#include "mpi/types.h"

static int rank, ranks;

/* -- operations ------------------------------------------------------------ */

/* What calls of a function must get, and whether one got something else. */
static struct {
    int count;
    MPI_Datatype type;
    bool torn;
} want;

static void look(void *in, void *inout, int count, MPI_Datatype type, test_combine *each)
{
    want.torn = want.torn || count != want.count || type != want.type;
    test_apply(in, inout, count, type, each);
}

/* The greater vector, by the first int that differs: commutes. */
static void pick(unsigned *a, unsigned *b, int count)
{
    int i = 0;
    while (i < count && a[i] == b[i])
        i++;
    if (i < count && a[i] > b[i])
        memcpy(b, a, (size_t)count * sizeof *b);
}

/* x -> p x + q modulo 2^32, p in the first half of the vector, q in the second: a, then b. */
static void follow_apart(unsigned *a, unsigned *b, int count)
{
    for (int i = 0, half = count / 2; i < half; i++) {
        unsigned *p = &b[i], *q = &b[half + i];
        *q += *p * a[half + i];
        *p *= a[i];
    }
}

static void user_pick(void *in, void *inout, int *count, MPI_Datatype *type)
{
    look(in, inout, *count, *type, pick);
}

static void user_follow(void *in, void *inout, int *count, MPI_Datatype *type)
{
    look(in, inout, *count, *type, follow_apart);
}

static struct test_user_op ops[2] = {{.each = pick, .commutes = true}, {.each = follow_apart}};

/* -- what was native ------------------------------------------------------- */

static bool natively;

#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    static int native_##name(TOPO_PARAMETERS(count, kinds)) \
    { \
        natively = true; \
        return PMPI_##Name(TOPO_ARGUMENTS(count, kinds)); \
    }
#include "catalog/operations.def"

static const struct topo_native noted = {
#define OPERATION(name, ...) .name = native_##name,
#include "catalog/operations.def"
};

/* Ints of a vector: as many as one rank of a node adds up; as it may add up; more than that. */
enum { SHORT = 602, MEDIUM = 10000, LONG = 50000 };

/* Whether such a call runs ours; -1: as it pleases. */
static int is_ours(const struct topo_algorithm *form, bool commutes, int ints)
{
    switch (form->id) {
    case TOPO_ALGORITHM_allreduce_recursive_doubling: return true;
    case TOPO_ALGORITHM_allreduce_recursive_doubling_renumbered: return commutes && (ranks & (ranks - 1)) == 0;
    case TOPO_ALGORITHM_allreduce_leader:
    case TOPO_ALGORITHM_reduce_leader:
    case TOPO_ALGORITHM_reduce_scatter_leader:
    case TOPO_ALGORITHM_reduce_scatter_block_leader:
        return !commutes || ints == LONG ? false : ints <= SHORT ? true : -1;
    default: return false;
    }
}

/* -- calls ----------------------------------------------------------------- */

static int by_auto(const struct test_call *c, MPI_Comm comm)
{
    switch (c->operation) {
    case TOPO_OPERATION_allreduce:
        return topo_allreduce(NULL, c->send, c->receive, c->count, c->send_type, c->op, comm);
    case TOPO_OPERATION_reduce:
        return topo_reduce(NULL, c->send, c->receive, c->count, c->send_type, c->op, c->root, comm);
    default: return topo_reduce_scatter_block(NULL, c->send, c->receive, c->count, c->send_type, c->op, comm);
    }
}

/* First element of this rank's result, and how many it has. */
static int result_of(const struct test_call *call, MPI_Comm comm, int *count)
{
    int before = 0;
    *count = (int)test_call_receives(call, comm);
    if (call->operation == TOPO_OPERATION_reduce_scatter || call->operation == TOPO_OPERATION_reduce_scatter_block)
        PMPI_Exscan(count, &before, 1, MPI_INT, MPI_SUM, comm);
    return before;
}

/* Whether `count` elements at two places are the same. */
static bool is_equal(const struct test_type *type, const void *a, const void *b, int count)
{
    int bytes = count * type->ints * (int)sizeof(int);
    void *packed[2] = {malloc((size_t)bytes + 1), malloc((size_t)bytes + 1)};
    topo_pack(a, count, type->type, packed[0], bytes, MPI_COMM_SELF);
    topo_pack(b, count, type->type, packed[1], bytes, MPI_COMM_SELF);
    bool equal = !memcmp(packed[0], packed[1], (size_t)bytes);
    free(packed[0]);
    free(packed[1]);
    return equal;
}

/* Makes the call `times` times; form NULL: by auto. False where a function got a part, or the result is wrong, in a
 * call of ours. */
static bool is_whole(const struct topo_algorithm *form, struct test_call call, const struct test_type *type,
                     const struct test_user_op *op, int times, MPI_Comm comm)
{
    void *base[3], *block[3];
    size_t bytes[3];
    int receives, first = result_of(&call, comm, &receives), sends = (int)test_call_sends(&call, comm);
    MPI_Aint lb, extent;
    bool good = true;
    PMPI_Type_get_extent(type->type, &lb, &extent);
    for (int i = 0; i < 3; i++)
        block[i] = test_buffer(type, i < 2 ? sends : receives, 0x5a, &base[i], &bytes[i]);
    test_fill(type, sends, base[0], (unsigned)rank + 1);
    test_reference(type, sends, base[1], op->each, comm);
    call.send = base[0];
    call.receive = base[2];
    call.send_type = type->type;
    call.op = op->op;
    want.count = sends;
    want.type = type->type;
    for (int i = 0; i < times; i++) {
        want.torn = natively = false;
        int code = form ? test_call(&call, form, comm) : by_auto(&call, comm);
        bool right =
            !want.torn && is_equal(type, base[2], topo_data_moved(base[1], (MPI_Aint)first * extent), receives);
        good = good && code == MPI_SUCCESS && (natively || right);
    }
    for (int i = 0; i < 3; i++)
        free(block[i]);
    return good;
}

static struct test_call call_of(enum topo_operation operation, int ints, const struct test_type *type)
{
    struct test_call call = {.operation = operation, .count = ints / type->ints, .root = ints % ranks};
    if (operation == TOPO_OPERATION_reduce_scatter || operation == TOPO_OPERATION_reduce_scatter_block)
        call.count = (call.count + ranks - 1) / ranks;
    return call;
}

static void forms(const struct test_type *type, const struct test_user_op *op, int ints, MPI_Comm comm,
                  const char *machine, const char *node)
{
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *form = topo_algorithm((enum topo_algorithm_id)id);
        /* Without shared memory these call the MPI library's own. */
        bool other = form->operation != TOPO_OPERATION_allreduce && !strcmp(node, "0");
        if (!test_call_reduces(form->operation) || test_call_scans(form->operation) || other)
            continue;
        int ours = is_ours(form, op->commutes, ints);
        if (ours != true && test_fails_natively(topo_algorithm_native(form->operation), type, op->commutes))
            continue;
        bool whole = is_whole(form, call_of(form->operation, ints, type), type, op, 1, comm);
        harness_check(whole, "%s %s on %s, %s shared: %d ints as %s, %s", topo_operation_name(form->operation),
                      form->name, machine, node, ints, type->name, op->commutes ? "commutes" : "does not commute");
        harness_check(ours < 0 || natively == !ours, "%s %s on %s, %s shared: %s by ours, %d ints as %s, %s",
                      topo_operation_name(form->operation), form->name, machine, node, ours ? "" : "not", ints,
                      type->name, op->commutes ? "commutes" : "does not commute");
    }
}

static void autos(const struct test_type *type, const struct test_user_op *op, int ints, MPI_Comm comm,
                  const char *machine)
{
    enum { TIMES = 8 };
    static const enum topo_operation operations[] = {TOPO_OPERATION_allreduce, TOPO_OPERATION_reduce,
                                                     TOPO_OPERATION_reduce_scatter_block};
    for (int i = 0; i < 3; i++)
        harness_check(is_whole(NULL, call_of(operations[i], ints, type), type, op, TIMES, comm),
                      "%s by auto on %s: %d ints as %s, %s", topo_operation_name(operations[i]), machine, ints,
                      type->name, op->commutes ? "commutes" : "does not commute");
}

static void on_machine(const char *machine, const char *node, bool thorough)
{
    const bool processors = thorough && ranks > 8; /* where sums would go between nodes in parts */
    static const int ints[] = {6, SHORT, MEDIUM, LONG};
    struct test_type types[TEST_TYPES];
    MPI_Comm comm;
    harness_option("TOPOMPI_SHARED", node);
    if (!(processors ? harness_use_processors(machine) : harness_use_machine(machine)))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    test_types_make(types);
    for (int i = 0; i < 4; i++)
        for (int t = 0; t < TEST_TYPES; t += thorough ? 1 : 2)
            for (int o = 0; o < 2; o++) {
                if (ints[i] > SHORT && (t > 0 || !thorough))
                    continue;
                forms(&types[t], &ops[o], ints[i], comm, machine, node);
                if (t == 0 && ints[i] < LONG)
                    autos(&types[t], &ops[o], ints[i], comm, machine);
            }
    test_types_free(types);
    MPI_Comm_free(&comm);
}

/* TOPOMPI_USER_OPS=cut: forms that cut run, and an operation that looks at each element is right. */
static void cut(const char *machine)
{
    const struct test_type type = {"int", MPI_INT, 1};
    const struct topo_algorithm *form = topo_algorithm(TOPO_ALGORITHM_allreduce_recursive_halving);
    struct test_user_op each[TEST_USER_OPS];
    int torn = 0;
    harness_option("TOPOMPI_USER_OPS", "cut");
    if (!harness_use_machine(machine))
        return;
    test_user_ops_make(each);
    is_whole(form, call_of(form->operation, SHORT, &type), &type, &ops[0], 1, MPI_COMM_WORLD);
    PMPI_Allreduce(&(int){want.torn}, &torn, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    harness_check(torn && !natively, "TOPOMPI_USER_OPS=cut cuts");
    harness_check(is_whole(form, call_of(form->operation, SHORT, &type), &type, &each[0], 1, MPI_COMM_WORLD) &&
                      !natively,
                  "a sum with TOPOMPI_USER_OPS=cut");
    test_user_ops_free(each);
}

int main(int argc, char **argv)
{
    const char *machine;
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    harness_option("TOPOMPI_USER_OPS", "whole");
    topo_native = noted;
    MPI_Op_create(user_pick, 1, &ops[0].op);
    MPI_Op_create(user_follow, 0, &ops[1].op);
    for (int i = 0; (machine = harness_machine(i)); i++) {
        bool dealt = strstr(machine, "by:node");
        on_machine(machine, "64M", dealt);
        if (dealt)
            on_machine(machine, "0", false);
    }
    if (ranks > 8) {
        char uneven[64];
        snprintf(uneven, sizeof uneven, "synthetic:node:2 core:1,%d by:node", ranks - 1);
        on_machine(uneven, "64M", true);
    }
    cut(harness_machine(0));
    for (int o = 0; o < 2; o++)
        MPI_Op_free(&ops[o].op);
    return harness_finish();
}
