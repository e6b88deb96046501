/* What the readers of Slurm's topology.conf and topology.yaml have in common. */
#ifndef TOPO_TESTS_SLURM_FILE_H
#define TOPO_TESTS_SLURM_FILE_H

#include "machine/slurm.h"
#include "readers/readers.h"

enum { LOOKED_AT = 2000 };

static inline void check_slurm(const struct topo_slurm *slurm)
{
    int depth = topo_slurm_depth(slurm), nodes = topo_slurm_nodes(slurm), ids[TOPO_SWITCHES_MAX];
    MUST(depth >= 1 && depth <= TOPO_SWITCHES_MAX && nodes >= 1, "%d levels, %d nodes", depth, nodes);
    for (int node = 0; node < nodes && node < LOOKED_AT; node++) {
        char name[300];
        snprintf(name, sizeof name, "%s", topo_slurm_node_name(slurm, node));
        MUST(*name && topo_slurm_find(slurm, name) == node, "node %d, '%s', is not found", node, name);
        topo_slurm_switches(slurm, node, ids);
        for (int level = 0; level < depth; level++)
            MUST(ids[level] >= 0, "switch %d of '%s'", level, name);
        strcat(name, ".domain");
        MUST(topo_slurm_find(slurm, name) != TOPO_SLURM_AMBIGUOUS, "'%s' is several nodes", name);
        name[strcspn(name, ".")] = '\0';
        MUST(topo_slurm_find(slurm, name) != TOPO_SLURM_MISSING || !*name, "the short name '%s' is missing", name);
    }
}

/* A file of that name with these bytes. */
static inline int read_slurm_file(const char *name, const uint8_t *data, size_t size)
{
    struct topo_slurm *slurm = NULL;
    struct topo_error error = {""};
    enum topo_status status = topo_slurm_parse((const char *)data, size, name, &slurm, &error);
    reader_status(status, &error);
    MUST((status == TOPO_OK) == (slurm != NULL), "%s", topo_status_text(status));
    for (const struct topo_slurm *each = slurm; each; each = topo_slurm_next(each))
        check_slurm(each);
    topo_slurm_free(slurm);
    reader_scarce(data, size);
    topo_slurm_parse((const char *)data, size, name, &slurm, &error);
    reader_plenty();
    topo_slurm_free(slurm);
    return 0;
}

#endif
