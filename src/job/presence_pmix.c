/* Open MPI: a key in PMIx. */
#include "job/presence_exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "base/environment.h"
#include "job/presence.h"
#include "topompi.h"

static pmix_proc_t self;

/* The key's value: the version, since ranks of two versions need not agree on messages. */
static const char key[] = "topompi";

/* PMIx is Open MPI's to initialize: from 5.0 on ompi_rte_init() takes its own name from PMIx_Init() alone, which it does
 * not call where PMIx runs already, and MPI_Init fails. So the key waits for Open MPI's commit. */
static bool awaits, is_put;

bool topo_presence_publish(void)
{
    /* Without a PMIx server (a singleton, another launcher) there is nobody to ask. */
    awaits = topo_environment("PMIX_NAMESPACE") != NULL;
    return awaits;
}

void topo_presence_commit(void)
{
    pmix_value_t value;
    if (!awaits)
        return;
    awaits = false;
    memset(&value, 0, sizeof value);
    value.type = PMIX_STRING;
    value.data.string = (char *)TOPOMPI_VERSION;
    is_put = PMIx_Put(PMIX_GLOBAL, key, &value) == PMIX_SUCCESS; /* not where Open MPI has another PMIx library in it */
}

bool topo_presence_published(void)
{
    awaits = false;
    if (!is_put || PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS)
        return false;
    PMIx_Finalize(NULL, 0); /* Open MPI's stays: they are counted */
    return true;
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

/* Not known yet; stays in this file. */
enum { TOPO_PRESENCE_LATER = -1 };

/* What did `rank` put, as far as is known `where`? */
static int ask(int rank, const char *where)
{
    pmix_value_t *value;
    pmix_status_t status = look_up((pmix_rank_t)rank, key, where, &value);
    if (status != PMIX_SUCCESS)
        return status == PMIX_ERR_TIMEOUT ? TOPO_PRESENCE_LATER : TOPO_PRESENCE_LACKS;
    bool same = value->type == PMIX_STRING && !strcmp(value->data.string, TOPOMPI_VERSION);
    PMIX_VALUE_RELEASE(value);
    return same ? TOPO_PRESENCE_HAS : TOPO_PRESENCE_OTHER;
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

enum topo_presence_answer topo_presence_of(int rank)
{
    pmix_value_t *value;
    int answer = ask(rank, PMIX_OPTIONAL);
    if (answer != TOPO_PRESENCE_LACKS)
        return answer;
    bool known = look_up(PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS, NULL, &value) == PMIX_SUCCESS, here = false;
    if (known) {
        here = value->type == PMIX_STRING && is_listed(rank, value->data.string);
        PMIX_VALUE_RELEASE(value);
    }
    /* Where the launcher does not tell who is on this node, the rank may be, and its server would wait for ever. */
    do
        answer = ask(rank, here ? PMIX_IMMEDIATE : NULL);
    while (answer == TOPO_PRESENCE_LATER && known && !here);
    return answer == TOPO_PRESENCE_LATER ? TOPO_PRESENCE_LACKS : (enum topo_presence_answer)answer;
}
