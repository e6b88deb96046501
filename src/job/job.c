#include "job/job.h"

#include <stdio.h>
#include <string.h>

#include <unistd.h>

#include <mpi.h>

#include "base/log.h"
#include "base/memory.h"
#include "job/discover.h"
#include "job/presence.h"
#include "patterns/grid.h"
#include "schedule/scheduler.h"
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
            topo_say("the launcher offers no PMIx exchange, so it is unknown whether every rank is preloaded; "
                     "the job runs natively");
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

/* The options that are text with a meaning of its own, as far as they can be judged here. */
static enum topo_status check_options(struct topo_error *error)
{
    const struct topo_option_value *value = topo_job.options.value;
    struct topo_grid grid;
    int k;
    enum topo_status status = topo_grid_option(topo_option_info(TOPO_OPTION_CYCLIC_GRID)->name,
                                               value[TOPO_OPTION_CYCLIC_GRID].text, &grid, error);
    if (status == TOPO_OK)
        status = topo_scheduler_option_k(topo_option_info(TOPO_OPTION_ALLTOALLV_GGP_K)->name,
                                         value[TOPO_OPTION_ALLTOALLV_GGP_K].text, &k, error);
    return status;
}

/* Rank 0 reads the environment; all ranks get its options. False with the
 * message in *error (rank 0) when they cannot be used; also on a rank alone whose memory is out. */
static bool share_options(struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    struct topo_text text = {0}, unknown = {0}, renamed = {0};
    if (topo_job.rank == 0) {
        status = topo_options_load(&topo_job.options, topo_option_environment, NULL, error);
        if (status == TOPO_OK)
            status = check_options(error);
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
        if (topo_read_file(name, text, NULL, NULL) == TOPO_NOMEM)
            return topo_fail(error, TOPO_NOMEM, "out of memory for %s", name);
    }
    return TOPO_OK;
}

/* All ranks parse rank 0's tuning file. */
static bool share_tuning(struct topo_error *error)
{
    char name[1024] = "", *text = NULL;
    enum topo_status status = TOPO_OK;
    if (topo_job.rank == 0)
        status = read_tuning(name, sizeof name, &text, error);
    char *copy = share_text(status, text);
    bool usable = copy && topo_tuning_parse(copy, name, &topo_job.tuning, error) == TOPO_OK;
    if (usable && text && topo_job.options.value[TOPO_OPTION_VERBOSE].flag)
        topo_say("tuning file %s: %d rules", name, topo_job.tuning.count);
    topo_free(copy);
    topo_free(text);
    return usable;
}

static void tell_options(void)
{
    for (int i = 0; i < TOPO_OPTION_COUNT; i++)
        topo_say("%s=%s (%s)", topo_option_info(i)->name, topo_job.options.value[i].text,
                 topo_job.options.value[i].from_environment ? "environment of rank 0" : "default");
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

bool topo_job_wanted(void)
{
    const char *value = topo_option_environment(topo_option_info(TOPO_OPTION_ENABLED)->name, NULL);
    return !value || strcmp(value, "off") != 0;
}

/* What is found out by each rank for itself, such as that memory is out, may differ. */
static bool everywhere(bool good)
{
    int here = good, all = 0;
    return PMPI_Allreduce(&here, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD) == MPI_SUCCESS && all;
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
    bool usable = everywhere(share_options(&error)) && everywhere(share_tuning(&error));
    if (usable) {
        usable =
            topo_channels_start() && topo_discover(&topo_channel_job, topo_job.options.value[TOPO_OPTION_MACHINE].text,
                                                   &topo_job.tree, &error) == TOPO_OK;
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
    topo_job.learn_path = NULL;
    topo_options_free(&topo_job.options);
}
