#include "job/about.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include <mpi.h>

#include "job/job.h"
#include "topompi.h"

/* The MPI library in its own words, as far as they name it: up to the first comma or end of line. */
static void add_mpi(struct topo_text *out)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS)
        return;
    version[strcspn(version, ",\n")] = '\0';
    for (char *at = version; (at = strchr(at, '\t'));)
        *at = ' ';
    topo_text_addf(out, ", %s", version);
}

void topo_about_library(struct topo_text *out)
{
    Dl_info info;
    bool known = dladdr(&topo_job, &info) && info.dli_fname;
    topo_text_addf(out, "TopoMPI %s (%s)", TOPOMPI_VERSION, known ? info.dli_fname : "?");
    add_mpi(out);
}

void topo_about_job(struct topo_text *out)
{
    const struct topo_tree *tree = topo_job.tree;
    topo_text_addf(out, "%s, %d ranks on %d nodes:", program_invocation_short_name, topo_job.ranks,
                   tree->units[topo_tree_node_level(tree)]);
    for (int level = 0; level < tree->levels; level++)
        topo_text_addf(out, "%s %d x %s", level ? "," : "", tree->units[level], topo_level_name(tree->kind[level]));
}
