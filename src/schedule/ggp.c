#include "schedule/ggp.h"

#include <limits.h>

#include "base/memory.h"
#include "schedule/matching.h"

/* Parts of all steps so far; grows. */
struct parts {
    struct topo_part *part;
    int64_t count;
};

static bool add(struct parts *parts, struct topo_part part)
{
    if (!topo_grow(&parts->part, (size_t)parts->count, sizeof *parts->part))
        return false;
    parts->part[parts->count++] = part;
    return true;
}

/* The messages of the matching, `units` each; the last part of a message lacks what rounding added. */
static bool add_step(struct parts *parts, const struct topo_matching *matching, int64_t units, int64_t unit, int step,
                     int64_t *left)
{
    for (int l = 0; l < matching->graph->side; l++) {
        int64_t e = matching->graph->message[matching->edge_of_left[l]];
        if (e < 0)
            continue;
        int64_t weight = left[e] / unit >= units ? units * unit : left[e];
        left[e] -= weight;
        if (!add(parts, (struct topo_part){e, weight, step}))
            return false;
    }
    return true;
}

static enum topo_status take_matchings(const struct topo_matrix *matrix, struct topo_regular *graph,
                                       const struct topo_ggp *ggp, struct parts *parts, int *steps,
                                       struct topo_ggp_result *result, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_matching_free) struct topo_matching matching = {0};
    TOPO_SCOPED int64_t *left = topo_alloc((size_t)matrix->messages, sizeof *left);
    int64_t units;
    enum topo_status status = TOPO_OK;
    if (!topo_matching_start(&matching, graph) || !left)
        goto nomem;
    for (int64_t e = 0; e < matrix->messages; e++)
        left[e] = matrix->weight[e];
    while ((units = topo_matching_find(&matching, ggp->heavy)) > 0) {
        if (*steps == INT_MAX || !add_step(parts, &matching, units, ggp->unit, *steps, left))
            goto nomem;
        topo_matching_take(&matching, units);
        result->duration += units;
        result->decomposed = ++*steps;
    }
    if (units < 0)
        status = topo_fail(error, TOPO_INTERNAL, "ggp: no perfect matching in step %d", *steps);
    return status;
nomem:
    return topo_fail(error, TOPO_NOMEM, "out of memory for ggp of %lld messages", (long long)matrix->messages);
}

enum topo_status topo_schedule_ggp(const struct topo_matrix *matrix, const struct topo_ggp *ggp,
                                   struct topo_schedule **schedule, struct topo_ggp_result *result,
                                   struct topo_error *error)
{
    struct topo_ggp_result unused;
    TOPO_SCOPED_BY(topo_regular_end) struct topo_regular *graph = NULL;
    struct parts parts = {0};
    int steps = 0;
    enum topo_status status = TOPO_OK;
    *schedule = NULL;
    if (!result)
        result = &unused;
    *result = (struct topo_ggp_result){0};
    if (ggp->k < 1 || ggp->unit < 1)
        return topo_fail(error, TOPO_INVALID, "ggp: k = %d, unit = %lld; 1 or more are allowed", ggp->k,
                         (long long)ggp->unit);
    if (matrix->messages > 0) {
        status = topo_regular_new(matrix, ggp->k, ggp->unit, &graph, error);
        if (status == TOPO_OK)
            status = take_matchings(matrix, graph, ggp, &parts, &steps, result, error);
    }
    if (status == TOPO_OK)
        status = topo_schedule_new(matrix, parts.part, parts.count, steps, schedule, error);
    topo_free(parts.part);
    return status;
}
