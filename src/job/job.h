/* What is known of the whole job: rank 0's options and the tree of all ranks. */
#ifndef TOPO_JOB_JOB_H
#define TOPO_JOB_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/processors.h"
#include "catalog/options.h"
#include "machine/tree.h"
#include "job/share.h"
#include "select/tuning.h"

struct topo_job {
    bool active; /* false: every call passes through */
    int rank, ranks;
    uint64_t number;             /* of this job, a random one, equal on all ranks; 0: there is none */
    struct topo_options options; /* rank 0's, equal on all ranks; valid when active */
    const char *learn_path;      /* of TOPOMPI_TUNING=learn:PATH, else NULL */
    struct topo_tuning tuning;   /* rank 0's tuning file, or defaults; valid when active */
    struct topo_tuning shipped;  /* what lies beside the library, where tuning.shipped is it */
    struct topo_tuning found;    /* `tuning`, with the links between nodes where others know them (measure/) */
    struct topo_tuning verdicts; /* rules: what earlier jobs found (job/verdicts.h) */
    bool measures;               /* this job is to find them out for later ones */
    struct topo_tree *tree;      /* all ranks of MPI_COMM_WORLD; valid when active */
    int node_ranks;              /* of them on this rank's node; valid when active */
    struct topo_sharing sharing; /* these two as job/discover.h has them; valid when active */
    bool oversubscribed;
};

extern struct topo_job topo_job;

/* False when this rank's TOPOMPI is off and it is not to be told of native calls: it then acts as if the library were
 * not loaded, and the ranks that have it on notice (job/presence.h). */
bool topo_job_wanted(void);

/* Right after PMPI_Init(), in every rank. Finds out whether every rank has the
 * library (`trusted` skips that: a tool whose ranks all run this code), reads
 * rank 0's options, builds the tree on rank 0 and sends both to all, and with the
 * tree the `news` (NULL: none; job/share.h). Whatever
 * goes wrong, rank 0 says so once and the job runs natively; with
 * TOPOMPI_STRICT=1 it ends here. Does nothing in a job of one rank. */
void topo_job_start(bool trusted, const struct topo_news *news);

/* Frees everything; later calls pass through. */
void topo_job_stop(void);

#endif
