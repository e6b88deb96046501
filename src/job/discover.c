#include "job/discover.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "catalog/options.h"
#include "job/collect.h"
#include "job/share.h"
#include "machine/build.h"

static const char *environment(const char *name)
{
    return topo_option_environment(name, NULL);
}

/* The processors that this rank may run on; none: not known. */
static cpu_set_t usable_processors(void)
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof mask, &mask) != 0)
        CPU_ZERO(&mask);
    return mask;
}

bool topo_bound(void)
{
    cpu_set_t mask = usable_processors();
    return CPU_COUNT(&mask) > 0 && CPU_COUNT(&mask) < sysconf(_SC_NPROCESSORS_ONLN);
}

/* Fills the in-node part of this rank's place: one rank of the node asks hwloc
 * for all. Failure leaves the ranks unbound, which is always a valid answer. */
static void find_in_node_place(MPI_Comm comm, struct topo_place *place)
{
    MPI_Comm node = MPI_COMM_NULL;
    cpu_set_t mask = usable_processors(), *masks = NULL;
    struct topo_place here = *place, *places = NULL;
    int rank, ranks;

    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return;
    PMPI_Comm_rank(node, &rank);
    PMPI_Comm_size(node, &ranks);
    if (rank == 0) {
        masks = topo_alloc((size_t)ranks, sizeof *masks);
        places = topo_calloc((size_t)ranks, sizeof *places);
    }
    /* The leader's luck with memory decides for its node. */
    int ready = rank != 0 || (masks && places);
    PMPI_Bcast(&ready, 1, MPI_INT, 0, node);
    if (ready) {
        PMPI_Gather(&mask, sizeof mask, MPI_BYTE, masks, sizeof mask, MPI_BYTE, 0, node);
        if (rank == 0)
            topo_hwloc_places((const unsigned char *)masks, sizeof mask, ranks, places, NULL);
        PMPI_Scatter(places, sizeof *places, MPI_BYTE, &here, sizeof here, MPI_BYTE, 0, node);
    }
    place->package = here.package;
    place->numa = here.numa;
    place->l3 = here.l3;
    place->core = here.core;
    topo_free(masks);
    topo_free(places);
    PMPI_Comm_free(&node);
}

/* True when this rank's node has more ranks than processors. */
static bool has_more_ranks(const struct topo_tree *tree, int rank)
{
    const int *node = tree->unit + (size_t)topo_tree_node_level(tree) * (size_t)tree->ranks;
    int here = 0;
    for (int other = 0; other < tree->ranks; other++)
        here += node[other] == node[rank];
    return here > sysconf(_SC_NPROCESSORS_ONLN);
}

/* Collective: broadcasts rank 0's tree. `status` is rank 0's and becomes everyone's. */
static enum topo_status share(MPI_Comm comm, enum topo_status status, struct topo_tree **tree, bool *oversubscribed)
{
    int rank, header[2] = {TOPO_OK, 0}, *ints = NULL;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        header[0] = status;
        if (status == TOPO_OK) {
            header[1] = (int)topo_tree_packed_ints(*tree);
            ints = topo_alloc((size_t)header[1], sizeof *ints);
            if (ints)
                topo_tree_pack(*tree, ints);
            else
                header[0] = TOPO_NOMEM;
        }
    }
    PMPI_Bcast(header, 2, MPI_INT, 0, comm);
    status = header[0];
    if (status == TOPO_OK) {
        if (rank != 0)
            ints = topo_alloc((size_t)header[1], sizeof *ints);
        topo_share(ints, (size_t)header[1] * sizeof *ints, comm);
        if (rank != 0)
            status = ints ? topo_tree_unpack(ints, (size_t)header[1], tree, NULL) : TOPO_NOMEM;
        int mine[2] = {status, status == TOPO_OK && has_more_ranks(*tree, rank)}, most[2];
        PMPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, comm);
        status = most[0];
        *oversubscribed = most[1];
    }
    if (status != TOPO_OK) {
        topo_tree_free(*tree);
        *tree = NULL;
    }
    topo_free(ints);
    return status;
}

enum topo_status topo_discover(const struct topo_channel *channel, const char *spec, bool bound,
                               struct topo_tree **tree, bool *oversubscribed, struct topo_error *error)
{
    MPI_Comm comm = channel->user;
    struct topo_place place, *places = NULL;
    enum topo_status status = TOPO_OK;
    int rank, ranks, length;
    char name[MPI_MAX_PROCESSOR_NAME];

    *tree = NULL;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    memset(&place, 0, sizeof place);
    place.package = place.numa = place.l3 = place.core = -1;
    if (PMPI_Get_processor_name(name, &length) != MPI_SUCCESS)
        snprintf(name, sizeof name, "unknown");
    snprintf(place.host, sizeof place.host, "%s", name);
    const char *address = environment("SLURM_TOPOLOGY_ADDR");
    snprintf(place.slurm_address, sizeof place.slurm_address, "%s", address ? address : "");
    if (bound && strncmp(spec, "synthetic:", 10) != 0)
        find_in_node_place(comm, &place);

    if (rank == 0)
        places = topo_alloc((size_t)ranks, sizeof *places);
    if (topo_collect(&place, places, sizeof place, channel) != MPI_SUCCESS)
        status = topo_fail(error, TOPO_NOMEM, "out of memory for the places of %d ranks", ranks);
    else if (rank == 0)
        status = topo_machine_build(spec, places, ranks, environment, tree, error);
    topo_free(places);
    return share(comm, status, tree, oversubscribed);
}
