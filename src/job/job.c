#include "job/job.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <unistd.h>

#include <mpi.h>

#include "base/log.h"
#include "base/memory.h"
#include "catalog/flag.h"
#include "job/about.h"
#include "job/discover.h"
#include "job/presence.h"
#include "patterns/grid.h"
#include "schedule/scheduler.h"
#include "select/shipped.h"
#include "topompi.h"

extern char **environ;

struct topo_job topo_job;

/* Rank 0's word on a failure: the job goes on natively, or ends when strict. */
static void give_up(const char *message)
{
    bool strict = topo_job.options.value[TOPO_OPTION_STRICT].flag;
    if (topo_job.rank == 0 && message && *message)
        topo_say("%s; %s", message, strict ? "TOPOMPI_STRICT=1 ends the job" : "the job runs natively");
    if (!strict)
        return;
    if (topo_job.rank == 0)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    PMPI_Barrier(MPI_COMM_WORLD); /* wait for rank 0's abort */
}

/* Says why the library stays passive when not every rank has it. */
static bool present_everywhere(void)
{
    int missing;
    bool speaks;
    switch (topo_presence_find(topo_job.rank, topo_job.ranks, &missing, &speaks)) {
    case TOPO_PRESENCE_EVERYWHERE: return true;
    case TOPO_PRESENCE_PARTIAL:
        if (speaks)
            topo_say("rank %d runs without TopoMPI %s, so all ranks run natively; preload it everywhere: "
                     "mpirun -x LD_PRELOAD ..., srun --export=ALL,LD_PRELOAD=...",
                     missing, TOPOMPI_VERSION);
        return false;
    default:
        if (topo_job.rank == 0)
            topo_say("the launcher offers no " TOPO_LAUNCHER_EXCHANGE ", so it is unknown whether every rank is "
                     "preloaded; the job runs natively");
        return false;
    }
}

/* Rank 0's text and status to all ranks: a copy for each (free with topo_free()),
 * or NULL on all when the status is a failure or memory is out on any. */
static char *share_text(enum topo_status status, const char *text)
{
    int header[2] = {status, text ? (int)strlen(text) : 0}, have, all_have;
    char *copy = NULL;
    PMPI_Bcast(header, 2, MPI_INT, 0, MPI_COMM_WORLD);
    if (header[0] == TOPO_OK)
        copy = topo_calloc((size_t)header[1] + 1, 1);
    have = copy != NULL;
    PMPI_Allreduce(&have, &all_have, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!all_have) {
        topo_free(copy);
        return NULL;
    }
    if (topo_job.rank == 0 && text)
        memcpy(copy, text, (size_t)header[1]);
    PMPI_Bcast(copy, header[1], MPI_BYTE, 0, MPI_COMM_WORLD);
    return copy;
}

/* One that is not what it may be counts as not set; `status` and `why` are what its reader gave. */
static enum topo_status judge(enum topo_option option, enum topo_status status, const struct topo_error *why,
                              struct topo_error *error)
{
    if (status == TOPO_OK)
        return status;
    if (status == TOPO_PARSE && topo_option_refuse(&topo_job.options, option, why->text) != TOPO_OK)
        status = TOPO_NOMEM;
    return topo_fail(error, status, "%s", why->text);
}

/* What is found out by each rank for itself, such as that memory is out, may differ. */
static bool everywhere(bool good)
{
    int here = good, all = 0;
    return PMPI_Allreduce(&here, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD) == MPI_SUCCESS && all;
}

/* The options that are text with a meaning of its own, as far as they can be judged here. */
static enum topo_status check_options(struct topo_error *error)
{
    const struct topo_option_value *value = topo_job.options.value;
    const enum topo_option dims = TOPO_OPTION_CYCLIC_GRID, factor = TOPO_OPTION_ALLTOALLV_GGP_K;
    struct topo_grid grid;
    struct topo_error why = {""};
    int k;
    enum topo_status first =
        judge(dims, topo_grid_option(topo_option_info(dims)->name, value[dims].text, &grid, &why), &why, error);
    enum topo_status second =
        judge(factor, topo_scheduler_option_k(topo_option_info(factor)->name, value[factor].text, &k, &why), &why,
              first == TOPO_OK ? error : NULL);
    return first == TOPO_OK || second == TOPO_NOMEM ? second : first;
}

/* Rank 0: what is wrong with the options, a line each. Nothing where that ends the job with a line of its own. */
static void tell_complaints(void)
{
    for (int i = 0; i < TOPO_OPTION_COUNT && !topo_job.options.value[TOPO_OPTION_STRICT].flag; i++) {
        struct topo_text consequence = {0};
        if (!topo_job.options.value[i].complaint)
            continue;
        topo_option_consequence((enum topo_option)i, &consequence);
        topo_say("%s; %s", topo_job.options.value[i].complaint, consequence.text ? consequence.text : "out of memory");
        topo_text_free(&consequence);
    }
}

