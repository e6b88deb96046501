/* Schedules for machines whose links are shared: the ranks of a node send through one. */
#ifndef TOPO_SCHEDULE_BALANCE_H
#define TOPO_SCHEDULE_BALANCE_H

#include "machine/tree.h"
#include "model/params.h"
#include "schedule/schedule.h"

/* The hierarchical form: like sDRC each rank takes part in one message each way a
 * step, but a message, heaviest first, goes to the step that it makes longest by
 * least, the length of a step being what its fullest link carries (of nodes and of
 * the units around them); among equals to the one where its links are emptiest.
 * So every link carries about the same share of its bytes in every step. Messages
 * inside a node go last, to the first step that is free. DRC is taken where it
 * makes the links' time no longer. The matrix is of the tree's ranks.
 * TOPO_RULE_MATCHING. Errors: TOPO_INVALID (sizes differ), TOPO_NOMEM.
 * O(messages * steps). */
enum topo_status topo_schedule_balanced(const struct topo_matrix *matrix, const struct topo_tree *tree,
                                        struct topo_schedule **schedule, struct topo_error *error);

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
