#include "topo-dump/job.h"

#include <stddef.h>
#include <string.h>

#include <mpi.h>

#include "base/environment.h"
#include "base/memory.h"
#include "catalog/options.h"
#include "job/about.h"
#include "job/agree.h"
#include "job/channel.h"
#include "job/discover.h"
#include "common/cli.h"
#include "topo-dump/commands.h"

void (*const dump_job_about)(struct topo_text *out) = topo_about_mpi;

void dump_job_begin(struct dump_job *job)
{
    /* Set for each process by mpirun of Open MPI, by PMIx servers (srun --mpi=pmix, prun) and by PMI ones. */
    static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "PMI_RANK"};
    *job = (struct dump_job){.ranks = 1, .speaks = true};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        job->launched = job->launched || topo_environment(marks[i]);
    if (!job->launched)
        return;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job->ranks);
    job->speaks = job->rank == 0;
}

void dump_job_share(const struct dump_job *job, int *status, bool *flag)
{
    int word[2] = {*status, *flag};
    if (!job->launched)
        return;
    MPI_Bcast(word, 2, MPI_INT, 0, MPI_COMM_WORLD);
    *status = word[0];
    *flag = word[1];
}

/* Rank 0's TOPOMPI_MACHINE on all ranks; NULL when it cannot be had. Free with topo_free(). */
static char *machine_option(const struct dump_job *job, int *status)
{
    TOPO_SCOPED_BY(topo_options_free) struct topo_options options = {0};
    struct topo_error error = {""};
    int length = 0;
    bool unused = false;
    const char *text = NULL;
    char *copy = NULL;
    if (job->rank == 0) {
        enum topo_status loaded = topo_options_load(&options, topo_option_environment, NULL, &error);
        if (loaded != TOPO_OK)
            *status = cli_fail(DUMP_TOOL, loaded == TOPO_PARSE ? CLI_USAGE : CLI_FAILED, "%s", error.text);
        text = options.value[TOPO_OPTION_MACHINE].text;
        length = text ? (int)strlen(text) : 0;
    }
    dump_job_share(job, status, &unused);
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    copy = topo_calloc((size_t)length + 1, 1);
    int have = copy != NULL, all = 0;
    MPI_Allreduce(&have, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (all) {
        if (text)
            memcpy(copy, text, (size_t)length);
        MPI_Bcast(copy, length, MPI_CHAR, 0, MPI_COMM_WORLD);
    } else {
        topo_free(copy);
        copy = NULL;
        *status = CLI_FAILED;
    }
    return copy;
}

int dump_job_tree(const struct dump_job *job, struct topo_tree **tree)
{
    struct topo_error error = {"out of memory"};
    int status = CLI_OK;
    TOPO_SCOPED char *machine = machine_option(job, &status);
    if (status == CLI_OK) {
        enum topo_status discovered = TOPO_MPI;
        struct topo_discovered found = {0};
        struct topo_agreement agreed = topo_agree(true);
        if (topo_channels_start(agreed.units))
            discovered = topo_discover(&topo_channel_job, machine, agreed.bound, NULL, &found, &error);
        topo_channels_stop();
        *tree = found.tree;
        if (discovered != TOPO_OK)
            status = discovered == TOPO_NOMEM ? CLI_FAILED : CLI_USAGE;
        if (discovered != TOPO_OK && job->rank == 0)
            cli_fail(DUMP_TOOL, status, "%s", error.text);
    }
    return status;
}

int dump_job_end(const struct dump_job *job, int status)
{
    bool unused = false;
    if (!job->launched)
        return status;
    dump_job_share(job, &status, &unused);
    MPI_Finalize();
    return status;
}
