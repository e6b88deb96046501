/* What slurm.c makes of a file and slurm_find.c answers from. */
#ifndef TOPO_MACHINE_SLURM_PLACES_H
#define TOPO_MACHINE_SLURM_PLACES_H

#include "base/text.h"
#include "machine/names.h"

/* A switch or node: where it hangs. Lines are 0 as long as they are unknown. */
struct place {
    int parent;     /* number of the switch above, -1 = none */
    int child_line; /* line that names it as a child */
    int line;       /* switches: line that describes it */
    int depth;      /* switches: number of switches from the outermost one to itself; 0 = not known yet */
};

/* Names and, by number, their places. */
struct places {
    struct topo_names names;
    struct place *place;
};

struct topo_slurm {
    const char *origin; /* while reading */
    struct places switches, nodes;
    int blocks_line; /* while reading: of the first block, 0 = none; sizes_line: of BlockSizes */
    int sizes_line;
    struct topo_text sizes;
    struct topo_names short_names; /* every form of a node's name with trailing domains left out */
    int *short_node;               /* its node, or TOPO_SLURM_AMBIGUOUS */
    int depth;
    struct topo_slurm *next;
};

#endif