/* Rank 0 reads the environment; all ranks get its options. False with the
 * message in *error (rank 0) when they cannot be used; also on a rank alone whose memory is out. */
static bool share_options(struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    struct topo_text text = {0}, unknown = {0}, renamed = {0};
    if (topo_job.rank == 0) {
        status = topo_options_load(&topo_job.options, topo_option_environment, NULL, error);
        if (status == TOPO_OK || status == TOPO_PARSE) {
            enum topo_status checked = check_options(status == TOPO_OK ? error : NULL);
            status = status == TOPO_OK || checked == TOPO_NOMEM ? checked : status;
        }
        /* What is concerned goes natively, the rest as it is to. */
        tell_complaints();
        if (status == TOPO_PARSE && !topo_job.options.value[TOPO_OPTION_STRICT].flag) {
            status = TOPO_OK;
            error->text[0] = '\0';
        }
        topo_options_pack(&topo_job.options, &text);
        topo_options_unknown(environ, &unknown);
        if (unknown.length)
            topo_say("unknown variable %s is ignored; 'topo-dump options' lists what is known", unknown.text);
        topo_options_renamed(topo_option_environment, NULL, &renamed);
        if (renamed.length)
            topo_say("%s", renamed.text);
        if (text.failed)
            status = topo_fail(error, TOPO_NOMEM, "out of memory for the options");
    }
    /* The strict flag must reach all ranks even when another option is wrong. */
    int strict = topo_job.options.value[TOPO_OPTION_STRICT].flag;
    PMPI_Bcast(&strict, 1, MPI_INT, 0, MPI_COMM_WORLD);
    char *lines = share_text(status, text.text);
    struct topo_option_lines packed = {.lines = lines};
    bool usable = lines != NULL;
    if (usable && topo_job.rank != 0)
        usable = topo_options_load(&topo_job.options, topo_option_packed, &packed, error) == TOPO_OK && !packed.failed;
    topo_text_free(&packed.value);
    topo_job.options.value[TOPO_OPTION_STRICT].flag = strict;
    const char *tuning = topo_job.options.value[TOPO_OPTION_TUNING].text;
    topo_job.learn_path = tuning && !strncmp(tuning, "learn:", 6) ? tuning + 6 : NULL;
    topo_free(lines);
    topo_text_free(&text);
    topo_text_free(&unknown);
    topo_text_free(&renamed);
    return usable;
}

/* Rank 0: the first tuning file there is, its text in *text (NULL: none) and its
 * name in `name`. A file that the user names must be there. */
static enum topo_status read_tuning(char *name, size_t name_size, char **text, struct topo_error *error)
{
    const char *given = topo_job.options.value[TOPO_OPTION_TUNING].text;
    const char *home = topo_option_environment("HOME", NULL);
    const char *config = topo_option_environment("XDG_CONFIG_HOME", NULL);
    *text = NULL;
    if (topo_job.learn_path) {
        snprintf(name, name_size, "%s", topo_job.learn_path);
        if (access(name, F_OK) != 0)
            return TOPO_OK; /* nothing learnt yet */
        return topo_read_file(name, text, NULL, error);
    }
    if (*given) {
        snprintf(name, name_size, "%s", given);
        return topo_read_file(name, text, NULL, error);
    }
    for (int i = 0; i < 2 && !*text; i++) {
        if (i == 1)
            snprintf(name, name_size, "%s/topompi/tuning.conf", TOPO_SYSCONFDIR);
        else if (config && *config)
            snprintf(name, name_size, "%s/topompi/tuning.conf", config);
        else
            snprintf(name, name_size, "%s/.config/topompi/tuning.conf", home ? home : "");
        struct topo_error why;
        enum topo_status status = topo_read_file(name, text, NULL, &why);
        if (status != TOPO_OK && status != TOPO_IO)
            return topo_fail(error, status, "%s", why.text);
    }
    return TOPO_OK;
}

/* Rank 0: the rules that were installed with this library, where they still lie beside it (select/shipped.h). */
static enum topo_status read_shipped(char *name, size_t name_size, char **text, struct topo_error *error)
{
    Dl_info here;
    *text = NULL;
    *name = '\0';
    if (dladdr(&topo_job, &here) && here.dli_fname)
        topo_shipped_path(here.dli_fname, TOPO_LIBDIR, name, name_size);
    if (!*name || access(name, F_OK) != 0)
        return TOPO_OK;
    return topo_read_file(name, text, NULL, error);
}

/* One of rank 0's files, read by all; *found (may be NULL) tells that there was one. */
static bool share_file(enum topo_status status, const char *name, char *text, struct topo_tuning *tuning, bool *found,
                       struct topo_error *error)
{
    int there = text != NULL;
    char *copy = share_text(status, text);
    bool usable = copy && topo_tuning_parse_over(copy, name, tuning, error) == TOPO_OK;
    PMPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (found)
        *found = there;
    if (usable && text && topo_job.options.value[TOPO_OPTION_VERBOSE].flag)
        topo_say("tuning file %s: %d rules", name, tuning->count);
    topo_free(copy);
    topo_free(text);
    return usable;
}

