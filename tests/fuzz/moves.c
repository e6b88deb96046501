/* Cases of the operations that move: what each rank has is random bytes, every byte that arrives is known. */
#include <stdio.h>

#include "fuzz/cases.h"

static const int units[] = {1, 1, 2, 3, 4, 6};

/* How many bases an element has, so that elements of every rank fill a block of `unit` of them. */
static int divisor(struct fuzz_random *random, int unit)
{
    int n = fuzz_between(random, 1, unit);
    while (unit % n)
        n--;
    return n;
}

/* Places for blocks of these counts: in a random order and with gaps now and then. Sets the range in use. */
static void place(struct fuzz_random *random, const int *counts, int *places, int n, int *first, int *end)
{
    int order[FUZZ_RANKS_MOST], at = fuzz_chance(random, 15) ? -fuzz_below(random, 20) : 0;
    bool gaps = fuzz_chance(random, 40), mixed = fuzz_chance(random, 40);
    fuzz_random_order(random, order, n);
    *first = at;
    for (int i = 0; i < n; i++) {
        int block = mixed ? order[i] : i;
        places[block] = at;
        at += counts[block] + (gaps ? fuzz_below(random, 4) : 0);
    }
    *end = at;
}

/* Where blocks come from: the same bytes may go to several ranks. */
static void place_sent(struct fuzz_random *random, const int *counts, int *places, int n, int *first, int *end)
{
    if (fuzz_chance(random, 85)) {
        place(random, counts, places, n, first, end);
        return;
    }
    *first = *end = 0;
    for (int i = 0; i < n; i++) {
        places[i] = 0;
        *end = counts[i] > *end ? counts[i] : *end;
    }
}

/* Blocks of a v operation: all alike, random, one alone, few. Equal on all ranks. */
static int blocks_of_pair(struct fuzz_worker *worker, int pattern, int most, int from, int to)
{
    struct fuzz_random random = fuzz_stream(fuzz_job.seed, (uint64_t)worker->id, (uint64_t)worker->step,
                                            1000 + (uint64_t)from * 64 + (uint64_t)to);
    int some = fuzz_between(&random, 0, most);
    switch (pattern) {
    case 0: return most;
    case 1: return some;
    case 2: return (from + to) % 5 == 1 ? most : 0;
    default: return fuzz_chance(&random, 20) ? some : 0;
    }
}

struct layout {
    const struct fuzz_base *base;
    int unit, blocks; /* of `unit` bases, from or to each rank at most */
    int pattern;
    int sent_n, n; /* bases in an element */
    enum fuzz_kind sent_kind, kind;
};

static bool whole(const struct fuzz_base *base)
{
    return base->first_end - base->first + base->second_end - base->second == base->extent;
}

static void choose(struct layout *layout, struct fuzz_case *c, struct fuzz_worker *worker)
{
    struct fuzz_random *plan = &worker->plan, *local = &worker->local;
    enum fuzz_operation operation = c->ours.operation;
    /* Open MPI's Bruck alltoall corrupts the heap with derived types. */
    bool plain = operation == FUZZ_ALLTOALL && !fuzz_job.any_type;
    do
        layout->base = fuzz_base_any(plan);
    while (plain && !whole(layout->base));
    layout->unit = units[fuzz_below(plan, sizeof units / sizeof *units)];
    layout->blocks = fuzz_count_any(plan, (size_t)(layout->base->extent * layout->unit),
                                    operation == FUZZ_BCAST ? 1 : c->comm->size);
    layout->pattern = fuzz_below(plan, 4);
    c->in_place = operation != FUZZ_BCAST && operation != FUZZ_SCATTER && operation != FUZZ_SCATTERV && fuzz_chance(plan, 20);
    /* Open MPI's allgatherv hangs and its bcast is wrong where the types' sizes differ by rank; blocks that are
     * exchanged in place have one signature in both directions, but counts that must be equal too. */
    bool equal = operation == FUZZ_BCAST || operation == FUZZ_ALLGATHERV || c->in_place;
    layout->n = plain ? 1 : divisor(equal ? plan : local, layout->unit);
    layout->sent_n = equal ? layout->n : plain ? 1 : divisor(local, layout->unit);
    bool derived = !plain && fuzz_chance(plan, 60);
    layout->kind = fuzz_kind_any(local, layout->n, false);
    layout->sent_kind = fuzz_kind_any(local, layout->sent_n, false);
    if (!derived) {
        layout->n = layout->sent_n = 1;
        layout->kind = layout->sent_kind = FUZZ_PLAIN;
    }
    c->send_bottom = derived && !c->in_place && operation != FUZZ_BCAST && fuzz_chance(local, 10);
    c->bottom = derived && fuzz_chance(local, 10);
    c->weight = (size_t)(layout->base->extent * layout->unit * layout->blocks) *
                (size_t)(operation == FUZZ_BCAST ? 1 : c->comm->size);
}

