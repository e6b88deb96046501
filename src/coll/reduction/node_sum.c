/* Operands are added in tree order inside a node, and where that has several groups of ranks (patterns/node_groups.h)
 * group by group, then their sums; who exchanges says in which order those of nodes are. Where one rank would add up
 * all of a short vector, the last rank of each group to arrive adds up its group: the groups do so side by side, and
 * the one rank reads one operand of each.
 *
 * A stripe is added up in the place of the operands of the node's first rank, or, where several ranks of a node have a
 * processor each, in memory of the rank that drives it, which leaves its own operands where the application has them:
 * then neither those nor the sums of other nodes go through the memory that the node shares, and nor does the total
 * where no other rank of the node gets it.
 *
 * Few bytes lie beside the flags that tell of them: operands, as long as all of the node's fit there, and the sum. */
#include "coll/reduction/node_sum.h"

#include <string.h>

#include "node/shm_buffer.h"
#include "coll/base/scratch.h"
#include "base/align.h"
#include "base/copy.h"
#include "job/job.h"
#include "patterns/limits.h"

enum {
    EVERYBODY_MOST = 2048 /* bytes: so short that in a single node each rank that gets the sum adds up for itself */
};

/* One call on this rank. */
struct topo_node_sum_run {
    const struct topo_vector *vector;
    struct topo_comm *comm;
    const struct topo_node_exchange *exchange;
    struct topo_shm_buffer buffer;
    bool apart, alone; /* as in struct topo_result_range */
    size_t at, count;  /* elements of the vector that this rank gets, into its result */
    size_t longest;    /* elements of the longest segment of the call */
    size_t slot;       /* bytes of the buffer for each rank's operands */
    bool by_groups; /* the last rank of each group leaves the group's sum in the place of its first rank's operands */
    struct topo_bench bench;
    int stripes;
    char *own_sum; /* where this rank adds up its stripe; NULL: in the buffer, where its operands are, too */
};

/* First element of stripe s. */
static size_t stripe_at(const struct topo_node_sum_run *run, int s)
{
    return run->vector->count * (size_t)s / (size_t)run->stripes;
}

/* Element `at` of a local rank's operands. */
static char *operand(const struct topo_node_sum_run *run, int local, size_t at)
{
    return topo_stored_at(run->vector, run->buffer.base + (size_t)local * run->slot, at);
}

/* The same where this rank adds up: its own may have stayed where they were. */
static const char *added(const struct topo_node_sum_run *run, int local, size_t at)
{
    return run->own_sum && local == run->buffer.node->local ? topo_vector_own(run->vector, at)
                                                            : operand(run, local, at);
}

/* Begins a sum in `sum` with what is in `first`. */
static int begin_sum(const struct topo_node_sum_run *run, const char *first, char *sum, size_t count,
                     struct topo_pass *pass)
{
    int code = MPI_SUCCESS;
    if (first != sum && !run->bench.combine) {
        code = topo_vector_copy(run->vector, first, sum, count);
        first = sum;
    }
    *pass = topo_pass_begin(&run->bench, run->vector, first, sum, count);
    return code;
}

/* Adds up the operands of a group in the place of those of its first rank. */
static int add_group(const struct topo_node_sum_run *run, int group, size_t at, size_t count)
{
    int local = run->buffer.node->group_start[group], end = run->buffer.node->group_start[group + 1];
    struct topo_pass pass;
    int code = begin_sum(run, added(run, local, at), operand(run, local, at), count, &pass);
    while (++local < end && code == MPI_SUCCESS)
        code = topo_pass_add(&pass, added(run, local, at));
    return code == MPI_SUCCESS ? topo_pass_end(&pass) : code;
}

/* The node's sum is that of so many parts: its groups, where it has several, else its ranks. */
static int parts_of(const struct topo_node *node)
{
    return node->group.groups > 1 ? node->group.groups : node->ranks;
}

/* Each group is added up, unless that was done before. Only this rank may look at these elements of the node's operands
 * then. */
