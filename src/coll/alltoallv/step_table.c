#include "coll/alltoallv/alltoallv.h"

#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "coll/base/transport.h"
#include "job/channel_calls.h"
#include "job/collect.h"
#include "job/job.h"

enum { KEPT = 4, INTERVAL_MOST = 64 }; /* the second: calls until the rows are compared again */

/* A schedule. */
struct made {
    struct topo_schedule_lists lists;
    struct topo_scheduler_result by;
    struct topo_schedule_figures figures;
};

/* One matrix and its order. */
struct slot {
    bool used;
    uint64_t used_at; /* number of its last use */
    int64_t *row;     /* [ranks] bytes this rank sends in it */
    struct topo_step_table table;
    struct topo_matrix *matrix; /* rank 0 only */
};

/* Equal on all ranks but for the rows, the parts and the matrices. */
struct topo_step_table_cache {
    struct {
        int current; /* slot; -1: none */
        struct topo_recheck_backoff backoff;
        struct slot slot[KEPT];
        bool said; /* TOPOMPI_VERBOSE: the last table that was spoken of was made by `tells` */
        struct topo_scheduler_result tells;
    } of[TOPO_SCHEDULERS];
    uint64_t uses;
};

static void slot_clear(struct slot *slot)
{
    topo_free(slot->row);
    topo_plan_free(&slot->table.plan);
    topo_matrix_free(slot->matrix);
    *slot = (struct slot){0};
}

static void free_tables(void *kept)
{
    struct topo_step_table_cache *tables = kept;
    for (int s = 0; s < TOPO_SCHEDULERS; s++)
        for (int i = 0; i < KEPT; i++)
            slot_clear(&tables->of[s].slot[i]);
    topo_free(tables);
}

/* Bytes for `rank`. This rank's block for itself is in the matrix too, though it uses no link: a table that repeats
 * does so with its diagonal (schedule/scheduler.h). */
static int64_t weight_of(const struct topo_alltoallv *call, int rank)
{
    return (int64_t)topo_buffer_desc_bytes(&call->send, rank);
}

static bool row_differs(const struct topo_alltoallv *call, const struct slot *slot)
{
    bool differs = false;
    for (int rank = 0; rank < call->comm->ranks; rank++)
        differs |= slot->row[rank] != weight_of(call, rank);
    return differs;
}

/* This rank's row as it travels: an entry for each message, and one that says nothing, so that there is one. NULL:
 * memory is out. */
static struct topo_message *describe_row(const struct topo_alltoallv *call, size_t *bytes)
{
    const int n = call->comm->ranks;
    struct topo_message *row = topo_alloc((size_t)n + 1, sizeof *row);
    size_t count = 0;
    for (int rank = 0; rank < n && row; rank++)
        if (weight_of(call, rank) > 0)
            row[count++] = (struct topo_message){call->comm->rank, rank, weight_of(call, rank)};
    if (row)
        row[count] = (struct topo_message){.weight = 0};
    *bytes = (count + 1) * sizeof *row;
    return row;
}

/* All rows on rank 0, as one matrix; NULL elsewhere, and where memory is out for it. */
static struct topo_matrix *gather(const struct topo_alltoallv *call)
{
    const int n = call->comm->ranks;
    size_t bytes;
    char *row = (char *)describe_row(call, &bytes), *all;
    topo_collect_all(row, bytes, &all, &bytes, call->channel);
    struct topo_message *message = (struct topo_message *)(void *)all;
    struct topo_matrix *matrix = NULL;
    int64_t count = 0;
    for (size_t i = 0; all && i < bytes / sizeof *message; i++)
        if (message[i].weight > 0)
            message[count++] = message[i];
    if (all)
        topo_matrix_new(n, n, message, count, &matrix, NULL);
    topo_free(all);
    return matrix;
}

/* Every rank its own of rank 0's lists, *count entries in *mine. *done is false on all where memory is out for one of
 * them. */
static int scatter(const struct topo_alltoallv *call, const struct topo_schedule_lists *lists,
                   struct topo_step_task **mine, int *count, bool *done)
{
    int code = topo_deal(lists->counts, count, sizeof *count, call->channel);
    if (code != MPI_SUCCESS)
        return code;
    *mine = topo_alloc((size_t)*count, sizeof **mine);
    *done = topo_channel_all(*mine != NULL, call->channel);
    if (!*done)
        return code;
    if (call->comm->rank != 0)
        return topo_recv(*mine, (size_t)*count * sizeof **mine, 0, call->channel);
    memcpy(*mine, lists->task + lists->places[0], (size_t)*count * sizeof **mine);
    for (int rank = 1; rank < call->comm->ranks && code == MPI_SUCCESS; rank++)
        code = topo_send(lists->task + lists->places[rank], (size_t)lists->counts[rank] * sizeof **mine, rank,
                         call->channel);
    return code;
}

