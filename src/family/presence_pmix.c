/* PMIx: a key. */
#include "family/presence_exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "family/family.h"
#include "family/presence_pmix.h"
#include "topompi.h"

static struct pmix_process self;

/* The key's value: the version, since ranks of two versions need not agree on messages. */
static const char key[] = "topompi";

/* PMIx is the MPI library's to initialize: Open MPI takes from 5.0 on its own name from PMIx_Init() alone, which it
 * does not call where PMIx runs already, and MPI_Init fails. So the key waits for the MPI library's commit, which also
 * shows that it uses PMIx, and which: Open MPI 4 may have one inside. */
static bool awaits, committed, is_put;

static struct {
    pmix_init_function *init;
    pmix_finalize_function *finalize;
    pmix_put_function *put;
    pmix_get_function *get;
} pmix;

static void publish(void)
{
    /* Without a PMIx server (a singleton, another launcher) there is nobody to ask. */
    awaits = topo_environment("PMIX_NAMESPACE") != NULL;
}

/* The functions of the library that has this PMIx_Commit(); it stays loaded while MPI runs. */
static bool find_functions(void (*commit)(void))
{
    pmix.init = (pmix_init_function *)topo_family_beside(commit, "PMIx_Init");
    pmix.finalize = (pmix_finalize_function *)topo_family_beside(commit, "PMIx_Finalize");
    pmix.put = (pmix_put_function *)topo_family_beside(commit, "PMIx_Put");
    pmix.get = (pmix_get_function *)topo_family_beside(commit, "PMIx_Get");
    return pmix.init && pmix.finalize && pmix.put && pmix.get;
}

void topo_presence_commit(void (*commit)(void))
{
    struct pmix_datum value = {.type = PMIX_TYPE_STRING, .data.string = (char *)TOPOMPI_VERSION};
    if (!awaits)
        return;
    awaits = false;
    committed = true;
    is_put = find_functions(commit) && pmix.put(PMIX_SCOPE_GLOBAL, key, &value) == PMIX_SUCCEEDED;
}

static enum topo_presence_state published(void)
{
    awaits = false;
    if (!committed)
        return TOPO_PRESENCE_UNUSED;
    if (!is_put || pmix.init(&self, NULL, 0) != PMIX_SUCCEEDED)
        return TOPO_PRESENCE_FAILED;
    pmix.finalize(NULL, 0); /* MPI's stays: they are counted */
    return TOPO_PRESENCE_PUBLISHED;
}

/* Looks `name` of `rank` up, `where` PMIx says: pmix.optional, pmix.immediate, or NULL for everywhere. Its value, where
 * it is a text, in *text, to be freed. */
static int look_up(uint32_t rank, const char *name, const char *where, char **text)
{
    struct pmix_process process = {.rank = rank};
    struct pmix_directive directive = {.value = {.type = PMIX_TYPE_BOOL, .data.flag = true}};
    struct pmix_datum *value = NULL;
    memcpy(process.nspace, self.nspace, sizeof process.nspace);
    if (where)
        snprintf(directive.key, sizeof directive.key, "%s", where);
    *text = NULL;
    int status = pmix.get(&process, name, where ? &directive : NULL, where != NULL, &value);
    if (status == PMIX_SUCCEEDED && !value)
        return PMIX_FOUND_NOTHING;
    if (value && value->type == PMIX_TYPE_STRING)
        *text = value->data.string;
    free(value);
    return status;
}

/* Not known yet; stays in this file. */
enum { TOPO_PRESENCE_LATER = -1 };

/* What did `rank` put, as far as is known `where`? */
static int ask(int rank, const char *where)
{
    char *version;
    int status = look_up((uint32_t)rank, key, where, &version);
    if (status != PMIX_SUCCEEDED)
        return status == PMIX_TIMED_OUT ? TOPO_PRESENCE_LATER : TOPO_PRESENCE_LACKS;
    enum topo_presence_answer answer = topo_presence_answer_of(version ? version : "");
    free(version);
    return answer;
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

static enum topo_presence_answer of(int rank)
{
    char *peers;
    int answer = ask(rank, "pmix.optional");
    if (answer != TOPO_PRESENCE_LACKS)
        return answer;
    bool known = look_up(PMIX_ALL_RANKS, "pmix.lpeers", NULL, &peers) == PMIX_SUCCEEDED;
    bool here = peers && is_listed(rank, peers);
    free(peers);
    /* Where the launcher does not tell who is on this node, the rank may be, and its server would wait for ever. */
    do
        answer = ask(rank, here ? "pmix.immediate" : NULL);
    while (answer == TOPO_PRESENCE_LATER && known && !here);
    return answer == TOPO_PRESENCE_LATER ? TOPO_PRESENCE_LACKS : (enum topo_presence_answer)answer;
}

const struct topo_presence_exchange topo_presence_pmix = {publish, published, of};
