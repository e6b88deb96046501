#include "coll/alltoallv/step_table_make.h"

#include <limits.h>

#include "base/memory.h"
#include "job/job.h"

/* Appends one side of a piece to the rank's list. */
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
    if (topo_scheduler_run(scheduler, matrix, tree, &topo_job.tuning.params, &schedule) != TOPO_OK)
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
