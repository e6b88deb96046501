/* The schedulers of MPI_Alltoallv's scheduled forms: what a rank runs and what the model is asked about are the same.
 */
#ifndef TOPO_SCHEDULE_SCHEDULER_H
#define TOPO_SCHEDULE_SCHEDULER_H

#include <stdint.h>

#include "catalog/algorithm.h"
#include "machine/tree.h"
#include "model/params.h"
#include "schedule/schedule.h"

/* Each has a row in catalog/algorithms.def. */
#define TOPO_SCHEDULER_MAP(X) X(drc) X(sdrc) X(ggp) X(css) X(balanced)

enum topo_scheduler {
#define X(name) TOPO_SCHEDULER_##name,
    TOPO_SCHEDULER_MAP(X)
#undef X
        TOPO_SCHEDULERS
};

/* The scheduler of an algorithm, or TOPO_SCHEDULERS: it has none. */
enum topo_scheduler topo_scheduler_of(enum topo_algorithm_id id);

/* Schedules a matrix in bytes, whose ranks `tree` describes, for links as in `params`. Free *schedule with
 * topo_schedule_free(). Errors: TOPO_INVALID (sizes differ), TOPO_NOMEM. */
enum topo_status topo_scheduler_run(enum topo_scheduler scheduler, const struct topo_matrix *matrix,
                                    const struct topo_tree *tree, const struct topo_params *params,
                                    struct topo_schedule **schedule);

/* Seconds of its steps one after the other, bytes[from * ranks + to] without what ranks have for themselves. Negative
 * when memory is out. */
double topo_scheduler_seconds(enum topo_scheduler scheduler, const struct topo_tree *tree,
                              const struct topo_params *params, const int64_t *bytes);

#endif
