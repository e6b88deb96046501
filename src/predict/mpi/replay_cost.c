#include "predict/mpi/replay_cost.h"

#include <math.h>

#include "base/hash.h"
#include "base/memory.h"
#include "model/cost.h"
#include "schedule/scheduler.h"
#include "select/by_model.h"

/* Longer messages and vectors than any memory holds are nonsense in the trace; sums of these stay exact. */
#define MESSAGE_MOST 0x1p40
#define VECTOR_MOST 0x1p50

/* Everything the model's answer depends on, as far as it is known without looking at every
 * entry of a matrix: a program repeats its calls. */
struct key {
    const struct replay_group *group;
    const char *traced; /* name of the algorithm in the trace */
    unsigned op;
    int root;
    size_t bytes;     /* 0 where the vectors say it */
    uint64_t vectors; /* hash of the members' vectors */
};

struct known {
    struct key key;
    struct replay_seconds seconds;
    bool used;
};

struct replay_costs {
    const struct topo_replay_machine *machine;
    struct known *known;
    size_t places, count;
};

struct replay_costs *replay_costs_new(const struct topo_replay_machine *machine)
{
    struct replay_costs *costs = topo_calloc(1, sizeof *costs);
    if (!costs)
        return NULL;
    costs->machine = machine;
    costs->places = 256;
    costs->known = topo_calloc(costs->places, sizeof *costs->known);
    if (!costs->known) {
        topo_free(costs);
        return NULL;
    }
    return costs;
}

void replay_costs_free(struct replay_costs *costs)
{
    if (!costs)
        return;
    topo_free(costs->known);
    topo_free(costs);
}

static bool same(const struct key *a, const struct key *b)
{
    return a->group == b->group && a->traced == b->traced && a->op == b->op && a->root == b->root &&
           a->bytes == b->bytes && a->vectors == b->vectors;
}

static struct known *place_of(struct known *known, size_t places, const struct key *key)
{
    uint64_t hash = key->group->hash ^ key->vectors;
    const uint64_t parts[] = {(uintptr_t)key->traced, key->op, (uint64_t)key->root, key->bytes};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = topo_hash_add(hash, parts[i]);
    for (size_t at = hash ^ hash >> 32;; at++) {
        struct known *place = &known[at & (places - 1)];
        if (!place->used || same(&place->key, key))
            return place;
    }
}

/* Remembers; without memory for more it is worked out again next time. */
static void remember(struct replay_costs *costs, const struct key *key, struct replay_seconds seconds)
{
    if (2 * (costs->count + 1) > costs->places) {
        struct known *larger = topo_calloc(2 * costs->places, sizeof *larger);
        if (!larger)
            return;
        for (size_t i = 0; i < costs->places; i++)
            if (costs->known[i].used)
                *place_of(larger, 2 * costs->places, &costs->known[i].key) = costs->known[i];
        topo_free(costs->known);
        costs->known = larger;
        costs->places *= 2;
    }
    *place_of(costs->known, costs->places, key) = (struct known){*key, seconds, true};
    costs->count++;
}

static const struct topo_trace_vector *vector_of(const struct replay_call *call, int member)
{
    return topo_trace_vector(call->trace[member], call->event[member]->call.vector);
}

/* The entry of member i's vector that stands for member j. */
static double entry(const struct replay_call *call, int i, int j)
{
    const struct topo_trace_vector *vector = vector_of(call, i);
    int n = call->group->count, at = vector && vector->count != n ? replay_source(j, call->traced_count, n) : j;
    return vector && at < vector->count ? fmin((double)vector->bytes[at] * call->factors.entry, MESSAGE_MOST) : 0;
}

/* Mean of one vector's entries as blocks (gatherv, scatterv, allgatherv). */
static double mean_block(const struct replay_call *call, int member)
{
    const struct topo_trace_vector *vector = vector_of(call, member);
    double sum = 0;
    for (int j = 0; vector && j < vector->count; j++)
        sum += (double)vector->bytes[j];
    return vector && vector->count ? sum / vector->count * call->factors.block : 0;
}

static bool has_matrix(unsigned op)
{
    return op == TOPO_TRACE_OP_ALLTOALLV || op == TOPO_TRACE_OP_ALLTOALLW;
}

/* How long the model's vectors or blocks are; 0 for exchanges. */
static double bytes_of(const struct replay_call *call, int root)
{
    double traced = (double)call->event[0]->call.bytes;
    switch (call->event[0]->call.op) {
    case TOPO_TRACE_OP_GATHER:
    case TOPO_TRACE_OP_SCATTER:
    case TOPO_TRACE_OP_ALLGATHER:
    case TOPO_TRACE_OP_REDUCE_SCATTER_BLOCK: return traced * call->factors.block;
    case TOPO_TRACE_OP_ALLTOALL: return traced * call->factors.entry;
    case TOPO_TRACE_OP_GATHERV:
    case TOPO_TRACE_OP_SCATTERV:
    case TOPO_TRACE_OP_ALLGATHERV: return mean_block(call, root);
    case TOPO_TRACE_OP_REDUCE_SCATTER: return mean_block(call, 0);
    case TOPO_TRACE_OP_ALLTOALLV:
    case TOPO_TRACE_OP_ALLTOALLW: return 0;
    default: return traced;
    }
}

