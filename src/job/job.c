#include "job/job.h"

#include <mpi.h>

#include "base/environment.h"
#include "base/log.h"
#include "catalog/flag.h"
#include "job/about.h"
#include "job/agree.h"
#include "job/channel.h"
#include "job/configuration.h"
#include "job/discover.h"
#include "job/presence.h"
#include "job/recovery.h"
#include "job/threads.h"
#include "job/verdicts.h"
#include "select/shipped.h"
#include "topompi.h"

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
            topo_say("the launcher offers no exchange that TopoMPI knows (PMIx, PMI), or a session was there before "
                     "MPI_Init, so it is unknown whether every rank is preloaded; the job runs natively");
        return false;
    }
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

static const char *environment(enum topo_option option)
{
    return topo_environment(topo_option_info(option)->name);
}

bool topo_job_wanted(void)
{
    return topo_flag_wanted(environment(TOPO_OPTION_ENABLED), environment(TOPO_OPTION_STATS),
                            environment(TOPO_OPTION_VERBOSE), environment(TOPO_OPTION_TRACE));
}

void topo_job_start(bool trusted, const struct topo_news *news)
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
    topo_threads_start();
    bool ready = topo_configuration_share(&error);
    bool possible;
    const bool recovers = topo_recovery_wanted(&possible);
    if (ready && recovers && !possible)
        ready = topo_fail(&error, TOPO_UNSUPPORTED,
                          "this job is to survive the loss of ranks (ULFM), and its MPI library does not tell of which "
                          "a communicator has lost some") == TOPO_OK;
    struct topo_agreement agreed = topo_agree(ready);
    if (agreed.usable && topo_configuration_off()) {
        topo_channels_stop();
        return;
    }
    struct topo_discovered found;
    bool usable = agreed.usable && topo_channels_start(agreed.units) &&
                  topo_discover(&topo_channel_job, topo_job.options.value[TOPO_OPTION_MACHINE].text, agreed.bound, news,
                                &found, &error) == TOPO_OK;
    if (usable) {
        topo_job.tree = found.tree;
        topo_job.node_ranks = topo_tree_node_ranks(found.tree, topo_job.rank);
        topo_job.sharing = found.sharing;
        topo_job.oversubscribed = found.oversubscribed;
        topo_job.found = topo_job.tuning;
    }
    topo_job.active = usable;
    if (usable && recovers)
        topo_recovery_start();
    if (!usable)
        give_up(*error.text ? error.text : "memory is out on some rank, or MPI makes no type there");
    if (topo_job.active && topo_job.rank == 0 && topo_job.options.value[TOPO_OPTION_VERBOSE].flag) {
        tell_options();
        if (*error.text)
            topo_say("machine: %s", error.text); /* a note: why Slurm's switches are not used */
    }
}

void topo_job_stop(void)
{
    topo_job.active = false;
    topo_recovery_stop();
    topo_channels_stop();
    topo_tree_free(topo_job.tree);
    topo_job.tree = NULL;
    topo_tuning_free(&topo_job.tuning);
    topo_job.found = (struct topo_tuning){0}; /* whose rules were those of `tuning` */
    topo_job.measures = false;
    topo_tuning_free(&topo_job.shipped);
    topo_tuning_free(&topo_job.verdicts);
    topo_job_verdicts_stop();
    topo_shipped_free();
    topo_job.learn_path = NULL;
    topo_options_free(&topo_job.options);
}
