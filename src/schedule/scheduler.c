#include "schedule/scheduler.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "schedule/links.h"
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

const char *topo_ggp_form_text(enum topo_ggp_form form)
{
    static const char *const words[] = {"auto", "first", "heavy", "merged"};
    return words[form];
}

enum topo_status topo_scheduler_option_k(const char *name, const char *text, int *k, struct topo_error *error)
{
    long number = 0;
    if (strcmp(text, "auto") && !topo_parse_long(text, 1, INT_MAX, &number))
        return topo_fail(error, TOPO_PARSE, "%s=%.80s: allowed: auto, or a number of messages from 1 on", name, text);
    *k = (int)number;
    return TOPO_OK;
}

/* The form and the unit that a request stands for. */
static void settle(const struct topo_scheduler_request *request, struct topo_scheduler_result *result)
{
    const struct topo_link *link = &request->params->link[TOPO_LEVEL_NODE];
    double carried = link->beta > 0 ? link->alpha / link->beta : 1;
    result->form = request->form;
    if (result->form == TOPO_GGP_AUTO)
        result->form = request->matrix->senders <= HEAVY_MAX ? TOPO_GGP_HEAVY : TOPO_GGP_FIRST;
    result->unit = request->unit;
    if (result->unit == 0)
        result->unit = carried > 1 && carried < INT32_MAX ? (int64_t)carried : 1;
}

static enum topo_status ggp(const struct topo_scheduler_request *request, const struct topo_matrix *matrix,
                            struct topo_schedule **schedule, struct topo_scheduler_result *result,
                            struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_schedule_end) struct topo_schedule *whole = NULL;
    settle(request, result);
    struct topo_ggp ggp = {.k = request->k > 0 ? request->k : matrix->senders,
                           .unit = result->unit,
                           .heavy = result->form != TOPO_GGP_FIRST};
    enum topo_status status = topo_schedule_ggp(matrix, &ggp, schedule, NULL, error);
    if (status != TOPO_OK || result->form != TOPO_GGP_MERGED)
        return status;
    whole = *schedule;
    return topo_schedule_merge_steps(matrix, whole, request->tree, request->params, schedule, error);
}

enum topo_status topo_scheduler_others(const struct topo_matrix *matrix, struct topo_matrix **others,
                                       struct topo_error *error)
{
    TOPO_SCOPED struct topo_message *message = topo_alloc((size_t)matrix->messages, sizeof *message);
    int64_t count = 0;
    *others = NULL;
    if (!message)
        return topo_fail(error, TOPO_NOMEM, "out of memory for %lld messages", (long long)matrix->messages);
    for (int64_t e = 0; e < matrix->messages; e++)
        if (matrix->sender[e] != matrix->receiver[e])
            message[count++] = (struct topo_message){matrix->sender[e], matrix->receiver[e], matrix->weight[e]};
    return topo_matrix_new(matrix->senders, matrix->receivers, message, count, others, error);
}

enum topo_status topo_scheduler_run(const struct topo_scheduler_request *request, struct topo_schedule **schedule,
                                    struct topo_scheduler_result *result, struct topo_error *error)
{
    struct topo_scheduler_result unused;
    TOPO_SCOPED_BY(topo_matrix_end) struct topo_matrix *others = NULL;
    const struct topo_matrix *matrix = request->matrix;
    enum topo_status status = TOPO_OK;
    *schedule = NULL;
    if (!result)
        result = &unused;
    *result = (struct topo_scheduler_result){.ran = request->scheduler};
    if (request->scheduler == TOPO_SCHEDULER_css) {
        status = topo_schedule_css(matrix, NULL, schedule, &result->css, error);
        if (status != TOPO_OK || result->css.form != TOPO_CSS_GENERAL)
            return status;
        topo_schedule_free(*schedule);
        *schedule = NULL;
        result->ran = TOPO_SCHEDULER_drc;
    }
    if (!request->own) {
        status = topo_scheduler_others(matrix, &others, error);
        if (status != TOPO_OK)
            return status;
        matrix = others;
    }
    switch (result->ran) {
    case TOPO_SCHEDULER_sdrc: return topo_schedule_sdrc(matrix, schedule, error);
    case TOPO_SCHEDULER_ggp: return ggp(request, matrix, schedule, result, error);
    default: return topo_schedule_drc(matrix, schedule, error);
    }
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
    if (matrix && topo_scheduler_run(&request, &schedule, NULL, NULL) == TOPO_OK &&
        topo_schedule_seconds(schedule, tree, params, &seconds, NULL) != TOPO_OK)
        seconds = -1;
    return seconds;
}
