#include "coll/alltoallv/step_table_make.h"

#include <limits.h>

#include "base/memory.h"
#include "job/job.h"
#include "schedule/balance.h"
#include "schedule/css.h"
#include "schedule/ggp.h"
#include "schedule/schedule.h"

/* Up to here the search for heavy matchings costs less than the parts it saves (check_ggp prints times). */
enum { HEAVY_MAX = 128 };

/* No part costs more to start than to carry over the link of a node. */
static enum topo_status ggp(const struct topo_matrix *matrix, struct topo_schedule **schedule)
{
    const struct topo_link *link = &topo_job.tuning.params.link[TOPO_LEVEL_NODE];
    double unit = link->beta > 0 ? link->alpha / link->beta : 1;
    struct topo_ggp request = {.k = matrix->senders, .unit = 1, .heavy = matrix->senders <= HEAVY_MAX};
    if (unit > 1 && unit < INT_MAX)
        request.unit = (int64_t)unit;
    return topo_schedule_ggp(matrix, &request, schedule, NULL, NULL);
}

static enum topo_status make(const struct topo_matrix *matrix, const struct topo_tree *tree,
                             enum topo_scheduler scheduler, struct topo_schedule **schedule)
{
    switch (scheduler) {
    case TOPO_SCHEDULER_drc: return topo_schedule_drc(matrix, schedule, NULL);
    case TOPO_SCHEDULER_sdrc: return topo_schedule_sdrc(matrix, schedule, NULL);
    case TOPO_SCHEDULER_ggp: return ggp(matrix, schedule);
    case TOPO_SCHEDULER_css: return topo_schedule_css(matrix, NULL, schedule, NULL, NULL);
    default: return topo_schedule_balanced(matrix, tree, schedule, NULL);
    }
}

/* Appends one side of a segment to the rank's list. */
static void add(struct topo_step_tables *parts, int64_t *filled, const struct topo_matrix *matrix, int step,
                const struct topo_piece *segment, bool send)
{
    int rank = send ? segment->sender : segment->receiver;
    parts->task[filled[rank]++] =
        (struct topo_step_task){.step = step,
                                .send = send,
                                .peer = send ? segment->receiver : segment->sender,
                                .offset = segment->offset,
                                .bytes = segment->weight,
                                .whole = topo_matrix_at(matrix, segment->sender, segment->receiver)};
}

bool topo_step_tables_make(const struct topo_matrix *matrix, const struct topo_tree *tree,
                           enum topo_scheduler scheduler, struct topo_step_tables *parts)
{
    enum { FIELDS = sizeof(struct topo_step_task) / sizeof(int64_t) };
    struct topo_schedule *schedule = NULL;
    int64_t *filled = NULL, start = 0, segments;
    bool done = false;
    *parts = (struct topo_step_tables){0};
    if (make(matrix, tree, scheduler, &schedule) != TOPO_OK)
        return false;
    segments = schedule->first[schedule->steps];
    parts->counts = topo_calloc((size_t)matrix->senders, sizeof *parts->counts);
    parts->places = topo_calloc((size_t)matrix->senders, sizeof *parts->places);
    parts->task = topo_alloc(2 * (size_t)segments, sizeof *parts->task);
    filled = topo_calloc((size_t)matrix->senders, sizeof *filled);
    if (!parts->counts || !parts->places || !parts->task || !filled || segments > INT_MAX / (2 * FIELDS))
        goto out;
    for (int64_t p = 0; p < segments; p++) {
        filled[schedule->piece[p].sender]++;
        filled[schedule->piece[p].receiver]++;
    }
    for (int rank = 0; rank < matrix->senders; rank++) {
        parts->counts[rank] = (int)filled[rank] * FIELDS;
        parts->places[rank] = (int)start * FIELDS;
        start += filled[rank];
        filled[rank] = start - filled[rank];
    }
    for (int step = 0; step < schedule->steps; step++)
        for (int64_t p = schedule->first[step]; p < schedule->first[step + 1]; p++) {
            add(parts, filled, matrix, step, &schedule->piece[p], true);
            add(parts, filled, matrix, step, &schedule->piece[p], false);
        }
    done = true;
out:
    topo_schedule_free(schedule);
    topo_free(filled);
    return done;
}

void topo_step_tables_free(struct topo_step_tables *parts)
{
    topo_free(parts->task);
    topo_free(parts->counts);
    topo_free(parts->places);
}
