/* topo-dump schedule: the matrix, the machine, and the schedulers run. */
#include <time.h>

#include "base/memory.h"
#include "common/cli.h"
#include "machine/synthetic.h"
#include "schedule/matrix_file.h"
#include "schedule/random.h"
#include "topo-dump/commands.h"
#include "topo-dump/schedule.h"

/* ggp splits each message many times, and ggp_heavy takes four times as long to find its fewer steps: beyond this many
 * messages they are run only when asked for. */
enum { GGP_MESSAGES_MAX = 20000 };

static int fail(enum topo_status status, const char *option, const struct topo_error *error)
{
    int code = status == TOPO_PARSE || status == TOPO_INVALID ? CLI_USAGE : CLI_FAILED;
    return cli_fail(DUMP_TOOL, code, "%s: %s", option, error->text);
}

static int make_matrix(struct dump_schedule_view *view)
{
    const struct dump_schedule_request *request = view->request;
    struct topo_error error = {""};
    enum topo_status status;
    if (request->matrix_file) {
        status = topo_matrix_read(request->matrix_file, &view->matrix, &error);
        if (status != TOPO_OK) /* what is in a file is not an argument */
            return cli_fail(DUMP_TOOL, CLI_FAILED, "%s", error.text);
        return CLI_OK;
    }
    if (request->random) {
        struct topo_random_spec spec;
        status = topo_random_parse(request->random, &spec, &error);
        if (status == TOPO_OK)
            status = topo_matrix_random(&spec, &view->matrix, &error);
        return status == TOPO_OK ? CLI_OK : fail(status, "--random", &error);
    }
    view->redistributed = true;
    status = topo_array_parse(request->redistribute, &view->array, &error);
    if (status != TOPO_OK)
        return fail(status, "--redistribute", &error);
    for (int d = 0; d < view->array.dimensions && request->access; d++) {
        status = topo_redistribution_access(request->access, &view->array.dimension[d], &error);
        if (status != TOPO_OK)
            return fail(status, "--access", &error);
    }
    if (request->length) {
        status = topo_array_lengths(request->length, &view->array, &error);
        if (status != TOPO_OK)
            return fail(status, "--length", &error);
    }
    status = topo_array_resolve(&view->array, &error);
    for (int d = 0; d < view->array.dimensions && status == TOPO_OK; d++)
        status = topo_redistribution_facts(&view->array.dimension[d], &view->periods[d], &error);
    if (status == TOPO_OK)
        status = topo_array_matrix(&view->array, &view->matrix, &error);
    return status == TOPO_OK ? CLI_OK : fail(status, "--redistribute", &error);
}

static int leave_out_own(struct dump_schedule_view *view)
{
    struct topo_error error = {""};
    if (view->request->own || view->matrix->senders != view->matrix->receivers)
        return CLI_OK;
    enum topo_status status = topo_scheduler_others(view->matrix, &view->others, &error);
    return status == TOPO_OK ? CLI_OK : fail(status, "schedule", &error);
}

