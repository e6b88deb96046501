/* Is a schedule right, and what does it cost? */
#include <string.h>

#include "base/memory.h"
#include "schedule/schedule.h"

/* Pieces of a vertex in the current step: `step` tells whether `pieces` and `load` are of this one. */
struct vertex {
    int step, pieces;
    int64_t load;
};

static struct vertex *at_step(struct vertex *vertex, int step)
{
    if (vertex->step != step)
        *vertex = (struct vertex){step, 0, 0};
    return vertex;
}

static struct vertex *vertices_new(int count)
{
    struct vertex *vertices = topo_alloc((size_t)count, sizeof *vertices);
    for (int v = 0; vertices && v < count; v++)
        vertices[v] = (struct vertex){-1, 0, 0};
    return vertices;
}

static enum topo_status check_form(const struct topo_schedule *schedule, const struct topo_matrix *matrix,
                                   struct topo_error *error)
{
    if (schedule->senders != matrix->senders || schedule->receivers != matrix->receivers)
        return topo_fail(error, TOPO_INTERNAL, "a schedule of %d x %d for a matrix of %d x %d", schedule->senders,
                         schedule->receivers, matrix->senders, matrix->receivers);
    if (schedule->steps < 0 || schedule->first[0] != 0)
        return topo_fail(error, TOPO_INTERNAL, "%d steps, the first piece is %lld", schedule->steps,
                         (long long)schedule->first[0]);
    for (int t = 0; t < schedule->steps; t++) {
        if (schedule->first[t + 1] <= schedule->first[t])
            return topo_fail(error, TOPO_INTERNAL, "step %d is empty", t);
        for (int64_t p = schedule->first[t] + 1; p < schedule->first[t + 1]; p++) {
            const struct topo_piece *before = &schedule->piece[p - 1], *piece = before + 1;
            if (piece->sender < before->sender ||
                (piece->sender == before->sender && piece->receiver <= before->receiver))
                return topo_fail(error, TOPO_INTERNAL, "step %d is not in the order of the senders", t);
        }
    }
    return TOPO_OK;
}

static enum topo_status check_step(const struct topo_schedule *schedule, const struct topo_matrix *matrix,
                                   enum topo_schedule_rule rule, int step, int64_t *sent, struct vertex *senders,
                                   struct vertex *receivers, struct topo_error *error)
{
    for (int64_t p = schedule->first[step]; p < schedule->first[step + 1]; p++) {
        const struct topo_piece *piece = &schedule->piece[p];
        int i = piece->sender, j = piece->receiver;
        int64_t e = i < 0 || i >= matrix->senders ? -1 : topo_matrix_find(matrix, i, j);
        if (e < 0)
            return topo_fail(error, TOPO_INTERNAL, "step %d: a message from %d to %d that does not exist", step, i, j);
        if (piece->weight <= 0 || piece->offset != sent[e] || piece->weight > matrix->weight[e] - sent[e])
            return topo_fail(error, TOPO_INTERNAL,
                             "step %d: bytes %lld + %lld of the message from %d to %d, %lld of its %lld were sent",
                             step, (long long)piece->offset, (long long)piece->weight, i, j, (long long)sent[e],
                             (long long)matrix->weight[e]);
        sent[e] += piece->weight;
        if (++at_step(&senders[i], step)->pieces > 1 && rule == TOPO_RULE_MATCHING)
            return topo_fail(error, TOPO_INTERNAL, "step %d: %d sends more than one message", step, i);
        if (++at_step(&receivers[j], step)->pieces > 1 && rule != TOPO_RULE_NONE)
            return topo_fail(error, TOPO_INTERNAL, "step %d: %d receives more than one message", step, j);
    }
    return TOPO_OK;
}

enum topo_status topo_schedule_check(const struct topo_schedule *schedule, const struct topo_matrix *matrix,
                                     enum topo_schedule_rule rule, struct topo_error *error)
{
    TOPO_SCOPED struct vertex *senders = NULL, *receivers = NULL;
    TOPO_SCOPED int64_t *sent = NULL;
    enum topo_status status = check_form(schedule, matrix, error);
    if (status != TOPO_OK)
        return status;
    senders = vertices_new(matrix->senders);
    receivers = vertices_new(matrix->receivers);
    sent = topo_calloc((size_t)matrix->messages, sizeof *sent);
    if (!senders || !receivers || !sent)
        return topo_fail(error, TOPO_NOMEM, "out of memory for the check of a schedule");
    for (int t = 0; t < schedule->steps && status == TOPO_OK; t++)
        status = check_step(schedule, matrix, rule, t, sent, senders, receivers, error);
    for (int64_t e = 0; e < matrix->messages && status == TOPO_OK; e++)
        if (sent[e] != matrix->weight[e])
            status = topo_fail(error, TOPO_INTERNAL, "%lld of the %lld bytes from %d to %d are in no step",
                               (long long)(matrix->weight[e] - sent[e]), (long long)matrix->weight[e],
                               matrix->sender[e], matrix->receiver[e]);
    return status;
}

enum topo_status topo_schedule_uneven(const struct topo_schedule *schedule, bool **uneven, struct topo_error *error)
{
    struct vertex *senders = vertices_new(schedule->senders);
    *uneven = topo_calloc((size_t)schedule->steps, sizeof **uneven);
    for (int t = 0; senders && *uneven && t < schedule->steps; t++) {
        const struct topo_piece *first = &schedule->piece[schedule->first[t]];
        const struct topo_piece *end = &schedule->piece[schedule->first[t + 1]];
        for (const struct topo_piece *piece = first; piece < end; piece++)
            at_step(&senders[piece->sender], t)->load += piece->weight;
        for (const struct topo_piece *piece = first; piece < end; piece++)
            (*uneven)[t] |= senders[piece->sender].load != senders[first->sender].load;
    }
    if (senders && *uneven) {
        topo_free(senders);
        return TOPO_OK;
    }
    topo_free(senders);
    topo_free(*uneven);
    *uneven = NULL;
    return topo_fail(error, TOPO_NOMEM, "out of memory for the loads of a schedule");
}

enum topo_status topo_schedule_figures(const struct topo_schedule *schedule, const struct topo_matrix *matrix,
                                       struct topo_schedule_figures *figures, struct topo_error *error)
{
    TOPO_SCOPED struct vertex *senders = vertices_new(schedule->senders);
    TOPO_SCOPED struct vertex *receivers = vertices_new(schedule->receivers);
    struct topo_matrix_facts facts;
    TOPO_SCOPED bool *uneven = NULL;
    enum topo_status status = topo_schedule_uneven(schedule, &uneven, error);
    *figures = (struct topo_schedule_figures){0};
    if (status != TOPO_OK)
        return status;
    if (!senders || !receivers)
        return topo_fail(error, TOPO_NOMEM, "out of memory for the figures of a schedule");
    topo_matrix_facts(matrix, &facts);
    figures->bound = facts.heaviest;
    figures->steps = schedule->steps;
    figures->pieces = schedule->first[schedule->steps];
    for (int t = 0; t < schedule->steps; t++) {
        int64_t largest = 0;
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++) {
            const struct topo_piece *piece = &schedule->piece[p];
            struct vertex *sender = at_step(&senders[piece->sender], t);
            struct vertex *receiver = at_step(&receivers[piece->receiver], t);
            sender->load += piece->weight;
            receiver->load += piece->weight;
            figures->conflicts += receiver->pieces++ > 0;
            if (sender->load > largest)
                largest = sender->load;
            if (receiver->load > largest)
                largest = receiver->load;
        }
        figures->duration += largest;
        figures->uneven += uneven[t];
    }
    return status;
}
