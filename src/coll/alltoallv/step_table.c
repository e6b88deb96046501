#include "coll/alltoallv/step_table.h"

#include <limits.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "coll/alltoallv/step_table_make.h"
#include "job/collect.h"
#include "job/job.h"

enum { KEPT = 4, FIELDS = sizeof(struct topo_step_task) / sizeof(int64_t) };

/* One matrix and its order. */
struct slot {
    bool used;
    uint64_t used_at; /* number of its last use */
    int64_t *row;  /* [ranks] bytes this rank sends in it */
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
    topo_free(slot->table.task);
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

/* True on all ranks when every rank says `here`. */
static int all_agree(const struct topo_alltoallv *call, bool here, bool *everywhere)
{
    int mine = here, all = 0;
    int code = PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, call->channel->user);
    *everywhere = all;
    return code;
}

/* All rows on rank 0, as one matrix; *matrix is NULL elsewhere, and where memory is
 * out there, which is said in *done. Returns an MPI error code. */
static int gather(const struct topo_alltoallv *call, struct topo_matrix **matrix)
{
    int n = call->comm->ranks, mine = 0, *counts = NULL, *places = NULL, code;
    int64_t total = 0, (*own)[3] = topo_alloc((size_t)n, sizeof *own), (*all)[3] = NULL;
    struct topo_message *message = NULL;
    bool root = call->comm->rank == 0, ready = own != NULL;
    *matrix = NULL;
    for (int rank = 0; rank < n && own; rank++)
        if (weight_of(call, rank) > 0) {
            own[mine][0] = call->comm->rank;
            own[mine][1] = rank;
            own[mine++][2] = weight_of(call, rank);
        }
    if (root) {
        counts = topo_alloc((size_t)n, sizeof *counts);
        places = topo_alloc((size_t)n, sizeof *places);
        ready = ready && counts && places;
    }
    if ((code = all_agree(call, ready, &ready)) != MPI_SUCCESS || !ready)
        goto out;
    mine *= 3;
    if ((code = topo_collect(&mine, counts, sizeof mine, call->channel)) != MPI_SUCCESS)
        goto out;
    if (root) {
        for (int rank = 0; rank < n; rank++) {
            places[rank] = (int)total;
            total += counts[rank];
        }
        all = total <= INT_MAX ? topo_alloc((size_t)total / 3 + 1, sizeof *all) : NULL;
        message = topo_alloc((size_t)total / 3 + 1, sizeof *message);
        ready = all && message;
    }
    if ((code = all_agree(call, ready, &ready)) != MPI_SUCCESS || !ready)
        goto out;
    code = PMPI_Gatherv(own, mine, MPI_INT64_T, all, counts, places, MPI_INT64_T, 0, call->channel->user);
    if (root && code == MPI_SUCCESS) {
        for (int64_t e = 0; e < total / 3; e++)
            message[e] = (struct topo_message){(int)all[e][0], (int)all[e][1], all[e][2]};
        topo_matrix_new(n, n, message, total / 3, matrix, NULL);
    }
out:
    topo_free_all(own, all, counts, places, message);
    return code;
}