/* What the steps of a table are separated by. */
static enum topo_steps_sync sync_of(enum topo_scheduler ran)
{
    enum { AUTO, WORDS }; /* the option's first word; the others are in the order of enum topo_steps_sync */
    const int choice = topo_job.options.value[TOPO_OPTION_ALLTOALLV_SYNC].choice;
    if (choice != AUTO)
        return (enum topo_steps_sync)(choice - WORDS);
    return ran == TOPO_SCHEDULER_css ? TOPO_SYNC_UNEVEN : TOPO_SYNC_NONE;
}

/* A slot's row and plan. False: memory is out. */
static bool fill(const struct topo_alltoallv *call, const struct topo_step_task *list, int count, struct slot *slot)
{
    const struct topo_comm *comm = call->comm;
    const struct topo_plan_input in = {.tree = comm->tree, .levels = comm->node->levels, .rank = comm->rank};
    slot->row = topo_alloc((size_t)comm->ranks, sizeof *slot->row);
    for (int rank = 0; slot->row && rank < comm->ranks; rank++)
        slot->row[rank] = weight_of(call, rank);
    return slot->row &&
           topo_plan_exchange_steps(&in, list, count, sync_of(slot->table.made.ran), &slot->table.plan) == TOPO_OK;
}

/* The least lately used slot. */
static int oldest(const struct topo_step_table_cache *tables, enum topo_scheduler scheduler)
{
    int best = 0;
    for (int i = 1; i < KEPT; i++)
        if (tables->of[scheduler].slot[i].used_at < tables->of[scheduler].slot[best].used_at)
            best = i;
    return best;
}

/* Schedules the matrix, as the options say; it may have what ranks send to themselves. False when memory is out or
 * there is more than MPI can count. Free made->lists in every case. */
static bool make(const struct topo_matrix *matrix, const struct topo_tree *tree, enum topo_scheduler scheduler,
                 struct made *made)
{
    const struct topo_option_value *value = topo_job.options.value;
    struct topo_scheduler_request request = {.scheduler = scheduler,
                                             .matrix = matrix,
                                             .tree = tree,
                                             .params = &topo_job.tuning.params,
                                             .form = (enum topo_ggp_form)value[TOPO_OPTION_ALLTOALLV_GGP].choice};
    struct topo_schedule *schedule = NULL;
    if (value[TOPO_OPTION_ALLTOALLV_GGP_UNIT].size != TOPO_SIZE_AUTO)
        request.unit = (int64_t)value[TOPO_OPTION_ALLTOALLV_GGP_UNIT].size;
    topo_scheduler_option_k("", value[TOPO_OPTION_ALLTOALLV_GGP_K].text, &request.k, NULL); /* MPI_Init has judged it */
    const bool done = topo_scheduler_run(&request, &schedule, &made->by, NULL) == TOPO_OK &&
                      topo_schedule_figures(schedule, matrix, &made->figures, NULL) == TOPO_OK &&
                      topo_schedule_cut(schedule, matrix, &made->lists) == TOPO_OK;
    topo_schedule_free(schedule);
    return done;
}

/* TOPOMPI_VERBOSE, on rank 0: by what the steps were made, once until it is something else. */
static void tell(struct topo_step_table_cache *tables, enum topo_scheduler scheduler, const struct made *all,
                 const struct topo_matrix *matrix)
{
    struct topo_scheduler_result *last = &tables->of[scheduler].tells;
    const struct topo_scheduler_result *made = &all->by;
    struct topo_matrix_facts facts;
    struct topo_text text = {0};
    bool css = scheduler == TOPO_SCHEDULER_css;
    if (!topo_job.options.value[TOPO_OPTION_VERBOSE].flag)
        return;
    if (tables->of[scheduler].said && last->ran == made->ran && last->css.form == made->css.form)
        return;
    tables->of[scheduler].said = true;
    *last = *made;
    topo_matrix_facts(matrix, &facts);
    topo_text_addf(&text, "alltoallv by %s: ", topo_algorithm(topo_scheduler_algorithm(scheduler))->name);
    if (css)
        topo_text_addf(&text, "%s; ", topo_css_form_text(made->css.form));
    if (css && (made->css.shift.m || made->css.shift.n))
        topo_text_addf(&text, "the table repeats by (%d, %d) but for %.1f %% of its bytes; ", made->css.shift.m,
                       made->css.shift.n, facts.total ? 100 * (double)made->css.beyond / (double)facts.total : 0);
    if (scheduler == TOPO_SCHEDULER_ggp)
        topo_text_addf(&text, "%s matchings, parts of %lld bytes; ", topo_ggp_form_text(made->form),
                       (long long)made->unit);
    topo_text_addf(&text, "%d steps, %d of them uneven, %.3f of the busiest rank's bytes", all->figures.steps,
                   all->figures.uneven,
                   all->figures.bound ? (double)all->figures.duration / (double)all->figures.bound : 1.0);
    if (!text.failed)
        topo_say("%s", text.text);
    topo_text_free(&text);
}