static int make_parts(const struct topo_node_sum_run *run, size_t at, size_t count)
{
    int groups = run->buffer.node->group.groups, code = MPI_SUCCESS;
    for (int group = 0; groups > 1 && group < groups && !run->by_groups && code == MPI_SUCCESS; group++)
        code = add_group(run, group, at, count);
    return code;
}

/* Where a part is, `first` being that of rank 0 on a node that is one group. */
static const char *part(const struct topo_node_sum_run *run, int number, const char *first, size_t at)
{
    const struct topo_node *node = run->buffer.node;
    if (node->group.groups > 1)
        return operand(run, node->group_start[number], at);
    return number == 0 ? first : added(run, number, at);
}

/* Adds up the node's operands into `sum`, where those of rank 0 are in `first`. */
static int add_node(const struct topo_node_sum_run *run, const char *first, char *sum, size_t at, size_t count)
{
    struct topo_pass pass;
    int code = make_parts(run, at, count);
    if (code == MPI_SUCCESS)
        code = begin_sum(run, part(run, 0, first, at), sum, count, &pass);
    for (int number = 1; number < parts_of(run->buffer.node) && code == MPI_SUCCESS; number++)
        code = topo_pass_add(&pass, part(run, number, first, at));
    return code == MPI_SUCCESS ? topo_pass_end(&pass) : code;
}

int topo_node_stripe_add(const struct topo_node_stripe *stripe, size_t at, size_t count)
{
    const struct topo_node_sum_run *run = stripe->run;
    char *sum = topo_stored_at(run->vector, stripe->sum, at);
    return add_node(run, run->own_sum ? added(run, 0, stripe->at + at) : sum, sum, stripe->at + at, count);
}

/* Whether this rank drives a stripe, the one of its own number. */
static bool drives(const struct topo_node_sum_run *run)
{
    return run->buffer.node->local < run->stripes;
}

/* Bytes of the sum that go beside the flag which tells of it; 0: it is looked for where it was made. */
static size_t beside_done(const struct topo_node_sum_run *run)
{
    size_t bytes = run->vector->count * run->vector->stored.bytes;
    return run->stripes == 1 && bytes <= TOPO_FLAG_BESIDE ? bytes : 0;
}

/* Where this rank finds the sum: beside the flag, or its own, when there is but one. */
static char *total(const struct topo_node_sum_run *run, size_t at)
{
    if (beside_done(run))
        return topo_stored_at(run->vector, topo_shm_buffer_beside_done(&run->buffer), at);
    return run->own_sum && run->stripes == 1 ? topo_stored_at(run->vector, run->own_sum, at) : operand(run, 0, at);
}

/* Puts this rank's operands into the buffer, but for those that stay where they are. */
static int put_operands(const struct topo_node_sum_run *run)
{
    const struct topo_vector *vector = run->vector;
    int local = run->buffer.node->local, code = MPI_SUCCESS;
    size_t end = run->own_sum ? stripe_at(run, local) : vector->count,
           next = run->own_sum ? stripe_at(run, local + 1) : vector->count;
    if (end > 0)
        code = topo_vector_store(vector, topo_vector_own(vector, 0), operand(run, local, 0), end);
    if (next < vector->count && code == MPI_SUCCESS)
        code =
            topo_vector_store(vector, topo_vector_own(vector, next), operand(run, local, next), vector->count - next);
    return code;
}

/* Stripe s on the rank that drives it: its sum is left in the place of rank 0's operands, where any other rank looks
 * for it. */
static int move_stripe(const struct topo_node_sum_run *run, int s)
{
    size_t at = stripe_at(run, s);
    const struct topo_node_stripe stripe = {.run = run,
                                            .comm = run->comm,
                                            .vector = run->vector,
                                            .bench = &run->bench,
                                            .at = at,
                                            .count = stripe_at(run, s + 1) - at,
                                            .stripes = run->stripes,
                                            .sum = run->own_sum ? run->own_sum : operand(run, 0, at)};
    int code = topo_node_exchange_run(run->exchange, &stripe);
    if (run->own_sum && (!run->alone || (run->count > 0 && run->stripes > 1)))
        topo_copy(operand(run, 0, at), run->own_sum, stripe.count * run->vector->stored.bytes, false);
    return code;
}