/* What a rank sends: numbers of the first two rows, or one count. */
static void set_sent(struct fuzz_case *c, struct fuzz_worker *worker, const struct layout *layout)
{
    int first = 0, end, *counts = c->numbers[0], ranks = c->comm->size, each = layout->unit / layout->sent_n;
    enum fuzz_operation operation = c->ours.operation;
    c->ours.send_count = each * layout->blocks;
    if (operation == FUZZ_ALLGATHERV || operation == FUZZ_GATHERV)
        c->ours.send_count = each * blocks_of_pair(worker, layout->pattern, layout->blocks, c->comm->rank, 0);
    end = c->ours.send_count * (operation == FUZZ_ALLTOALL || operation == FUZZ_SCATTER ? ranks : 1);
    if (operation == FUZZ_ALLTOALLV || operation == FUZZ_SCATTERV) {
        const bool to_all = operation == FUZZ_SCATTERV; /* the same on all ranks */
        for (int i = 0; i < ranks; i++)
            counts[i] = each * blocks_of_pair(worker, layout->pattern, layout->blocks, to_all ? i : c->comm->rank,
                                              to_all ? 0 : i);
        place_sent(&worker->local, counts, c->numbers[1], ranks, &first, &end);
    }
    if (c->in_place && ((operation != FUZZ_GATHER && operation != FUZZ_GATHERV) || c->comm->rank == c->ours.root)) {
        c->ours.send = MPI_IN_PLACE;
        c->ours.send_count = 0;
        c->ours.send_type = MPI_INT;
        return;
    }
    fuzz_type_make(&c->send_type, layout->base, layout->sent_kind, layout->sent_n, end - first + 1);
    fuzz_area_make(&c->send, &c->send_type, first, end, &worker->local);
    c->ours.send = c->send.base;
    c->ours.send_type = c->send_type.type;
}

static void set_received(struct fuzz_case *c, struct fuzz_worker *worker, const struct layout *layout)
{
    int first = 0, end, *counts = c->numbers[2], ranks = c->comm->size, each = layout->unit / layout->n;
    int rank = c->comm->rank;
    enum fuzz_operation operation = c->ours.operation;
    c->ours.receive_count = each * layout->blocks;
    if (operation == FUZZ_SCATTERV)
        c->ours.receive_count = each * blocks_of_pair(worker, layout->pattern, layout->blocks, rank, 0);
    end = c->ours.receive_count * (operation == FUZZ_BCAST || operation == FUZZ_SCATTER || operation == FUZZ_SCATTERV ? 1 : ranks);
    if (operation == FUZZ_ALLGATHERV || operation == FUZZ_ALLTOALLV || operation == FUZZ_GATHERV) {
        bool to_me = operation == FUZZ_ALLTOALLV;
        for (int i = 0; i < ranks; i++) {
            bool swapped = c->in_place && to_me && i > rank; /* what two ranks exchange is equally long */
            counts[i] = each * blocks_of_pair(worker, layout->pattern, layout->blocks, swapped ? rank : i,
                                              swapped ? i
                                              : to_me ? rank
                                                      : 0);
        }
        place(&worker->local, counts, c->numbers[3], ranks, &first, &end);
    }
    fuzz_type_make(&c->type, layout->base, layout->kind, layout->n, end - first + 1);
    fuzz_area_make(&c->got, &c->type, first, end, &worker->local);
    c->ours.receive = c->got.base;
    c->ours.receive_type = c->type.type;
}

void fuzz_case_move(struct fuzz_case *c, struct fuzz_worker *worker)
{
    struct layout layout;
    choose(&layout, c, worker);
    if (c->ours.operation != FUZZ_BCAST)
        set_sent(c, worker, &layout);
    set_received(c, worker, &layout);
    c->clean = layout.base->type == MPI_LONG_DOUBLE; /* Open MPI 5 moves the six bytes without a value now and then */
    snprintf(c->what, sizeof c->what, "%d x %d %s, pattern %d, sent as %s of %d%s, received as %s of %d%s%s",
             layout.blocks, layout.unit, layout.base->name, layout.pattern, fuzz_kind_name(layout.sent_kind),
             layout.sent_n, c->send_bottom ? " at MPI_BOTTOM" : "", fuzz_kind_name(layout.kind), layout.n,
             c->bottom ? " at MPI_BOTTOM" : "", c->in_place ? ", in place" : "");
}
