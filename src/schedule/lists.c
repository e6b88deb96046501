#include <limits.h>

#include "base/memory.h"
#include "schedule/schedule.h"

/* One side of a piece, in a step. */
static struct topo_step_task side_of(const struct topo_matrix *matrix, const struct topo_piece *piece, int step,
                                     bool uneven, bool send)
{
    return (struct topo_step_task){.step = step,
                                   .send = send,
                                   .peer = send ? piece->receiver : piece->sender,
                                   .offset = piece->offset,
                                   .bytes = piece->weight,
                                   .whole = topo_matrix_at(matrix, piece->sender, piece->receiver),
                                   .uneven = uneven};
}

/* Where each rank's list begins; filled[] is that, too. */
static void place(const struct topo_schedule *schedule, struct topo_schedule_lists *lists, int64_t *filled)
{
    int64_t start = 0;
    for (int64_t p = 0; p < schedule->first[schedule->steps]; p++) {
        if (schedule->piece[p].sender == schedule->piece[p].receiver)
            continue;
        lists->counts[schedule->piece[p].sender]++;
        lists->counts[schedule->piece[p].receiver]++;
    }
    for (int rank = 0; rank < schedule->senders; rank++) {
        lists->places[rank] = (int)start;
        filled[rank] = start;
        start += lists->counts[rank];
    }
}

enum topo_status topo_schedule_cut(const struct topo_schedule *schedule, const struct topo_matrix *matrix,
                                   struct topo_schedule_lists *lists)
{
    const int64_t pieces = schedule->first[schedule->steps];
    const size_t ranks = (size_t)matrix->senders;
    TOPO_SCOPED bool *uneven = NULL;
    TOPO_SCOPED int64_t *filled = topo_calloc(ranks, sizeof *filled);
    *lists = (struct topo_schedule_lists){topo_alloc(2 * (size_t)pieces, sizeof *lists->task),
                                          topo_calloc(ranks, sizeof *lists->counts),
                                          topo_calloc(ranks, sizeof *lists->places)};
    if (pieces > INT_MAX / 2 || !filled || !lists->task || !lists->counts || !lists->places ||
        topo_schedule_uneven(schedule, &uneven, NULL) != TOPO_OK)
        return TOPO_NOMEM;
    place(schedule, lists, filled);
    for (int step = 0; step < schedule->steps; step++)
        for (int64_t p = schedule->first[step]; p < schedule->first[step + 1]; p++) {
            const struct topo_piece *piece = &schedule->piece[p];
            for (int send = 1; send >= 0 && piece->sender != piece->receiver; send--)
                lists->task[filled[send ? piece->sender : piece->receiver]++] =
                    side_of(matrix, piece, step, uneven[step], send);
        }
    return TOPO_OK;
}

void topo_schedule_lists_free(struct topo_schedule_lists *lists)
{
    topo_free_all(lists->task, lists->counts, lists->places);
}