/* On a single node: each rank adds up for itself, which saves a hand-over. */
static int add_up_alone(const struct topo_node_sum_run *run)
{
    const struct topo_vector *vector = run->vector;
    char *operands = operand(run, 0, run->at);
    if (run->bench.combine)
        return add_node(run, operands, vector->result, run->at, run->count);
    int code = make_parts(run, run->at, run->count);
    if (code == MPI_SUCCESS)
        code = topo_vector_fetch(vector, operands, vector->result, run->count);
    for (int number = 1; number < parts_of(run->buffer.node) && code == MPI_SUCCESS; number++) {
        const char *next = part(run, number, operands, run->at);
        char *landed = run->bench.elements[0];
        if (vector->stored.packed && (code = topo_vector_fetch(vector, next, landed, run->count)) == MPI_SUCCESS)
            next = landed;
        if (code == MPI_SUCCESS)
            code = PMPI_Reduce_local(next, vector->result, (int)run->count, vector->type, vector->op);
    }
    return code;
}

static int with_buffer(struct topo_node_sum_run *run, bool alone)
{
    const struct topo_vector *vector = run->vector;
    int ran = MPI_SUCCESS, code = put_operands(run);
    if (topo_shm_buffer_arrive_own(&run->buffer)) {
        if (run->by_groups && code == MPI_SUCCESS)
            code = add_group(run, run->buffer.node->group.mine, 0, vector->count);
        topo_shm_buffer_arrive_all(&run->buffer);
    }
    if (!alone && drives(run)) {
        topo_shm_buffer_wait_arrived(&run->buffer);
        ran = move_stripe(run, run->buffer.node->local);
        run->buffer.beside = beside_done(run);
        memcpy(topo_shm_buffer_beside_done(&run->buffer), operand(run, 0, 0), run->buffer.beside);
        /* Whatever went wrong here, the others must get on. */
        topo_shm_buffer_add(&run->buffer, 1);
    }
    if (run->count == 0) {
        topo_shm_buffer_leave(&run->buffer);
        return code != MPI_SUCCESS ? code : ran;
    }
    topo_shm_buffer_close(&run->buffer);
    int copied = alone ? add_up_alone(run) : topo_vector_fetch(vector, total(run, run->at), vector->result, run->count);
    return code != MPI_SUCCESS ? code : ran != MPI_SUCCESS ? ran : copied;
}

/* Where every node has one rank nothing is handed over: the sum is made in the result, or, where that is not for all of
 * it or has gaps, in memory of its own. */
static int with_result(struct topo_node_sum_run *run)
{
    const struct topo_vector *vector = run->vector;
    bool lands = vector->plain && run->count == vector->count;
    char *own = lands ? NULL : topo_scratch_take(vector->count * vector->stored.bytes + 1);
    char *sum = lands ? vector->result : own;
    const char *input = topo_vector_own(vector, 0);
    if (!sum)
        return MPI_ERR_NO_MEM;
    const struct topo_node_stripe stripe = {.run = run,
                                            .comm = run->comm,
                                            .vector = vector,
                                            .bench = &run->bench,
                                            .count = vector->count,
                                            .stripes = 1,
                                            .sum = sum};
    int code = input == sum ? MPI_SUCCESS : topo_vector_store(vector, input, sum, vector->count);
    if (code == MPI_SUCCESS)
        code = topo_node_exchange_run(run->exchange, &stripe);
    if (code == MPI_SUCCESS && !lands && run->count > 0)
        code = topo_vector_fetch(vector, topo_stored_at(vector, sum, run->at), vector->result, run->count);
    topo_scratch_give(own);
    return code;
}

/* Where the operands lie: beside the flag that counts them, if all of this node fit there, else on lines of their own.
 * Elements of more than 8 bytes may want to be aligned to more. */