/* The operation that the library takes over, or -1. */
static int row_operation(unsigned op)
{
#define OPERATION(name, Name, NAME, ...) \
    if (op == TOPO_TRACE_OP_##NAME) \
        return TOPO_OPERATION_##name;
#include "catalog/operations.def"
    return -1;
}

/* NULL: no memory. */
static const struct topo_algorithm *algorithm_of(const struct topo_replay_machine *machine,
                                                 enum topo_operation operation, const struct topo_tree *tree,
                                                 const char *traced, size_t bytes)
{
    const struct topo_replay_choice *choice = &machine->choice[operation];
    const struct topo_algorithm *found = NULL;
    struct topo_layout layout;
    switch (choice->how) {
    case TOPO_REPLAY_ALGORITHM: found = topo_algorithm(choice->algorithm); break;
    case TOPO_REPLAY_TRACED: found = traced ? topo_algorithm_find(operation, traced) : NULL; break;
    case TOPO_REPLAY_AUTO:
        if (topo_layout_of(tree, &layout) != TOPO_OK)
            return NULL;
        layout.has_processors = !topo_params_oversubscribed(machine->params, layout.ranks, layout.node_ranks_max);
        if (!(found = topo_select_on(machine->tuning, operation, tree, &layout, bytes)))
            return NULL;
        break;
    default: break;
    }
    /* Where it does not apply the library runs native. */
    return found && found->operation == operation && topo_algorithm_applies(found, tree->ranks, NULL)
               ? found
               : topo_algorithm_native(operation);
}

/* What the model has for the others; of a later version's nothing is known but that ranks meet. */
static enum topo_native_operation native_of(unsigned op)
{
    return op == TOPO_TRACE_OP_ALLTOALLW ? TOPO_NATIVE_ALLTOALLV : TOPO_NATIVE_BARRIER;
}

/* The bytes of an exchange from each member to each; *mean: on average. NULL: out of memory. */
static int64_t *matrix_of(const struct replay_call *call, size_t *mean)
{
    int n = call->group->count;
    int64_t *matrix = topo_alloc((size_t)n * (size_t)n, sizeof *matrix);
    double sum = 0;
    for (int i = 0; matrix && i < n; i++)
        for (int j = 0; j < n; j++) {
            double bytes = entry(call, i, j);
            matrix[(size_t)i * (size_t)n + (size_t)j] = llround(bytes);
            sum += bytes;
        }
    *mean = (size_t)llround(sum / n / n);
    return matrix;
}

/* Works it out. */
static struct replay_seconds ask(const struct replay_costs *costs, const struct key *key,
                                 const struct replay_call *call, const struct topo_tree *tree)
{
    const struct topo_replay_machine *machine = costs->machine;
    struct topo_cost_call asked = {.bytes = key->bytes, .root = key->root};
    TOPO_SCOPED int64_t *matrix = NULL;
    int operation = row_operation(key->op);
    struct replay_seconds seconds = {.all = -1};
    if (has_matrix(key->op)) {
        matrix = matrix_of(call, &asked.bytes);
        if (!matrix)
            return seconds;
        asked.matrix = matrix;
    }
    if (operation < 0) {
        seconds.all = seconds.last = topo_cost_native(native_of(key->op), key->root, tree, machine->params, &asked);
    } else {
        const struct topo_algorithm *algorithm =
            algorithm_of(machine, (enum topo_operation)operation, tree, key->traced, asked.bytes);
        if (!algorithm)
            return seconds;
        asked.han = machine->choice[operation].how == TOPO_REPLAY_HAN;
        enum topo_scheduler scheduler = matrix ? topo_scheduler_of(algorithm->id) : TOPO_SCHEDULERS;
        seconds.all = seconds.last = scheduler < TOPO_SCHEDULERS
                                         ? topo_scheduler_seconds(scheduler, tree, machine->params, matrix)
                                         : topo_cost_of(algorithm, tree, machine->params, &asked);
        double streams = topo_cost_streams(algorithm->id, call->group->count, matrix);
        if (matrix) {
            seconds.last = seconds.all * (1 - streams + streams / call->group->count);
        } else if (streams > 0) {
            asked.bytes = 0;
            seconds.last = fmin(seconds.all, topo_cost_of(algorithm, tree, machine->params, &asked));
        }
    }
    return seconds;
}

struct replay_seconds replay_cost(struct replay_costs *costs, const struct replay_call *call)
{
    const struct topo_trace_collective *first = &call->event[0]->call;
    const struct topo_tree *tree = replay_group_tree(call->group, costs->machine->tree);
    int n = call->group->count,
        root = n == call->traced_count ? (int)first->root : (int)((int64_t)first->root * n / call->traced_count);
    struct key key = {.group = call->group, .traced = call->event[0]->name, .op = first->op, .root = root};
    if (!tree)
        return (struct replay_seconds){.all = -1};
    key.bytes = (size_t)llround(fmin(bytes_of(call, root < n ? root : 0), VECTOR_MOST));
    if (has_matrix(first->op))
        for (int i = 0; i < n; i++)
            key.vectors =
                topo_hash_add(key.vectors, call->event[i]->call.vector ^ (uint64_t)llround(call->factors.entry * 1e9));
    const struct known *known = place_of(costs->known, costs->places, &key);
    if (known->used)
        return known->seconds;
    struct replay_seconds seconds = ask(costs, &key, call, tree);
    if (seconds.all >= 0)
        remember(costs, &key, seconds);
    return seconds;
}
