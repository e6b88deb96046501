#include "schedule/scheduler.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "schedule/balance.h"
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

enum topo_algorithm_id topo_scheduler_algorithm(enum topo_scheduler scheduler)
{
    static const enum topo_algorithm_id algorithms[TOPO_SCHEDULERS] = {
#define X(name) TOPO_ALGORITHM_alltoallv_##name,
        TOPO_SCHEDULER_MAP(X)
#undef X
    };
    return algorithms[scheduler];
}

enum topo_status topo_scheduler_option_k(const char *name, const char *text, int *k, struct topo_error *error)
{
    long number = 0;
    if (strcmp(text, "auto") && !topo_parse_long(text, 1, INT_MAX, &number))
        return topo_fail(error, TOPO_PARSE, "%s=%.80s: allowed: auto, or a number of messages from 1 on", name, text);
    *k = (int)number;
    return TOPO_OK;
}

/* No part costs more to start than to carry over the link of a node. */
static enum topo_status ggp(const struct topo_scheduler_request *request, const struct topo_matrix *matrix,
                            struct topo_schedule **schedule)
{
    const struct topo_link *link = &request->params->link[TOPO_LEVEL_NODE];
    double unit = link->beta > 0 ? link->alpha / link->beta : 1;
    struct topo_ggp ggp = {.k = request->k > 0 ? request->k : matrix->senders, .unit = 1};
    TOPO_SCOPED_BY(topo_schedule_end) struct topo_schedule *whole = NULL;
    ggp.heavy = request->form == TOPO_GGP_AUTO ? matrix->senders <= HEAVY_MAX : request->form != TOPO_GGP_FIRST;
    if (unit > 1 && unit < INT32_MAX)
        ggp.unit = (int64_t)unit;
    enum topo_status status = topo_schedule_ggp(matrix, &ggp, schedule, NULL, NULL);
    if (status != TOPO_OK || request->form != TOPO_GGP_MERGED)
        return status;
    whole = *schedule;
    return topo_schedule_merge_steps(matrix, whole, request->tree, request->params, schedule, NULL);
}

/* The matrix without what ranks have for themselves. */
static enum topo_status without_own(const struct topo_matrix *matrix, struct topo_matrix **others)
{
    TOPO_SCOPED struct topo_message *message = topo_alloc((size_t)matrix->messages, sizeof *message);
    int64_t count = 0;
    enum topo_status status = message ? TOPO_OK : TOPO_NOMEM;
    *others = NULL;
    for (int64_t e = 0; message && e < matrix->messages; e++)
        if (matrix->sender[e] != matrix->receiver[e])
            message[count++] = (struct topo_message){matrix->sender[e], matrix->receiver[e], matrix->weight[e]};
    if (message)
        status = topo_matrix_new(matrix->senders, matrix->receivers, message, count, others, NULL);
    return status;
}

enum topo_status topo_scheduler_run(const struct topo_scheduler_request *request, struct topo_schedule **schedule,
                                    struct topo_scheduler_result *result)
{
    struct topo_scheduler_result unused;
    TOPO_SCOPED_BY(topo_matrix_end) struct topo_matrix *others = NULL;
    enum topo_status status = TOPO_OK;
    *schedule = NULL;
    if (!result)
        result = &unused;
    *result = (struct topo_scheduler_result){.ran = request->scheduler};
    if (request->scheduler == TOPO_SCHEDULER_css) {
        status = topo_schedule_css(request->matrix, NULL, schedule, &result->css, NULL);
        if (status != TOPO_OK || result->css.form != TOPO_CSS_GENERAL)
            return status;
        topo_schedule_free(*schedule);
        *schedule = NULL;
        result->ran = TOPO_SCHEDULER_drc;
    }
    status = without_own(request->matrix, &others);
    if (status != TOPO_OK)
        return status;
    switch (result->ran) {
    case TOPO_SCHEDULER_sdrc: status = topo_schedule_sdrc(others, schedule, NULL); break;
    case TOPO_SCHEDULER_ggp: status = ggp(request, others, schedule); break;
    case TOPO_SCHEDULER_balanced: status = topo_schedule_balanced(others, request->tree, schedule, NULL); break;
    default: status = topo_schedule_drc(others, schedule, NULL); break;
    }
    return status;
}

double topo_scheduler_seconds(enum topo_scheduler scheduler, const struct topo_tree *tree,
                              const struct topo_params *params, const int64_t *bytes)
{
    TOPO_SCOPED_BY(topo_schedule_end) struct topo_schedule *schedule = NULL;
    TOPO_SCOPED_BY(topo_matrix_end) struct topo_matrix *matrix = NULL;
    struct topo_scheduler_request request = {.scheduler = scheduler, .tree = tree, .params = params};
    double seconds = -1;
    topo_matrix_dense(tree->ranks, tree->ranks, bytes, &matrix, NULL);
    request.matrix = matrix;
    if (matrix && topo_scheduler_run(&request, &schedule, NULL) == TOPO_OK &&
        topo_schedule_seconds(schedule, tree, params, &seconds, NULL) != TOPO_OK)
        seconds = -1;
    return seconds;
}
