#include "schedule/schedule.h"

#include "base/memory.h"
#include "schedule/sort.h"

void topo_schedule_free(struct topo_schedule *schedule)
{
    if (!schedule)
        return;
    topo_free_all(schedule->first, schedule->piece, schedule);
}

static int64_t step_of(const void *parts, int64_t p)
{
    return ((const struct topo_part *)parts)[p].step;
}

static int64_t message_of(const void *parts, int64_t p)
{
    return ((const struct topo_part *)parts)[p].message;
}

enum topo_status topo_schedule_new(const struct topo_matrix *matrix, const struct topo_part *parts, int64_t count,
                                   int steps, struct topo_schedule **schedule, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_schedule_end) struct topo_schedule *result = topo_calloc(1, sizeof *result);
    TOPO_SCOPED int64_t *order = topo_alloc((size_t)count, sizeof *order);
    int64_t pieces = 0;
    TOPO_SCOPED int64_t *sent = topo_calloc((size_t)matrix->messages, sizeof *sent);
    *schedule = NULL;
    if (result) {
        result->senders = matrix->senders;
        result->receivers = matrix->receivers;
        result->first = topo_calloc((size_t)steps + 1, sizeof *result->first);
        result->piece = topo_alloc((size_t)count, sizeof *result->piece);
    }
    if (!result || !order || !sent || !result->first || !result->piece ||
        !topo_sort(parts, count, step_of, steps, message_of, matrix->messages, order))
        return topo_fail(error, TOPO_NOMEM, "out of memory for a schedule of %lld parts", (long long)count);
    const struct topo_part *last = NULL;
    for (int64_t p = 0; p < count; p++) {
        const struct topo_part *part = &parts[order[p]];
        if (last && last->step == part->step && last->message == part->message) {
            result->piece[pieces - 1].weight += part->weight;
        } else {
            if (!last || last->step != part->step)
                result->first[result->steps++] = pieces;
            result->piece[pieces++] = (struct topo_piece){
                matrix->sender[part->message], matrix->receiver[part->message], sent[part->message], part->weight};
        }
        sent[part->message] += part->weight;
        last = part;
    }
    result->first[result->steps] = pieces;
    *schedule = TOPO_KEPT(result);
    return TOPO_OK;
}

enum topo_status topo_schedule_whole(const struct topo_matrix *matrix, const int *step_of, int steps,
                                     struct topo_schedule **schedule, struct topo_error *error)
{
    TOPO_SCOPED struct topo_part *parts = topo_alloc((size_t)matrix->messages, sizeof *parts);
    *schedule = NULL;
    if (!parts)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a schedule of %lld messages",
                         (long long)matrix->messages);
    for (int64_t e = 0; e < matrix->messages; e++)
        parts[e] = (struct topo_part){e, matrix->weight[e], step_of[e]};
    return topo_schedule_new(matrix, parts, matrix->messages, steps, schedule, error);
}

enum topo_status topo_schedule_direct(const struct topo_matrix *matrix, struct topo_schedule **schedule,
                                      struct topo_error *error)
{
    TOPO_SCOPED int *step_of = topo_alloc((size_t)matrix->messages, sizeof *step_of);
    *schedule = NULL;
    if (!step_of)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a schedule of %lld messages",
                         (long long)matrix->messages);
    for (int64_t e = 0; e < matrix->messages; e++) {
        int distance = (matrix->receiver[e] - matrix->sender[e] % matrix->receivers) % matrix->receivers;
        step_of[e] = distance < 0 ? distance + matrix->receivers : distance;
    }
    return topo_schedule_whole(matrix, step_of, matrix->receivers, schedule, error);
}
