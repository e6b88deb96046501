#include "select/shipped.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static struct topo_tuning *read_shipped(void)
{
    struct topo_tuning *made = topo_calloc(1, sizeof *made);
    if (made && topo_tuning_parse(topo_rules_text, "the shipped rules", made, NULL) != TOPO_OK) {
        topo_tuning_free(made);
        topo_free(made);
        made = NULL;
    }
    if (made)
        made->measured = false;
    return made;
}

static struct topo_tuning *_Atomic known;
static atomic_bool lost;

const struct topo_tuning *topo_shipped(void)
{
    struct topo_tuning *here = atomic_load(&known), *none = NULL;
    if (here || atomic_load(&lost))
        return here;
    here = read_shipped();
    if (!here) {
        atomic_store(&lost, true);
    } else if (!atomic_compare_exchange_strong(&known, &none, here)) {
        topo_tuning_free(here); /* another thread was first */
        topo_free(here);
        here = none;
    }
    return here;
}

void topo_shipped_free(void)
{
    TOPO_SCOPED struct topo_tuning *here = atomic_exchange(&known, NULL);
    if (here)
        topo_tuning_free(here);
}

void topo_shipped_path(const char *module, const char *installed, char *path, size_t size)
{
    static const char data[] = TOPO_PKGDATADIR;
    const char *slash = strrchr(module, '/');
    size_t folder = slash ? (size_t)(slash - module) : 0, common = 0;
    *path = '\0';
    /* What the two installed folders begin with alike, whole names: the prefix, in most installations. */
    for (size_t i = 0; data[i] && data[i] == installed[i]; i++)
        if (data[i] == '/')
            common = i;
    size_t tail = strlen(installed + common);
    if (!slash || tail == 0 || folder < tail || strncmp(module + folder - tail, installed + common, tail) != 0)
        return;
    if ((size_t)snprintf(path, size, "%.*s%s/tuning.conf", (int)(folder - tail), module, data + common) >= size)
        *path = '\0';
}
