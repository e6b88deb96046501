/* For a topo-dump without MPI, which reads machines everywhere but takes part in no job. */
#include "topo-dump/job.h"

#include <stddef.h>
#include <string.h>

#include "base/environment.h"
#include "common/cli.h"
#include "topo-dump/commands.h"

void (*const dump_job_about)(struct topo_text *out) = NULL;

void dump_job_begin(struct dump_job *job)
{
    static const char *const marks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *rank = NULL;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !rank; i++)
        rank = topo_environment(marks[i]);
    *job = (struct dump_job){.launched = rank, .ranks = 1, .speaks = !rank || !strcmp(rank, "0")};
}

void dump_job_share(const struct dump_job *job, int *status, bool *flag)
{
    (void)job, (void)status, (void)flag;
}

int dump_job_tree(const struct dump_job *job, struct topo_tree **tree)
{
    (void)job, (void)tree;
    return cli_fail(DUMP_TOOL, CLI_USAGE,
                    "this topo-dump is built without MPI and cannot see a job: run it without a launcher, or with "
                    "--synthetic or --machine");
}

int dump_job_end(const struct dump_job *job, int status)
{
    (void)job;
    return status;
}
