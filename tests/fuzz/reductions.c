/* Cases of the operations that add up. */
#include <stdio.h>

#include "fuzz/cases.h"

struct sum {
    struct fuzz_reduction reduction;
    const struct fuzz_base *base;
    enum fuzz_kind kind;
    int n;
};

/* Open MPI's all-reduce by an operation that commutes cuts longer vectors, and its reduce-scatter all. */
enum { WHOLE_MOST = 4000 };

static void choose(struct sum *sum, struct fuzz_random *plan, bool scatters)
{
    int flavour = fuzz_below(plan, 100);
    if (flavour < 55) {
        sum->base = fuzz_base_arithmetic(plan);
        sum->reduction = fuzz_reduction_for(plan, sum->base);
        sum->kind = FUZZ_PLAIN;
        sum->n = 1;
        return;
    }
    sum->base = fuzz_base_named("MPI_INT");
    bool commutes = flavour < 80, whole = flavour % 5 < 2 && !fuzz_job.cuts && !(commutes && scatters);
    sum->reduction = whole ? fuzz_reduction_whole(commutes) : fuzz_reduction_user(plan, commutes);
    sum->n = fuzz_between(plan, 1, 3) * (sum->reduction.paired ? 2 : 1);
    /* Open MPI's ring all-reduce corrupts the heap where the first byte is not at the start. */
    sum->kind = fuzz_kind_any(plan, sum->n, !fuzz_job.any_type);
}

/* Counts of the ranks' parts; returns their sum. */
static int parts(struct fuzz_case *c, struct fuzz_random *plan, int most)
{
    int total = 0, pattern = fuzz_below(plan, 3);
    for (int i = 0; i < c->comm->size; i++) {
        int some = fuzz_between(plan, 0, most);
        c->numbers[2][i] = pattern == 0 ? most : pattern == 1 ? some : i % 3 == 1 ? most : 0;
        total += c->numbers[2][i];
    }
    return total;
}

static void set_buffers(struct fuzz_case *c, struct fuzz_worker *worker, const struct sum *sum, int all, int own)
{
    struct fuzz_area *operands = c->in_place ? &c->got : &c->send;
    fuzz_type_make(&c->type, sum->base, sum->kind, sum->n, all + 1);
    fuzz_area_make(&c->got, &c->type, 0, c->in_place ? all : own, &worker->local);
    if (!c->in_place)
        fuzz_area_make(&c->send, &c->type, 0, all, &worker->local);
    if (!sum->reduction.users)
        fuzz_operands(operands, sum->base, sum->reduction.op, &worker->local);
    c->ours.send = c->in_place ? MPI_IN_PLACE : c->send.base;
    c->ours.receive = c->got.base;
    c->ours.receive_type = c->type.type;
    c->ours.op = sum->reduction.op;
}

void fuzz_case_reduce(struct fuzz_case *c, struct fuzz_worker *worker)
{
    struct sum sum;
    struct fuzz_random *plan = &worker->plan;
    enum fuzz_operation operation = c->ours.operation;
    bool scatters = operation == FUZZ_REDUCE_SCATTER || operation == FUZZ_REDUCE_SCATTER_BLOCK;
    int ranks = c->comm->size;
    choose(&sum, plan, scatters);
    int count = fuzz_count_any(plan, (size_t)(sum.base->extent * sum.n), scatters ? ranks : 1);
    if (sum.reduction.whole && operation == FUZZ_ALLREDUCE)
        count %= WHOLE_MOST / (int)(sum.base->extent * sum.n);
    int all = count * (scatters ? ranks : 1), own = count;
    if (operation == FUZZ_REDUCE_SCATTER) {
        all = parts(c, plan, count);
        own = c->numbers[2][c->comm->rank];
    }
    c->adds = true;
    c->clean = true;
    c->ours.receive_count = count;
    c->in_place = fuzz_chance(plan, 25);
    /* The root alone may be in place; elsewhere nothing is received. */
    if (operation == FUZZ_REDUCE && c->comm->rank != c->ours.root)
        c->in_place = false;
    /* Open MPI works in the operands behind the result. */
    c->part = scatters && c->in_place;
    c->own = own;
    set_buffers(c, worker, &sum, all, own);
    /* On all ranks alike: the standard wants one type in a reduction. */
    bool derived = sum.kind != FUZZ_PLAIN && fuzz_job.any_type && !fuzz_without("bottom");
    int absolute = fuzz_below(plan, 100);
    c->send_bottom = derived && !c->in_place && absolute < 15;
    /* Open MPI's MPI_Reduce takes MPI_BOTTOM for no receive buffer at all, and its MPI_Reduce_scatter in place, which
     * reduces by it, gives a rank's own operand for the sum. */
    bool takes_bottom = operation != FUZZ_REDUCE && !(operation == FUZZ_REDUCE_SCATTER && c->in_place);
    c->bottom = derived && takes_bottom && absolute >= 15 && absolute < 30;
    c->weight = (size_t)all * (size_t)(sum.base->extent * sum.n);
    snprintf(c->what, sizeof c->what, "%s of %d (own part %d) %s as %s of %d%s%s%s", sum.reduction.name, count, own,
             sum.base->name, fuzz_kind_name(sum.kind), sum.n, c->send_bottom ? ", sent from MPI_BOTTOM" : "",
             c->bottom ? ", received at MPI_BOTTOM" : "", c->in_place ? ", in place" : "");
}
