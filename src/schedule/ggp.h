/* GGP, generic graph peeling (docs/REFERENCES.md, Schedule 4). */
#ifndef TOPO_SCHEDULE_GGP_H
#define TOPO_SCHEDULE_GGP_H

#include "schedule/schedule.h"

struct topo_ggp {
    int k;        /* at most k messages at a time, >= 1; above the smaller side nothing changes */
    int64_t unit; /* weights are rounded up to multiples of it, and parts are multiples; >= 1. With
                   * alpha / beta (bytes that take as long as a start-up) no part costs more to start
                   * than to carry. */
    bool heavy;   /* matching the perfect matching whose lightest edge is heaviest: fewer steps and parts,
                   * more work per step; else the first matching found */
};

/* What a call did beside the schedule. */
struct topo_ggp_result {
    int64_t duration;   /* sum of the steps' durations in units: exactly phi = max(W, ceil(P / k)) */
    int64_t decomposed; /* matchings decomposed, = steps of the schedule */
};

/* TOPO_RULE_MATCHING, at most k pieces a step. *result may be NULL. Errors:
 * TOPO_INVALID (k or unit below 1; weights too large for k), TOPO_NOMEM. Time:
 * matchings are at most the edges of J, about messages + 4 (senders + receivers),
 * and each costs the edges at worst, few in practice. */
enum topo_status topo_schedule_ggp(const struct topo_matrix *matrix, const struct topo_ggp *ggp,
                                   struct topo_schedule **schedule, struct topo_ggp_result *result,
                                   struct topo_error *error);

#endif
