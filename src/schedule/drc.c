/* sDRC and DRC (docs/REFERENCES.md, Schedule 2 and 3). As published they walk the
 * list of messages once per step, O(N |E|); first fit gives the same steps from
 * one walk (order.h). */
#include "schedule/schedule.h"

#include "base/memory.h"
#include "schedule/order.h"

enum topo_status topo_schedule_sdrc(const struct topo_matrix *matrix, struct topo_schedule **schedule,
                                    struct topo_error *error)
{
    struct topo_ends ends = topo_ends_of(matrix);
    TOPO_SCOPED int64_t *order = topo_alloc((size_t)matrix->messages, sizeof *order);
    TOPO_SCOPED int *step_of = topo_alloc((size_t)matrix->messages, sizeof *step_of);
    int steps;
    enum topo_status status;
    *schedule = NULL;
    if (order && step_of && topo_order_by_weight(matrix, order) && topo_first_fit(&ends, order, step_of, &steps))
        status = topo_schedule_whole(matrix, step_of, steps, schedule, error);
    else
        status = topo_fail(error, TOPO_NOMEM, "out of memory for the schedule of %lld messages",
                           (long long)matrix->messages);
    return status;
}

/* Messages incident to one vertex: the third highest step decides when two are left. */
struct top {
    int step[3]; /* descending; -1 = none */
    int64_t left[2];
    int lefts;
};

static void note(struct top *top, int step)
{
    for (int k = 0; k < 3; k++)
        if (step > top->step[k]) {
            int lower = top->step[k];
            top->step[k] = step;
            step = lower;
        }
}

/* Steps after which no vertex has more than two messages left. */
static int reduced_after(const struct topo_matrix *matrix, const int *step_of, struct top *top)
{
    int vertices = matrix->senders + matrix->receivers, reduced = 0;
    for (int v = 0; v < vertices; v++)
        top[v] = (struct top){{-1, -1, -1}, {-1, -1}, 0};
    for (int64_t e = 0; e < matrix->messages; e++) {
        note(&top[matrix->sender[e]], step_of[e]);
        note(&top[matrix->senders + matrix->receiver[e]], step_of[e]);
    }
    for (int v = 0; v < vertices; v++)
        if (top[v].step[2] >= reduced)
            reduced = top[v].step[2] + 1;
    return reduced;
}

/* The other message left at a vertex, or -1. */
static int64_t other(const struct top *vertex, int64_t e)
{
    return vertex->lefts < 2 ? -1 : vertex->left[0] == e ? vertex->left[1] : vertex->left[0];
}

/* Colours the path that leaves message e, of step `step`, through its sender or its receiver. */
static void colour_path(const struct topo_matrix *matrix, const struct top *top, int64_t e, bool at_sender, int reduced,
                        int *step_of, bool *coloured)
{
    int step = step_of[e];
    for (;;) {
        int vertex = at_sender ? matrix->sender[e] : matrix->senders + matrix->receiver[e];
        e = other(&top[vertex], e);
        if (e < 0 || coloured[e])
            return;
        step = step == reduced ? reduced + 1 : reduced;
        step_of[e] = step;
        coloured[e] = true;
        at_sender = !at_sender;
    }
}

enum topo_status topo_schedule_drc(const struct topo_matrix *matrix, struct topo_schedule **schedule,
                                   struct topo_error *error)
{
    int vertices = matrix->senders + matrix->receivers, steps, reduced;
    struct topo_ends ends = topo_ends_of(matrix);
    TOPO_SCOPED int64_t *order = topo_alloc((size_t)matrix->messages, sizeof *order);
    TOPO_SCOPED int *step_of = topo_alloc((size_t)matrix->messages, sizeof *step_of);
    TOPO_SCOPED bool *coloured = topo_calloc((size_t)matrix->messages, sizeof *coloured);
    TOPO_SCOPED struct top *top = topo_alloc((size_t)vertices, sizeof *top);
    *schedule = NULL;
    if (!order || !step_of || !coloured || !top || !topo_order_by_weight(matrix, order) ||
        !topo_first_fit(&ends, order, step_of, &steps))
        return topo_fail(error, TOPO_NOMEM, "out of memory for the schedule of %lld messages",
                         (long long)matrix->messages);
    reduced = reduced_after(matrix, step_of, top);
    for (int64_t e = 0; e < matrix->messages; e++) {
        if (step_of[e] < reduced)
            continue;
        struct top *sender = &top[matrix->sender[e]], *receiver = &top[matrix->senders + matrix->receiver[e]];
        sender->left[sender->lefts++] = e;
        receiver->left[receiver->lefts++] = e;
    }
    /* A component is a path or an even cycle; from its heaviest message both ways. */
    for (int64_t k = 0; k < matrix->messages; k++) {
        int64_t e = order[k];
        if (step_of[e] < reduced || coloured[e])
            continue;
        step_of[e] = reduced;
        coloured[e] = true;
        colour_path(matrix, top, e, true, reduced, step_of, coloured);
        colour_path(matrix, top, e, false, reduced, step_of, coloured);
    }
    return topo_schedule_whole(matrix, step_of, reduced + 2, schedule, error);
}
