#include "comm/job.h"

#include <string.h>

#include <mpi.h>

#include "base/log.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "comm/discover.h"
#include "comm/presence.h"
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
    int missing, speaker;
    switch (topo_presence_find(topo_job.ranks, &missing, &speaker)) {
    case TOPO_PRESENCE_EVERYWHERE: return true;
    case TOPO_PRESENCE_PARTIAL:
        if (topo_job.rank == speaker)
            topo_say("rank %d runs without TopoMPI %s, so all ranks run natively; preload it everywhere: "
                     "mpirun -x LD_PRELOAD ..., srun --export=ALL,LD_PRELOAD=...",
                     missing, TOPOMPI_VERSION);
        return false;
    default:
        if (topo_job.rank == 0)
            topo_say("the launcher offers no (full) PMIx exchange, so it is unknown whether every rank is preloaded; "
                     "the job runs natively");
        return false;
    }
}

/* Rank 0 reads the environment; all ranks get its options. False with the
 * message in *error (rank 0) when they cannot be used. */
static bool share_options(struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    struct topo_text text = {0};
    int header[2];
    if (topo_job.rank == 0) {
        struct topo_text unknown = {0};
        status = topo_options_load(&topo_job.options, topo_option_environment, NULL, error);
        topo_options_pack(&topo_job.options, &text);
        topo_options_unknown(environ, &unknown);
        if (unknown.length)
            topo_say("unknown variable %s is ignored; 'topo-dump options' lists what is known", unknown.text);
        topo_text_free(&unknown);
        if (text.failed)
            status = topo_fail(error, TOPO_NOMEM, "out of memory for the options");
    }
    header[0] = status;
    header[1] = (int)text.length;
    PMPI_Bcast(header, 2, MPI_INT, 0, MPI_COMM_WORLD);
    char *lines = topo_calloc((size_t)header[1] + 1, 1);
    int have = lines != NULL, all_have;
    PMPI_Allreduce(&have, &all_have, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (all_have) {
        if (topo_job.rank == 0 && text.length)
            memcpy(lines, text.text, text.length);
        PMPI_Bcast(lines, header[1], MPI_BYTE, 0, MPI_COMM_WORLD);
        if (topo_job.rank != 0)
            topo_options_load(&topo_job.options, topo_option_packed, lines, NULL);
    }
    topo_free(lines);
    topo_text_free(&text);
    return all_have && header[0] == TOPO_OK;
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

bool topo_job_wanted(void)
{
    const char *value = topo_option_environment(topo_option_info(TOPO_OPTION_ENABLED)->name, NULL);
    return !value || strcmp(value, "off") != 0;
}

void topo_job_start(bool trusted)
{
    struct topo_error error = {""};
    PMPI_Comm_rank(MPI_COMM_WORLD, &topo_job.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &topo_job.ranks);
    if (topo_job.active || topo_job.ranks < 2 || (!trusted && !present_everywhere()))
        return;
    bool usable = share_options(&error);
    if (usable) {
        usable = topo_discover(MPI_COMM_WORLD, topo_job.options.value[TOPO_OPTION_MACHINE].text, &topo_job.tree,
                               &error) == TOPO_OK;
        if (usable)
            topo_comm_start();
        topo_job.active = usable;
    }
    if (!usable)
        give_up(error.text);
    if (topo_job.active && topo_job.rank == 0 && topo_job.options.value[TOPO_OPTION_VERBOSE].flag)
        tell_options();
}

void topo_job_stop(void)
{
    topo_job.active = false;
    topo_tree_free(topo_job.tree);
    topo_job.tree = NULL;
    topo_options_free(&topo_job.options);
}
