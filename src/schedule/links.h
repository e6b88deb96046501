/* Schedules on machines whose links are shared: the ranks of a node send through one. */
#ifndef TOPO_SCHEDULE_LINKS_H
#define TOPO_SCHEDULE_LINKS_H

#include "machine/tree.h"
#include "model/params.h"
#include "schedule/schedule.h"

/* What the nodes' links carry. */
struct topo_link_figures {
    int64_t duration; /* sum over the steps of the busiest link's weight, in or out */
    int64_t bound;    /* the busiest link's weight altogether */
};

/* Errors: TOPO_INVALID (sizes differ), TOPO_NOMEM. */
enum topo_status topo_schedule_link_figures(const struct topo_schedule *schedule, const struct topo_tree *tree,
                                            struct topo_link_figures *figures, struct topo_error *error);

/* Seconds of all steps one after the other by the machine's model
 * (topo_load_step()), weights in bytes. Errors: TOPO_INVALID (sizes differ), TOPO_NOMEM. */
enum topo_status topo_schedule_seconds(const struct topo_schedule *schedule, const struct topo_tree *tree,
                                       const struct topo_params *params, double *seconds, struct topo_error *error);

/* The start-up-aware form of a TOPO_RULE_MATCHING schedule (docs/REFERENCES.md,
 * Schedule 6): a step that costs more than its parts would add to other steps is given
 * up, shortest steps first; parts of one message that come together become one.
 * A part's cost is alpha + weight beta of the level it crosses (params), a step's
 * that of its dearest part. The result is never dearer than `from`, and may have
 * more than `from`'s largest load in a step. TOPO_RULE_MATCHING. Errors as above. */
enum topo_status topo_schedule_merge_steps(const struct topo_matrix *matrix, const struct topo_schedule *from,
                                           const struct topo_tree *tree, const struct topo_params *params,
                                           struct topo_schedule **schedule, struct topo_error *error);

#endif
