/* PMI-1 of Hydra (MPICH, Intel MPI): a name that it keeps.
 *
 * The MPI library hides its own PMI client, but the pipe to Hydra's proxy is the process's, PMI_FD, with one line for
 * each question and one for its answer (docs/REFERENCES.md, Launchers 1). Nothing of MPI is in the pipe before
 * PMPI_Init(), nor after it until a process is spawned or MPI_Finalize. Keys (cmd=put) would be forgotten: the proxy
 * drops what was put before cmd=init, and after PMPI_Init() only a PMI barrier of all ranks would spread them. Names
 * (cmd=publish_name) are with mpiexec when the answer is there, and it takes each once. A rank publishes its own before
 * its PMPI_Init(). That has a PMI barrier of all ranks of MPI_COMM_WORLD in it, unless a session had it before: then a
 * rank may come late. So whoever misses a name publishes it, as that of nobody, and the late rank learns that it counts
 * as one without the library. */
#include "family/presence_exchange.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/text.h"
#include "topompi.h"

enum { LINE = 1024, SPACE = 256 };

static const char nobody[] = "-"; /* in the place of a version */
static long pipe_fd, own_rank;
static char space[SPACE]; /* of names of this job alone; spawned jobs have others */
static bool uses, is_published;

static bool publish_name(long rank, const char *version)
{
    char question[LINE];
    snprintf(question, sizeof question, "cmd=publish_name service=topompi-%s-%ld port=%s", space, rank, version);
    return topo_presence_done((int)pipe_fd, question);
}

static bool look_up(int rank, char *version, size_t size)
{
    char question[LINE];
    snprintf(question, sizeof question, "cmd=lookup_name service=topompi-%s-%d", space, rank);
    return topo_presence_ask((int)pipe_fd, question, " port=", version, size);
}

static void publish(void)
{
    const char *fd = topo_environment("PMI_FD"), *rank = topo_environment("PMI_RANK");
    /* Slurm has a PMI_FD of another protocol; the number of a process on its node is in this variable by Hydra alone.
     */
    if (!fd || !rank || !topo_environment("MPI_LOCALRANKID") || !topo_parse_long(rank, 0, INT_MAX, &own_rank) ||
        !topo_parse_long(fd, 0, 1 << 20, &pipe_fd))
        return;
    uses = true;
    is_published = topo_presence_ask((int)pipe_fd, "cmd=get_my_kvsname", " kvsname=", space, sizeof space) &&
                   publish_name(own_rank, TOPOMPI_VERSION);
}

static enum topo_presence_state published(void)
{
    return is_published ? TOPO_PRESENCE_PUBLISHED : uses ? TOPO_PRESENCE_FAILED : TOPO_PRESENCE_UNUSED;
}

static enum topo_presence_answer of(int rank)
{
    char version[64];
    /* Where the second look is needed, the rank or another one that missed it came between. */
    if (!look_up(rank, version, sizeof version) &&
        (publish_name(rank, nobody) || !look_up(rank, version, sizeof version)))
        return TOPO_PRESENCE_LACKS;
    return strcmp(version, nobody) ? topo_presence_answer_of(version) : TOPO_PRESENCE_LACKS;
}

const struct topo_presence_exchange topo_presence_pmi = {publish, published, of};