static int make_machine(struct dump_schedule_view *view)
{
    const struct topo_matrix *matrix = view->matrix;
    struct topo_error error = {""};
    if (!view->request->synthetic)
        return CLI_OK;
    if (matrix->senders != matrix->receivers)
        return cli_fail(DUMP_TOOL, CLI_USAGE,
                        "--synthetic: a machine's ranks send and receive; here are %d senders and "
                        "%d receivers",
                        matrix->senders, matrix->receivers);
    enum topo_status status = topo_synthetic_tree(view->request->synthetic, matrix->senders, &view->tree, &error);
    return status == TOPO_OK ? CLI_OK : fail(status, "--synthetic", &error);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* As MPI_Alltoallv runs it where no tuning file says what links carry. */
static enum topo_status run_scheduler(struct dump_schedule_view *view, enum topo_scheduler scheduler,
                                      enum topo_ggp_form form, struct topo_schedule **schedule,
                                      struct topo_error *error)
{
    struct topo_scheduler_result result;
    struct topo_params params;
    struct topo_scheduler_request request = {.scheduler = scheduler,
                                             .matrix = view->matrix,
                                             .tree = view->tree,
                                             .params = &params,
                                             .form = form,
                                             .k = (int)view->request->k,
                                             .unit = (int64_t)view->request->unit,
                                             .own = !view->others};
    topo_params_default(&params);
    enum topo_status status = topo_scheduler_run(&request, schedule, &result, error);
    if (scheduler == TOPO_SCHEDULER_ggp)
        view->unit = result.unit;
    return status;
}

static enum topo_status run(struct dump_schedule_view *view, enum dump_scheduler scheduler,
                            struct topo_schedule **schedule, struct topo_error *error)
{
    switch (scheduler) {
    case DUMP_SCHEDULER_direct: return topo_schedule_direct(view->matrix, schedule, error);
    case DUMP_SCHEDULER_sdrc: return run_scheduler(view, TOPO_SCHEDULER_sdrc, 0, schedule, error);
    case DUMP_SCHEDULER_drc: return run_scheduler(view, TOPO_SCHEDULER_drc, 0, schedule, error);
    case DUMP_SCHEDULER_css: {
        struct topo_shift shift = {0, 0};
        if (view->redistributed && view->array.dimensions == 1)
            shift = topo_redistribution_shift(&view->array.dimension[0], &view->periods[0]);
        return topo_schedule_css(view->matrix, &shift, schedule, &view->css, error);
    }
    default: {
        enum topo_ggp_form form = TOPO_GGP_AUTO + (int)(scheduler - DUMP_SCHEDULER_ggp);
        return run_scheduler(view, TOPO_SCHEDULER_ggp, form, schedule, error);
    }
    }
}

/* What a scheduler has to send. */
static const struct topo_matrix *scheduled_matrix(const struct dump_schedule_view *view, enum dump_scheduler scheduler)
{
    bool all = !view->others || scheduler == DUMP_SCHEDULER_direct || scheduler == DUMP_SCHEDULER_css;
    return all ? view->matrix : view->others;
}

/* Why a scheduler is left out; NULL when it is not. */
static const char *left_out(const struct dump_schedule_view *view, enum dump_scheduler scheduler)
{
    const struct dump_schedule_request *request = view->request;
    if ((int)scheduler == request->shown)
        return NULL;
    if (request->only)
        return "--only";
    if (scheduler == DUMP_SCHEDULER_ggp_merged && !view->tree)
        return "needs --synthetic";
    if (view->matrix->messages <= GGP_MESSAGES_MAX)
        return NULL;
    switch (scheduler) {
    case DUMP_SCHEDULER_ggp: return "takes long: --scheduler ggp";
    case DUMP_SCHEDULER_ggp_first: return "takes long: --scheduler ggp_first";
    case DUMP_SCHEDULER_ggp_heavy: return "takes long: --scheduler ggp_heavy";
    case DUMP_SCHEDULER_ggp_merged: return "takes long: --scheduler ggp_merged";
    default: return NULL;
    }
}

static enum topo_schedule_rule rule_of(const struct dump_schedule_view *view, enum dump_scheduler scheduler)
{
    if (scheduler == DUMP_SCHEDULER_direct)
        return TOPO_RULE_NONE;
    return scheduler == DUMP_SCHEDULER_css && view->css.form == TOPO_CSS_BLOCKS ? TOPO_RULE_RECEIVER
                                                                                : TOPO_RULE_MATCHING;
}

/* Runs one scheduler, checks what it made and takes its figures. */
static int run_one(struct dump_schedule_view *view, enum dump_scheduler scheduler)
{
    struct dump_scheduled *result = &view->result[scheduler];
    const struct topo_matrix *matrix = scheduled_matrix(view, scheduler);
    struct topo_error error = {""};
    struct topo_params params;
    double start = now();
    result->why = left_out(view, scheduler);
    if (result->why)
        return CLI_OK;
    enum topo_status status = run(view, scheduler, &result->schedule, &error);
    result->seconds = now() - start;
    if (status == TOPO_OK)
        status = topo_schedule_check(result->schedule, matrix, rule_of(view, scheduler), &error);
    if (status == TOPO_OK)
        status = topo_schedule_figures(result->schedule, matrix, &result->figures, &error);
    if (status == TOPO_OK)
        status = topo_schedule_contention(result->schedule, &result->contention, &error);
    if (status == TOPO_OK && view->tree) {
        topo_params_default(&params);
        status = topo_schedule_link_figures(result->schedule, view->tree, &result->links, &error);
        if (status == TOPO_OK)
            status = topo_schedule_seconds(result->schedule, view->tree, &params, &result->model_seconds, &error);
    }
    return status == TOPO_OK ? CLI_OK : fail(status, dump_scheduler_name(scheduler), &error);
}

int dump_schedule_view_make(const struct dump_schedule_request *request, struct dump_schedule_view *view)
{
    *view = (struct dump_schedule_view){.request = request};
    int status = make_matrix(view);
    if (status == CLI_OK)
        status = leave_out_own(view);
    if (status == CLI_OK)
        status = make_machine(view);
    if (status == CLI_OK && request->shown == DUMP_SCHEDULER_ggp_merged && !view->tree)
        status =
            cli_fail(DUMP_TOOL, CLI_USAGE, "--scheduler ggp_merged needs a machine: --synthetic \"node:4 core:4\"");
    if (status == CLI_OK)
        topo_matrix_facts(view->matrix, &view->facts);
    for (int scheduler = 0; scheduler < DUMP_SCHEDULERS && status == CLI_OK; scheduler++)
        status = run_one(view, scheduler);
    return status;
}

void dump_schedule_view_free(struct dump_schedule_view *view)
{
    for (int scheduler = 0; scheduler < DUMP_SCHEDULERS; scheduler++)
        topo_schedule_free(view->result[scheduler].schedule);
    topo_matrix_free(view->matrix);
    topo_matrix_free(view->others);
    topo_tree_free(view->tree);
}