/* All ranks read rank 0's tuning file, over what the library ships with. */
static bool share_tuning(struct topo_error *error)
{
    char name[1024] = "", *text = NULL;
    enum topo_status status = TOPO_OK;
    bool found;
    topo_params_default(&topo_job.shipped.params);
    if (topo_job.rank == 0)
        status = read_shipped(name, sizeof name, &text, error);
    if (!everywhere(share_file(status, name, text, &topo_job.shipped, &found, error)) ||
        (!found && !everywhere(topo_shipped() != NULL)))
        return false;
    topo_job.tuning.params = topo_job.shipped.params;
    topo_job.tuning.shipped = found ? &topo_job.shipped : NULL;
    if (topo_job.rank == 0)
        status = read_tuning(name, sizeof name, &text, error);
    else
        text = NULL;
    return share_file(status, name, text, &topo_job.tuning, NULL, error);
}

/* Defaults are in the manual. */
static void tell_options(void)
{
    struct topo_text library = {0};
    topo_about_library(&library);
    topo_say("%s", library.text ? library.text : "out of memory");
    topo_text_free(&library);
    for (int i = 0; i < TOPO_OPTION_COUNT; i++)
        if (topo_job.options.value[i].from_environment)
            topo_say("%s=%s (environment of rank 0)", topo_option_info(i)->name, topo_job.options.value[i].text);
    for (int level = 0; level < topo_job.tree->levels; level++)
        topo_say("machine level %d: %d x %s", level, topo_job.tree->units[level],
                 topo_level_name(topo_job.tree->kind[level]));
}

static void count_node_ranks(void)
{
    const struct topo_tree *tree = topo_job.tree;
    const int *node = tree->unit + (size_t)topo_tree_node_level(tree) * (size_t)tree->ranks;
    topo_job.node_ranks = 0;
    for (int rank = 0; rank < tree->ranks; rank++)
        topo_job.node_ranks += node[rank] == node[topo_job.rank];
}

static const char *environment(enum topo_option option)
{
    return topo_option_environment(topo_option_info(option)->name, NULL);
}

bool topo_job_wanted(void)
{
    return topo_flag_wanted(environment(TOPO_OPTION_ENABLED), environment(TOPO_OPTION_STATS),
                            environment(TOPO_OPTION_VERBOSE), environment(TOPO_OPTION_TRACE));
}

/* Does TOPOMPI=off leave nothing to be done? Else all calls are native and somebody wants to hear of them. */
static bool switched_off(void)
{
    const struct topo_option_value *value = topo_job.options.value;
    if (!value[TOPO_OPTION_ENABLED].flag)
        topo_options_off(&topo_job.options);
    return !value[TOPO_OPTION_ENABLED].flag && !value[TOPO_OPTION_STATS].flag && !value[TOPO_OPTION_VERBOSE].flag &&
           !*value[TOPO_OPTION_TRACE].text;
}

void topo_job_start(bool trusted)
{
    struct topo_error error = {""};
    PMPI_Comm_rank(MPI_COMM_WORLD, &topo_job.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &topo_job.ranks);
    if (topo_job.active)
        return;
    if (topo_job.ranks < 2) {
        int missing;
        bool speaks;
        if (!trusted)
            topo_presence_find(topo_job.rank, topo_job.ranks, &missing, &speaks); /* ends what the announcement began */
        return;
    }
    if (!trusted && !present_everywhere())
        return;
    bool usable = everywhere(share_options(&error));
    if (usable && switched_off())
        return;
    usable = usable && everywhere(share_tuning(&error));
    if (usable) {
        usable =
            topo_channels_start() && topo_discover(&topo_channel_job, topo_job.options.value[TOPO_OPTION_MACHINE].text,
                                                   &topo_job.tree, &topo_job.oversubscribed, &error) == TOPO_OK;
        if (usable)
            count_node_ranks();
        topo_job.active = usable;
    }
    if (!usable)
        give_up(*error.text ? error.text : "memory is out on some rank");
    if (topo_job.active && topo_job.rank == 0 && topo_job.options.value[TOPO_OPTION_VERBOSE].flag) {
        tell_options();
        if (*error.text)
            topo_say("machine: %s", error.text); /* a note: why Slurm's switches are not used */
    }
}

void topo_job_stop(void)
{
    topo_job.active = false;
    topo_channels_stop();
    topo_tree_free(topo_job.tree);
    topo_job.tree = NULL;
    topo_tuning_free(&topo_job.tuning);
    topo_job.found = (struct topo_tuning){0}; /* whose rules were those of `tuning` */
    topo_job.measures = topo_job.kept = false;
    topo_tuning_free(&topo_job.shipped);
    topo_shipped_free();
    topo_job.learn_path = NULL;
    topo_options_free(&topo_job.options);
}