/* The slot of this call's matrix, made if need be; -1 when that is not possible. */
static int find(const struct topo_alltoallv *call, struct topo_step_table_cache *tables, enum topo_scheduler scheduler,
                int *found)
{
    struct slot *slot = tables->of[scheduler].slot;
    struct topo_matrix *matrix = gather(call);
    struct made made = {0};
    /* The slot; 1: it is to be filled, -1: nothing is possible; by what scheduler; css's form. */
    int news[4] = {-1, 0, 0, 0}, code;
    *found = -1;
    if (call->comm->rank == 0) {
        for (int i = 0; i < KEPT && matrix && news[0] < 0; i++)
            if (slot[i].used && topo_matrix_equal(slot[i].matrix, matrix))
                news[0] = i;
        if (news[0] < 0) {
            news[0] = oldest(tables, scheduler);
            news[1] = matrix && make(matrix, call->comm->tree, scheduler, &made) ? 1 : -1;
            news[2] = (int)made.by.ran;
            news[3] = (int)made.by.css.form;
            if (news[1] == 1)
                tell(tables, scheduler, &made, matrix);
        }
    }
    if ((code = topo_channel_bcast(news, sizeof news, call->channel)) != MPI_SUCCESS)
        goto out;
    if (news[1] == 1) {
        struct slot *fresh = &slot[news[0]];
        struct topo_step_task *list = NULL;
        int count = 0;
        bool done;
        slot_clear(fresh);
        fresh->table.made = made.by;
        fresh->table.made.ran = (enum topo_scheduler)news[2];
        fresh->table.made.css.form = (enum topo_css_form)news[3];
        code = scatter(call, &made.lists, &list, &count, &done);
        if (code == MPI_SUCCESS && done)
            done = topo_channel_all(fill(call, list, count, fresh), call->channel);
        topo_free(list);
        if (code != MPI_SUCCESS || !done) {
            slot_clear(fresh);
            goto out;
        }
        fresh->used = true;
        fresh->matrix = matrix;
        matrix = NULL;
    }
    if (news[1] >= 0) {
        *found = news[0];
        slot[news[0]].used_at = ++tables->uses;
    }
out:
    topo_matrix_free(matrix);
    topo_schedule_lists_free(&made.lists);
    return code;
}

int topo_step_table_get(const struct topo_alltoallv *call, enum topo_scheduler scheduler,
                        const struct topo_step_table **table)
{
    struct topo_step_table_cache *tables = call->estimate->tables;
    bool same = false;
    int code = MPI_SUCCESS;
    *table = NULL;
    if (!tables) {
        tables = topo_calloc(1, sizeof *tables);
        if (!topo_channel_all(tables && topo_comm_node(call->comm), call->channel)) {
            topo_free(tables);
            return MPI_SUCCESS;
        }
        for (int s = 0; s < TOPO_SCHEDULERS; s++)
            tables->of[s].current = -1;
        call->estimate->tables = tables;
        call->estimate->free_tables = free_tables;
    }
    int *current = &tables->of[scheduler].current;
    struct topo_recheck_backoff *backoff = &tables->of[scheduler].backoff;
    bool due = topo_recheck_backoff_due(backoff);
    if (due && *current >= 0)
        same = topo_channel_all(!row_differs(call, &tables->of[scheduler].slot[*current]), call->channel);
    if (due)
        topo_recheck_backoff_asked(backoff, *current >= 0 && !same, INTERVAL_MOST);
    if (code == MPI_SUCCESS && due && !same)
        code = find(call, tables, scheduler, current);
    if (*current >= 0)
        *table = &tables->of[scheduler].slot[*current].table;
    return code;
}