static void place_operands(struct topo_node_sum_run *run)
{
    size_t bytes = run->vector->count * run->vector->stored.bytes, each = topo_align(bytes, sizeof(double));
    char *beside = topo_shm_buffer_beside_arrived(&run->buffer);
    if (beside && run->vector->stored.bytes <= sizeof(double) &&
        each * (size_t)run->buffer.node->ranks <= TOPO_FLAG_BESIDE) {
        run->buffer.base = beside;
        run->slot = each;
    }
}

/* The sum of a vector that is short enough for one buffer. *there is set to false, on all
 * ranks alike and with nothing done, when there is no shared memory. */
static int run_segment(struct topo_node_sum_run *run, struct topo_comm *comm, bool *there)
{
    const struct topo_layout *layout = &comm->layout;
    size_t bytes = run->vector->count * run->vector->size;
    int code = MPI_ERR_NO_MEM;
    bool alone = layout->nodes == 1 && (run->apart ? !run->vector->whole : bytes <= EVERYBODY_MOST);
    run->stripes = topo_node_steps_ranges(bytes, layout->nodes, layout->node_ranks_min);
    run->by_groups = comm->node->group.groups > 1 && (alone ? bytes <= EVERYBODY_MOST : run->stripes == 1);
    run->slot = topo_align(run->vector->count * run->vector->stored.bytes, TOPO_CACHE_LINE);
    size_t longest = stripe_at(run, 1) + 1;
    if (!topo_bench_open(&run->bench, run->vector, alone ? run->vector->count : longest))
        return code;
    if (!alone && comm->node->local < run->stripes) {
        /* Packed operands lie nowhere but in the buffer. */
        bool own = topo_sum_is_own(bytes, layout->nodes, layout->node_ranks_max, topo_job.oversubscribed) &&
                   !run->vector->stored.packed && !run->by_groups;
        run->own_sum = own ? topo_scratch_take(longest * run->vector->stored.bytes) : NULL;
        if (own && !run->own_sum)
            goto out;
    }
    if (layout->node_ranks_max == 1 && !alone) {
        run->buffer.node = comm->node;
        code = with_result(run);
        goto out;
    }
    *there = topo_shm_buffer_open(&run->buffer, comm->node,
                                  (size_t)layout->node_ranks_max *
                                      topo_align(run->longest * run->vector->stored.bytes, TOPO_CACHE_LINE),
                                  alone ? 0 : run->stripes);
    if (*there)
        place_operands(run);
    code = *there ? with_buffer(run, alone) : MPI_SUCCESS;
out:
    topo_scratch_give(run->own_sum);
    run->own_sum = NULL;
    topo_bench_close(&run->bench);
    return code;
}

int topo_node_sum(struct topo_comm *comm, const struct topo_vector *whole, const struct topo_node_exchange *exchange,
                  const struct topo_result_range *range, bool *there)
{
    struct topo_node_sum_run run = {.comm = comm, .exchange = exchange, .apart = range->apart, .alone = range->alone};
    *there = true;
    if (!topo_comm_node(comm))
        return MPI_ERR_NO_MEM;
    const size_t most = topo_node_exchange_segment(exchange, comm->layout.node_ranks_max);
    size_t segment = whole->size && most / whole->size > 1 ? most / whole->size : 1;
    int code = MPI_SUCCESS;
    run.longest = whole->count < segment ? whole->count : segment;
    for (size_t at = 0; at < whole->count && *there && code == MPI_SUCCESS; at += segment) {
        struct topo_vector part = *whole;
        part.count = whole->count - at < segment ? whole->count - at : segment;
        size_t from = at > range->first ? at : range->first, end = at + part.count;
        end = end < range->end ? end : range->end;
        run.at = from - at;
        run.count = end > from ? end - from : 0;
        part.input = topo_vector_own(whole, at);
        if (run.count > 0)
            part.result = topo_vector_at(whole, whole->result, from - range->first);
        run.vector = &part;
        code = run_segment(&run, comm, there);
    }
    return code; /* not *there in the first segment, if at all, as all ask for the same buffer */
}
