#include "predict/mpi/trace_matrix.h"

#include <stdlib.h>

#include "base/memory.h"

/* Longer ones are nonsense in the trace. */
static const uint64_t bytes_most = (uint64_t)1 << 50;

/* Of one rank: bytes between it and each; by group, those between it and each other member, and along the chain. */
struct sums {
    uint64_t *with;         /* [ranks] */
    uint64_t *each, *chain; /* [groups] */
};

struct messages {
    struct topo_message *list;
    size_t count;
};

static void add(uint64_t *sum, uint64_t bytes)
{
    *sum = bytes < bytes_most - *sum ? *sum + bytes : bytes_most;
}

static bool add_message(struct messages *messages, int from, int to, uint64_t bytes)
{
    if (bytes == 0)
        return true;
    if (!topo_grow(&messages->list, messages->count, sizeof *messages->list))
        return false;
    messages->list[messages->count++] = (struct topo_message){from, to, (int64_t)bytes};
    return true;
}

static uint64_t sum_of(const struct topo_trace_vector *vector)
{
    uint64_t sum = 0;
    for (int i = 0; vector && i < vector->count; i++)
        add(&sum, vector->bytes[i]);
    return sum;
}

static void add_collective(const struct topo_trace_rank *rank, const struct topo_trace_collective *call,
                           const struct sums *sums)
{
    const struct topo_trace_group *group = topo_trace_group(rank, call->group);
    const struct topo_trace_vector *vector = topo_trace_vector(rank, call->vector);
    if (!group)
        return;
    uint64_t *each = &sums->each[call->group - 1], *chain = &sums->chain[call->group - 1];
    const bool some = group->count < rank->job.ranks, first = some && group->own == 0,
               root = some && (unsigned)group->own == call->root;
    const uint64_t blocks =
        first && call->bytes < bytes_most / (uint64_t)group->count ? call->bytes * (uint64_t)group->count : bytes_most;
    switch (call->op) {
    case TOPO_TRACE_OP_ALLTOALLV:
    case TOPO_TRACE_OP_ALLTOALLW:
    case TOPO_TRACE_OP_GATHERV: /* the root has it */
    case TOPO_TRACE_OP_SCATTERV:
        for (int i = 0; vector && i < vector->count && i < group->count; i++)
            add(&sums->with[group->world[i]], vector->bytes[i]);
        break;
    case TOPO_TRACE_OP_ALLTOALL: add(each, some ? call->bytes : 0); break;
    case TOPO_TRACE_OP_GATHER:
    case TOPO_TRACE_OP_SCATTER: add(each, root ? call->bytes : 0); break;
    case TOPO_TRACE_OP_ALLGATHER:
    case TOPO_TRACE_OP_REDUCE_SCATTER_BLOCK: add(chain, first ? blocks : 0); break;
    case TOPO_TRACE_OP_ALLGATHERV:
    case TOPO_TRACE_OP_REDUCE_SCATTER: add(chain, first ? sum_of(vector) : 0); break;
    case TOPO_TRACE_OP_ALLREDUCE: add(chain, first ? call->bytes : 0); /* there, and back */ /* fallthrough */
    case TOPO_TRACE_OP_BCAST:
    case TOPO_TRACE_OP_REDUCE:
    case TOPO_TRACE_OP_SCAN:
    case TOPO_TRACE_OP_EXSCAN: add(chain, first ? call->bytes : 0); break;
    default: break;
    }
}

static void add_traffic(const struct topo_trace_traffic *traffic, const struct sums *sums, double *seconds)
{
    for (int i = 0; i < traffic->count; i++)
        add(&sums->with[traffic->peers[i].rank], traffic->peers[i].bytes);
    *seconds += 1e-9 * (double)traffic->nanoseconds;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The members as they lie in the tree, each with the next. order[], place[]: the ranks by their places, and back. */
static bool add_chain(struct messages *messages, const struct topo_trace_group *group, const int *order,
                      const int *place, uint64_t bytes)
{
    TOPO_SCOPED int *places = bytes ? topo_alloc((size_t)group->count, sizeof *places) : NULL;
    if (!places)
        return bytes == 0;
    for (int i = 0; i < group->count; i++)
        places[i] = place[group->world[i]];
    qsort(places, (size_t)group->count, sizeof *places, ascending);
    for (int i = 1; i < group->count; i++)
        if (!add_message(messages, order[places[i - 1]], order[places[i]], bytes))
            return false;
    return true;
}

/* Everything of one rank; false: out of memory. */
static bool add_rank(const struct topo_trace_run *run, int r, const int *order, struct topo_trace_matrix *found,
                     struct messages *messages)
{
    const struct topo_trace_rank *rank = &run->rank[r];
    const size_t groups = (size_t)rank->group_count;
    TOPO_SCOPED uint64_t *all = topo_calloc((size_t)run->ranks + 2 * groups, sizeof *all);
    const struct sums sums = {all, all ? all + run->ranks : NULL, all ? all + run->ranks + groups : NULL};
    double seconds = 1e-9 * (double)rank->tail.wall, sending = 0;
    bool added = all != NULL;
    for (size_t i = 0; added && i < rank->count; i++) {
        const struct topo_trace_event *event = &rank->events[i];
        seconds += 1e-9 * (double)event->call.gap.wall;
        add_traffic(&event->traffic, &sums, &sending);
        if (event->kind == TOPO_TRACE_EVENT_COLLECTIVE) {
            add_collective(rank, &event->call, &sums);
            seconds += 1e-9 * (double)event->call.nanoseconds;
        }
    }
    if (added)
        add_traffic(&rank->tail_traffic, &sums, &sending);
    for (size_t g = 0; added && g < groups; g++) {
        const struct topo_trace_group *group = &rank->groups[g];
        for (int i = 0; i < group->count; i++)
            add(&sums.with[group->world[i]], sums.each[g]);
        added = add_chain(messages, group, order, order + run->ranks, sums.chain[g]);
    }
    for (int to = 0; added && to < run->ranks; to++)
        added = add_message(messages, r, to, sums.with[to]);
    seconds += sending;
    found->run = seconds > found->run ? seconds : found->run;
    found->messages += sending / run->ranks;
    return added;
}

enum topo_status topo_trace_matrix(const struct topo_trace_run *run, const struct topo_tree *tree,
                                   struct topo_trace_matrix *found, struct topo_error *error)
{
    struct messages messages = {0};
    TOPO_SCOPED int *order = topo_alloc(2 * (size_t)run->ranks, sizeof *order);
    bool added = order != NULL;
    *found = (struct topo_trace_matrix){.matrix = NULL};
    if (order)
        topo_tree_order(tree, order);
    for (int place = 0; order && place < run->ranks; place++)
        order[run->ranks + order[place]] = place;
    for (int r = 0; added && r < run->ranks; r++)
        added = add_rank(run, r, order, found, &messages);
    const enum topo_status status =
        added ? topo_matrix_new(run->ranks, run->ranks, messages.list, (int64_t)messages.count, &found->matrix, error)
              : topo_fail(error, TOPO_NOMEM, "out of memory for the bytes of %d ranks", run->ranks);
    topo_free(messages.list);
    return status;
}
