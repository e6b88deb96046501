#include "schedule/scheduler.h"

#include "base/memory.h"
#include "schedule/balance.h"
#include "schedule/css.h"
#include "schedule/ggp.h"

/* Up to here the search for heavy matchings costs less than the parts it saves (check_ggp prints times). */
enum { HEAVY_MAX = 128 };

enum topo_scheduler topo_scheduler_of(enum topo_algorithm_id id)
{
    switch (id) {
#define X(name) \
    case TOPO_ALGORITHM_alltoallv_##name: return TOPO_SCHEDULER_##name;
        TOPO_SCHEDULER_MAP(X)
#undef X
    default: return TOPO_SCHEDULERS;
    }
}

/* No part costs more to start than to carry over the link of a node. */
static enum topo_status ggp(const struct topo_matrix *matrix, const struct topo_params *params,
                            struct topo_schedule **schedule)
{
    const struct topo_link *link = &params->link[TOPO_LEVEL_NODE];
    double unit = link->beta > 0 ? link->alpha / link->beta : 1;
    struct topo_ggp request = {.k = matrix->senders, .unit = 1, .heavy = matrix->senders <= HEAVY_MAX};
    if (unit > 1 && unit < INT32_MAX)
        request.unit = (int64_t)unit;
    return topo_schedule_ggp(matrix, &request, schedule, NULL, NULL);
}

enum topo_status topo_scheduler_run(enum topo_scheduler scheduler, const struct topo_matrix *matrix,
                                    const struct topo_tree *tree, const struct topo_params *params,
                                    struct topo_schedule **schedule)
{
    switch (scheduler) {
    case TOPO_SCHEDULER_drc: return topo_schedule_drc(matrix, schedule, NULL);
    case TOPO_SCHEDULER_sdrc: return topo_schedule_sdrc(matrix, schedule, NULL);
    case TOPO_SCHEDULER_ggp: return ggp(matrix, params, schedule);
    case TOPO_SCHEDULER_css: return topo_schedule_css(matrix, NULL, schedule, NULL, NULL);
    default: return topo_schedule_balanced(matrix, tree, schedule, NULL);
    }
}

/* The matrix, without what ranks have for themselves. NULL when memory is out. */
static struct topo_matrix *matrix_of(int n, const int64_t *bytes)
{
    struct topo_matrix *matrix = NULL;
    int64_t *weights = topo_calloc((size_t)n * (size_t)n, sizeof *weights);
    for (size_t i = 0; weights && i < (size_t)n * (size_t)n; i++)
        weights[i] = i % ((size_t)n + 1) == 0 ? 0 : bytes[i];
    if (weights)
        topo_matrix_dense(n, n, weights, &matrix, NULL);
    topo_free(weights);
    return matrix;
}

double topo_scheduler_seconds(enum topo_scheduler scheduler, const struct topo_tree *tree,
                              const struct topo_params *params, const int64_t *bytes)
{
    struct topo_schedule *schedule = NULL;
    struct topo_matrix *matrix = matrix_of(tree->ranks, bytes);
    double seconds = -1;
    if (matrix && topo_scheduler_run(scheduler, matrix, tree, params, &schedule) == TOPO_OK &&
        topo_schedule_seconds(schedule, tree, params, &seconds, NULL) != TOPO_OK)
        seconds = -1;
    topo_schedule_free(schedule);
    topo_matrix_free(matrix);
    return seconds;
}
