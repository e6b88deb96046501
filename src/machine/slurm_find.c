#include "machine/slurm.h"

#include <string.h>

#include "base/memory.h"
#include "machine/slurm_places.h"

void topo_slurm_free(struct topo_slurm *slurm)
{
    for (struct topo_slurm *next; slurm; slurm = next) {
        next = slurm->next;
        topo_names_free(&slurm->switches.names);
        topo_names_free(&slurm->nodes.names);
        topo_names_free(&slurm->short_names);
        topo_text_free(&slurm->sizes);
        topo_free_all(slurm->switches.place, slurm->nodes.place, slurm->short_node, slurm);
    }
}

const struct topo_slurm *topo_slurm_next(const struct topo_slurm *slurm)
{
    return slurm->next;
}

int topo_slurm_depth(const struct topo_slurm *slurm)
{
    return slurm->depth;
}

int topo_slurm_nodes(const struct topo_slurm *slurm)
{
    return slurm->nodes.names.count;
}

const char *topo_slurm_node_name(const struct topo_slurm *slurm, int node)
{
    return topo_names_get(&slurm->nodes.names, node);
}

int topo_slurm_find(const struct topo_slurm *slurm, const char *host)
{
    size_t length = strlen(host);
    int node = topo_names_find(&slurm->nodes.names, host, length), alias;
    if (node >= 0)
        return node;
    alias = topo_names_find(&slurm->short_names, host, length);
    if (alias >= 0)
        return slurm->short_node[alias];
    /* The host's name without its domains, the longest that is known. */
    while (length > 0) {
        length--;
        if (host[length] != '.')
            continue;
        node = topo_names_find(&slurm->nodes.names, host, length);
        if (node >= 0)
            return node;
    }
    return TOPO_SLURM_MISSING;
}

void topo_slurm_switches(const struct topo_slurm *slurm, int node, int *ids)
{
    int number = slurm->nodes.place[node].parent;
    for (int level = slurm->depth - 1; level >= 0; level--) {
        ids[level] = number;
        if (level < slurm->switches.place[number].depth)
            number = slurm->switches.place[number].parent;
    }
}
