#include "coll/alltoallv/step_table_make.h"

#include <limits.h>

#include "base/memory.h"
#include "job/job.h"

/* Appends one side of a piece to the rank's list. */
static void add(struct topo_step_tables *parts, int64_t *filled, const struct topo_matrix *matrix, int step,
                bool uneven, const struct topo_piece *segment, bool send)
{
    int rank = send ? segment->sender : segment->receiver;
    parts->task[filled[rank]++] =
        (struct topo_step_task){.step = step,
                                .send = send,
                                .peer = send ? segment->receiver : segment->sender,
                                .offset = segment->offset,
                                .bytes = segment->weight,
                                .whole = topo_matrix_at(matrix, segment->sender, segment->receiver),
                                .uneven = uneven};
}

bool topo_step_tables_make(const struct topo_matrix *matrix, const struct topo_tree *tree,
                           enum topo_scheduler scheduler, struct topo_step_tables *parts)
{
    const struct topo_option_value *value = topo_job.options.value;
    struct topo_scheduler_request request = {.scheduler = scheduler,
                                             .matrix = matrix,
                                             .tree = tree,
                                             .params = &topo_job.tuning.params,
                                             .form = (enum topo_ggp_form)value[TOPO_OPTION_ALLTOALLV_GGP].choice};
    struct topo_schedule *schedule = NULL;
    bool *uneven = NULL;
    int64_t *filled = NULL, start = 0, segments;
    bool done = false;
    *parts = (struct topo_step_tables){0};
    if (value[TOPO_OPTION_ALLTOALLV_GGP_UNIT].size != TOPO_SIZE_AUTO)
        request.unit = (int64_t)value[TOPO_OPTION_ALLTOALLV_GGP_UNIT].size;
    topo_scheduler_option_k("", value[TOPO_OPTION_ALLTOALLV_GGP_K].text, &request.k, NULL); /* MPI_Init has judged it */
    if (topo_scheduler_run(&request, &schedule, &parts->made, NULL) != TOPO_OK ||
        topo_schedule_figures(schedule, matrix, &parts->figures, NULL) != TOPO_OK ||
        topo_schedule_uneven(schedule, &uneven, NULL) != TOPO_OK)
        goto out;
    segments = schedule->first[schedule->steps];
    parts->counts = topo_calloc((size_t)matrix->senders, sizeof *parts->counts);
    parts->places = topo_calloc((size_t)matrix->senders, sizeof *parts->places);
    parts->task = topo_alloc(2 * (size_t)segments, sizeof *parts->task);
    filled = topo_calloc((size_t)matrix->senders, sizeof *filled);
    if (!parts->counts || !parts->places || !parts->task || !filled || segments > INT_MAX / 2)
        goto out;
    for (int64_t p = 0; p < segments; p++) {
        if (schedule->piece[p].sender == schedule->piece[p].receiver)
            continue;
        filled[schedule->piece[p].sender]++;
        filled[schedule->piece[p].receiver]++;
    }
    for (int rank = 0; rank < matrix->senders; rank++) {
        parts->counts[rank] = (int)filled[rank];
        parts->places[rank] = (int)start;
        start += filled[rank];
        filled[rank] = start - filled[rank];
    }
    for (int step = 0; step < schedule->steps; step++)
        for (int64_t p = schedule->first[step]; p < schedule->first[step + 1]; p++) {
            const struct topo_piece *piece = &schedule->piece[p];
            for (int send = 1; send >= 0 && piece->sender != piece->receiver; send--)
                add(parts, filled, matrix, step, uneven[step], piece, send);
        }
    done = true;
out:
    topo_schedule_free(schedule);
    topo_free(filled);
    topo_free(uneven);
    return done;
}

void topo_step_tables_free(struct topo_step_tables *parts)
{
    topo_free_all(parts->task, parts->counts, parts->places);
}