/* Every rank its part of rank 0's list[] into *order. False in *done where memory is out for one of them. */
static int scatter(const struct topo_alltoallv *call, const struct topo_step_task *list, const int *counts,
                   const int *places, struct topo_step_table *table, bool *done)
{
    int mine = 0, code = topo_deal(counts, &mine, sizeof mine, call->channel);
    if (code != MPI_SUCCESS)
        return code;
    table->tasks = mine / FIELDS;
    table->task = topo_alloc((size_t)table->tasks, sizeof *table->task);
    if ((code = all_agree(call, table->task != NULL, done)) != MPI_SUCCESS || !*done)
        return code;
    return PMPI_Scatterv(list, counts, places, MPI_INT64_T, table->task, mine, MPI_INT64_T, 0, call->channel->user);
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

/* TOPOMPI_VERBOSE, on rank 0: by what the steps were made, once until it is something else. */
static void tell(struct topo_step_table_cache *tables, enum topo_scheduler scheduler,
                 const struct topo_step_tables *parts, const struct topo_matrix *matrix)
{
    struct topo_scheduler_result *last = &tables->of[scheduler].tells;
    const struct topo_scheduler_result *made = &parts->made;
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
    topo_text_addf(&text, "%d steps, %d of them uneven, %.3f of the busiest rank's bytes", parts->figures.steps,
                   parts->figures.uneven,
                   parts->figures.bound ? (double)parts->figures.duration / (double)parts->figures.bound : 1.0);
    if (!text.failed)
        topo_say("%s", text.text);
    topo_text_free(&text);
}

/* The slot of this call's matrix, made if need be; -1 when that is not possible. */
static int find(const struct topo_alltoallv *call, struct topo_step_table_cache *tables, enum topo_scheduler scheduler,
                int *found)
{
    struct slot *slot = tables->of[scheduler].slot;
    struct topo_matrix *matrix;
    struct topo_step_tables parts = {0};
    /* The slot; 1: it is to be filled, -1: nothing is possible; by what scheduler; css's form. */
    int news[4] = {-1, 0, 0, 0}, code = gather(call, &matrix);
    *found = -1;
    if (code != MPI_SUCCESS)
        return code;
    if (call->comm->rank == 0) {
        for (int i = 0; i < KEPT && matrix && news[0] < 0; i++)
            if (slot[i].used && topo_matrix_equal(slot[i].matrix, matrix))
                news[0] = i;
        if (news[0] < 0) {
            news[0] = oldest(tables, scheduler);
            news[1] = matrix && topo_step_tables_make(matrix, call->comm->tree, scheduler, &parts) ? 1 : -1;
            news[2] = (int)parts.made.ran;
            news[3] = (int)parts.made.css.form;
            if (news[1] == 1)
                tell(tables, scheduler, &parts, matrix);
        }
    }
    if ((code = PMPI_Bcast(news, 4, MPI_INT, 0, call->channel->user)) != MPI_SUCCESS)
        goto out;
    if (news[1] == 1) {
        struct slot *fresh = &slot[news[0]];
        bool done;
        slot_clear(fresh);
        code = scatter(call, parts.task, parts.counts, parts.places, &fresh->table, &done);
        if (code == MPI_SUCCESS && done) {
            fresh->row = topo_alloc((size_t)call->comm->ranks, sizeof *fresh->row);
            code = all_agree(call, fresh->row != NULL, &done);
        }
        if (code != MPI_SUCCESS || !done) {
            slot_clear(fresh);
            goto out;
        }
        for (int rank = 0; rank < call->comm->ranks; rank++)
            fresh->row[rank] = weight_of(call, rank);
        fresh->used = true;
        fresh->table.made = parts.made;
        fresh->table.made.ran = (enum topo_scheduler)news[2];
        fresh->table.made.css.form = (enum topo_css_form)news[3];
        fresh->matrix = matrix;
        matrix = NULL;
    }
    if (news[1] >= 0) {
        *found = news[0];
        slot[news[0]].used_at = ++tables->uses;
    }
out:
    topo_matrix_free(matrix);
    topo_step_tables_free(&parts);
    return code;
}

int topo_step_table_get(const struct topo_alltoallv *call, enum topo_scheduler scheduler,
                        const struct topo_step_table **table)
{
    struct topo_step_table_cache *tables = call->estimate->tables;
    bool ready = true, same = false;
    int code = MPI_SUCCESS;
    *table = NULL;
    if (!tables) {
        tables = topo_calloc(1, sizeof *tables);
        code = all_agree(call, tables != NULL, &ready);
        if (code != MPI_SUCCESS || !ready) {
            topo_free(tables);
            return code;
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
        code = all_agree(call, !row_differs(call, &tables->of[scheduler].slot[*current]), &same);
    if (due)
        topo_recheck_backoff_asked(backoff, *current >= 0 && !same);
    if (code == MPI_SUCCESS && due && !same)
        code = find(call, tables, scheduler, current);
    if (*current >= 0)
        *table = &tables->of[scheduler].slot[*current].table;
    return code;
}
