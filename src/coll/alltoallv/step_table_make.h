/* A schedule, cut into what each rank does: the part of step_table.c that needs no message. */
#ifndef TOPO_COLL_ALLTOALLV_STEP_TABLE_MAKE_H
#define TOPO_COLL_ALLTOALLV_STEP_TABLE_MAKE_H

#include <stdbool.h>

#include "coll/alltoallv/step_table.h"
#include "machine/tree.h"
#include "schedule/matrix.h"

/* The tasks of all ranks, those of one rank together and by step. */
struct topo_step_tables {
    struct topo_step_task *task;
    int *counts, *places; /* [ranks] how many tasks a rank has, and where they begin */
    struct topo_scheduler_result made;
    struct topo_schedule_figures figures;
};

/* Schedules the matrix, whose ranks `tree` describes; it may have what ranks send to themselves, which no task does.
 * False when memory is out or there is more than MPI can count. Free *parts with topo_step_tables_free() in every case.
 */
bool topo_step_tables_make(const struct topo_matrix *matrix, const struct topo_tree *tree,
                           enum topo_scheduler scheduler, struct topo_step_tables *parts);
void topo_step_tables_free(struct topo_step_tables *parts);

#endif
