#include "job/about.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <mpi.h>

#include "base/cache.h"
#include "base/environment.h"
#include "base/text.h"
#include "family/known.h"
#include "job/job.h"
#include "machine/build.h"
#include "machine/caches.h"
#include "renumber/metis.h"
#include "topompi.h"

void topo_about_mpi(struct topo_text *out)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    const struct topo_product *product =
        PMPI_Get_library_version(text, &length) == MPI_SUCCESS ? topo_product_of(text) : NULL;
    const char *name = product ? product->name : "MPI", *version = product ? strstr(text, name) + strlen(name) : "";
    version += strcspn(version, " \t");
    version += strcspn(version, "0123456789");
    topo_text_addf(out, "%s %.*s", name, (int)strcspn(version, ", \t\n"), version);
}

/* The host's name without numbers, which tell nodes of one machine apart. */
static void add_host(struct topo_text *name)
{
    char host[256] = "", kept[256];
    size_t length = 0;
    gethostname(host, sizeof host - 1);
    for (const char *at = host; *at; at++)
        if (!isdigit((unsigned char)*at))
            kept[length++] = *at;
    kept[length] = '\0';
    topo_cache_word(kept, 32, name);
}

bool topo_job_cache_path(const char *kind, struct topo_text *path)
{
    const char *given = topo_job.options.value[TOPO_OPTION_CACHE].text;
    if ((given && !strcasecmp(given, "off")) ||
        !topo_cache_folder(given, topo_environment("XDG_CACHE_HOME"), topo_environment("HOME"), path))
        return false;
    topo_text_addf(path, "/%s-", kind);
    if (topo_machine_is_synthetic(topo_job.options.value[TOPO_OPTION_MACHINE].text))
        topo_text_add(path, "synthetic");
    else
        add_host(path);
    return !path->failed;
}

void topo_about_library(struct topo_text *out)
{
    Dl_info info;
    bool known = dladdr(&topo_job, &info) && info.dli_fname;
    topo_text_addf(out, "TopoMPI %s (%s), ", TOPOMPI_VERSION, known ? info.dli_fname : "?");
    topo_about_mpi(out);
    topo_text_add(out, ", ");
    topo_hwloc_about(false, out);
    topo_text_add(out, ", ");
    topo_metis_about(out);
}

void topo_about_machine(const struct topo_tree *tree, char text[TOPO_ABOUT_MACHINE])
{
    size_t used = 0;
    for (int level = 0; level < tree->levels && used < TOPO_ABOUT_MACHINE; level++)
        used += (size_t)snprintf(text + used, TOPO_ABOUT_MACHINE - used, "%s%d x %s", level ? ", " : "",
                                 tree->units[level], topo_level_name(tree->kind[level]));
}

const char *topo_job_machine(void)
{
    static char text[TOPO_ABOUT_MACHINE];
    if (!topo_job.tree)
        return NULL;
    topo_about_machine(topo_job.tree, text);
    return text;
}

void topo_about_job(struct topo_text *out)
{
    int nodes = topo_job.tree->units[topo_tree_node_level(topo_job.tree)];
    topo_text_addf(out, "%s, %d rank%s on %d node%s: %s", program_invocation_short_name, topo_job.ranks,
                   topo_plural(topo_job.ranks), nodes, topo_plural(nodes), topo_job_machine());
}
