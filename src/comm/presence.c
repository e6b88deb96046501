#include "comm/presence.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pmix.h>

#include "base/options.h"
#include "topompi.h"

static pmix_proc_t self;
static bool announced;

/* The key's value: the version, since ranks of two versions need not agree on messages. */
static const char key[] = "topompi";

/* Open MPI can be told not to exchange all published data in PMPI_Init(). A rank
 * would then know of some ranks only, each of others, and ranks could disagree. */
static bool exchange_is_partial(void)
{
    static const char *const names[2] = {"OMPI_MCA_pmix_base_async_modex", "OMPI_MCA_pmix_base_collect_data"};
    for (int i = 0; i < 2; i++) {
        const char *value = topo_option_environment(names[i], NULL);
        bool on = value && (*value == '1' || *value == 't' || *value == 'y');
        if (value && on == (i == 0))
            return true;
    }
    return false;
}

void topo_presence_announce(void)
{
    pmix_value_t value;
    /* Without a PMIx server (a singleton, another launcher) PMIx_Init would search for one. */
    if (announced || !topo_option_environment("PMIX_NAMESPACE", NULL) || exchange_is_partial())
        return;
    if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS)
        return;
    memset(&value, 0, sizeof value);
    value.type = PMIX_STRING;
    value.data.string = (char *)TOPOMPI_VERSION;
    announced = PMIx_Put(PMIX_GLOBAL, key, &value) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS;
    if (!announced)
        PMIx_Finalize(NULL, 0);
}

/* True when `rank` published this very version. */
static bool has_library(pmix_rank_t rank)
{
    pmix_proc_t proc;
    pmix_value_t *value = NULL;
    pmix_info_t info;
    bool same = false;
    memset(&proc, 0, sizeof proc);
    memcpy(proc.nspace, self.nspace, sizeof proc.nspace);
    proc.rank = rank;
    /* Optional: answer from what PMPI_Init exchanged, never wait for a key that will not come. */
    memset(&info, 0, sizeof info);
    snprintf(info.key, sizeof info.key, "%s", PMIX_OPTIONAL);
    info.value.type = PMIX_BOOL;
    info.value.data.flag = true;
    if (PMIx_Get(&proc, key, &info, 1, &value) == PMIX_SUCCESS && value) {
        same = value->type == PMIX_STRING && !strcmp(value->data.string, TOPOMPI_VERSION);
        PMIX_VALUE_RELEASE(value);
    }
    return same;
}

enum topo_presence topo_presence_find(int ranks, int *missing, int *speaker)
{
    if (!announced)
        return TOPO_PRESENCE_UNKNOWN;
    *missing = *speaker = -1;
    for (int rank = 0; rank < ranks && (*missing < 0 || *speaker < 0); rank++) {
        int *found = has_library((pmix_rank_t)rank) ? speaker : missing;
        if (*found < 0)
            *found = rank;
    }
    PMIx_Finalize(NULL, 0);
    announced = false;
    return *missing < 0 ? TOPO_PRESENCE_EVERYWHERE : TOPO_PRESENCE_PARTIAL;
}
