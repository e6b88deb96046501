#include "job/presence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <pmix.h>

#include "catalog/options.h"
#include "topompi.h"

enum { TAG = 32749 }; /* below every MPI's upper bound of tags */

enum answer {
    HAS,   /* this very version */
    OTHER, /* another one */
    LACKS,
    LATER /* not known yet */
};

static pmix_proc_t self;
static bool announced;

/* The key's value: the version, since ranks of two versions need not agree on messages. */
static const char key[] = "topompi";

void topo_presence_announce(void)
{
    pmix_value_t value;
    /* Without a PMIx server (a singleton, another launcher) PMIx_Init would search for one. */
    if (announced || !topo_option_environment("PMIX_NAMESPACE", NULL))
        return;
    if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS)
        return;
    memset(&value, 0, sizeof value);
    value.type = PMIX_STRING;
    value.data.string = (char *)TOPOMPI_VERSION;
    announced = PMIx_Put(PMIX_GLOBAL, key, &value) == PMIX_SUCCESS;
    if (!announced)
        PMIx_Finalize(NULL, 0);
}

/* Looks `name` of `rank` up, `where` PMIx says: PMIX_OPTIONAL, PMIX_IMMEDIATE, or NULL for everywhere. */
static pmix_status_t look_up(pmix_rank_t rank, const char *name, const char *where, pmix_value_t **value)
{
    pmix_proc_t proc;
    pmix_info_t info;
    memset(&proc, 0, sizeof proc);
    memcpy(proc.nspace, self.nspace, sizeof proc.nspace);
    proc.rank = rank;
    memset(&info, 0, sizeof info);
    if (where)
        snprintf(info.key, sizeof info.key, "%s", where);
    info.value.type = PMIX_BOOL;
    info.value.data.flag = true;
    *value = NULL;
    pmix_status_t status = PMIx_Get(&proc, name, where ? &info : NULL, where != NULL, value);
    return status == PMIX_SUCCESS && !*value ? PMIX_ERR_NOT_FOUND : status;
}

/* What did `rank` put, as far as is known `where`? */
static enum answer ask(int rank, const char *where)
{
    pmix_value_t *value;
    pmix_status_t status = look_up((pmix_rank_t)rank, key, where, &value);
    if (status != PMIX_SUCCESS)
        return status == PMIX_ERR_TIMEOUT ? LATER : LACKS;
    bool same = value->type == PMIX_STRING && !strcmp(value->data.string, TOPOMPI_VERSION);
    PMIX_VALUE_RELEASE(value);
    return same ? HAS : OTHER;
}

/* Is `rank` among the numbers of `list`, such as "0,1,4"? */
static bool is_listed(int rank, const char *list)
{
    char *end;
    for (const char *at = list; *at; at = *end ? end + 1 : end) {
        long listed = strtol(at, &end, 10);
        if (end == at)
            return false;
        if (listed == rank)
            return true;
    }
    return false;
}

/* What `rank` has; never LATER. */
static enum answer library_of(int rank)
{
    pmix_value_t *value;
    enum answer answer = ask(rank, PMIX_OPTIONAL);
    if (answer != LACKS)
        return answer;
    bool known = look_up(PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS, NULL, &value) == PMIX_SUCCESS, here = false;
    if (known) {
        here = value->type == PMIX_STRING && is_listed(rank, value->data.string);
        PMIX_VALUE_RELEASE(value);
    }
    /* Where the launcher does not tell who is on this node, the rank may be, and its server would wait for ever. */
    do
        answer = ask(rank, here ? PMIX_IMMEDIATE : NULL);
    while (answer == LATER && known && !here);
    return answer == LATER ? LACKS : answer;
}

/* The child of `rank` that is 2^bit further, or -1. */
static int child_of(int rank, int ranks, int bit)
{
    long child = rank + (1L << bit);
    return (rank == 0 || 1L << bit < (rank & -rank)) && child < ranks ? (int)child : -1;
}

/* Sends the lowest missing rank up this rank's subtree and the verdict down: the lowest rank that is missing, not
 * necessarily of all; `ranks`: none is. */
static int agree(int rank, int ranks)
{
    int lowest = ranks, below, child;
    unsigned with = 0; /* children that have the library */
    bool parent = rank > 0 && library_of(rank & (rank - 1)) == HAS;
    for (int bit = 0; (child = child_of(rank, ranks, bit)) >= 0; bit++) {
        below = child;
        if (library_of(child) == HAS) {
            with |= 1u << bit;
            PMPI_Recv(&below, 1, MPI_INT, child, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        lowest = below < lowest ? below : lowest;
    }
    if (parent) {
        PMPI_Send(&lowest, 1, MPI_INT, rank & (rank - 1), TAG, MPI_COMM_WORLD);
        PMPI_Recv(&lowest, 1, MPI_INT, rank & (rank - 1), TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank > 0) {
        lowest = rank & (rank - 1);
    }
    for (int bit = 0; (child = child_of(rank, ranks, bit)) >= 0; bit++)
        if (with & 1u << bit)
            PMPI_Send(&lowest, 1, MPI_INT, child, TAG, MPI_COMM_WORLD);
    return lowest;
}

enum topo_presence topo_presence_find(int rank, int ranks, int *missing, bool *speaks)
{
    if (!announced)
        return TOPO_PRESENCE_UNKNOWN;
    announced = false;
    PMIx_Finalize(NULL, 0);
    if (!PMIx_Initialized()) /* Open MPI has another PMIx library in it, and our key was never published */
        return TOPO_PRESENCE_UNKNOWN;
    int lowest = agree(rank, ranks), below = 0;
    *speaks = false;
    if (lowest == ranks)
        return TOPO_PRESENCE_EVERYWHERE;
    /* The lowest rank with the library is the root of its subtree: of the others none need look. */
    if (rank == 0 || lowest == (rank & (rank - 1)))
        while (below < rank && library_of(below) == LACKS)
            below++;
    *speaks = below == rank;
    *missing = rank > 0 ? 0 : lowest;
    return TOPO_PRESENCE_PARTIAL;
}
