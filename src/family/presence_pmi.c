/* PMI-1 of Hydra (MPICH, Intel MPI): a name that it keeps.
 *
 * The MPI library hides its own PMI client, but the pipe to Hydra's proxy is the process's, PMI_FD, with one line for
 * each question and one for its answer (docs/REFERENCES.md, Launchers 1). Nothing of MPI is in the pipe before
 * PMPI_Init(), nor after it until a process is spawned or MPI_Finalize. Keys (cmd=put) would be forgotten: the proxy
 * drops what was put before cmd=init, and after PMPI_Init() only a PMI barrier of all ranks would spread them. Names
 * (cmd=publish_name) are with mpiexec when the answer is there. A rank publishes its own before its PMPI_Init(), and
 * that has a PMI barrier of all ranks of MPI_COMM_WORLD in it: whose name is not there after it has no library. */
#include "family/presence_exchange.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/text.h"
#include "topompi.h"

enum { LINE = 1024, SPACE = 256 };

static long pipe_fd;
static char space[SPACE]; /* of names of this job alone; spawned jobs have others */

/* Sends a line; the answer, of one line, in `answer`. */
static bool ask(const char *question, char answer[LINE])
{
    size_t length = strlen(question), used = 0;
    for (size_t sent = 0; sent < length;) {
        ssize_t more = write((int)pipe_fd, question + sent, length - sent);
        if (more < 0 && errno != EINTR)
            return false;
        sent += more > 0 ? (size_t)more : 0;
    }
    /* One by one: what is behind the line's end is for MPI. */
    while (used < LINE - 1) {
        ssize_t more = read((int)pipe_fd, answer + used, 1);
        if (more == 0 || (more < 0 && errno != EINTR))
            return false;
        if (more > 0 && answer[used++] == '\n') {
            answer[used - 1] = '\0';
            return true;
        }
    }
    return false;
}

bool topo_presence_word(const char *answer, const char *name, char *word, size_t size)
{
    const char *at = strstr(answer, name);
    size_t length = at ? strcspn(at + strlen(name), " ") : 0;
    if (length == 0 || length >= size)
        return false;
    snprintf(word, size, "%.*s", (int)length, at + strlen(name));
    return true;
}

static bool uses, is_published;

static void publish(void)
{
    const char *fd = topo_environment("PMI_FD"), *rank = topo_environment("PMI_RANK");
    char line[LINE], answer[LINE], code[16];
    /* Slurm has a PMI_FD of another protocol; the number of a process on its node is in this variable by Hydra alone.
     */
    if (!fd || !rank || !topo_environment("MPI_LOCALRANKID") || !topo_parse_long(fd, 0, 1 << 20, &pipe_fd))
        return;
    uses = true;
    if (!ask("cmd=get_my_kvsname\n", answer) || !topo_presence_word(answer, " kvsname=", space, sizeof space))
        return;
    snprintf(line, sizeof line, "cmd=publish_name service=topompi-%s-%.20s port=%s\n", space, rank, TOPOMPI_VERSION);
    is_published = ask(line, answer) && topo_presence_word(answer, " rc=", code, sizeof code) && !strcmp(code, "0");
}

static enum topo_presence_state published(void)
{
    return is_published ? TOPO_PRESENCE_PUBLISHED : uses ? TOPO_PRESENCE_FAILED : TOPO_PRESENCE_UNUSED;
}

static enum topo_presence_answer of(int rank)
{
    char line[LINE], answer[LINE], version[64];
    snprintf(line, sizeof line, "cmd=lookup_name service=topompi-%s-%d\n", space, rank);
    if (!ask(line, answer) || !topo_presence_word(answer, " port=", version, sizeof version))
        return TOPO_PRESENCE_LACKS;
    return topo_presence_answer_of(version);
}

const struct topo_presence_exchange topo_presence_pmi = {publish, published, of};
