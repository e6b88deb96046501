#include "job/discover.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"
#include "base/processors.h"
#include "job/collect.h"
#include "job/share.h"
#include "machine/build.h"
#include "machine/place_pack.h"

/* Fills the in-node part of this rank's place: one rank of the node asks hwloc
 * for all. Failure leaves the ranks unbound, which is always a valid answer. */
static void find_in_node_place(MPI_Comm comm, struct topo_place *place)
{
    MPI_Comm node = MPI_COMM_NULL;
    cpu_set_t mask, *masks = NULL;
    struct topo_place here = *place, *places = NULL;
    int rank, ranks;

    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return;
    PMPI_Comm_rank(node, &rank);
    PMPI_Comm_size(node, &ranks);
    topo_processors_usable(&mask);
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

/* Collective: a status that some rank has where not all are well, else who shares processors. */
static enum topo_status share_processors(MPI_Comm comm, enum topo_status status, bool described,
                                         struct topo_discovered *found)
{
    enum { STATUS, PROCESSORS, COUNT = PROCESSORS + TOPO_PROCESSORS_WORDS };
    uint64_t mine[COUNT] = {status == TOPO_OK ? 0 : UINT64_C(1) << status}, together[COUNT];
    topo_processors_say(&mine[PROCESSORS]);
    if (PMPI_Allreduce(mine, together, COUNT, MPI_UINT64_T, MPI_BOR, comm) != MPI_SUCCESS)
        return TOPO_MPI;
    if (together[STATUS])
        return (enum topo_status)__builtin_ctzll(together[STATUS]);
    const int node_ranks = topo_tree_node_ranks_most(found->tree);
    found->sharing = topo_sharing_of(&together[PROCESSORS], found->tree->ranks, node_ranks);
    found->oversubscribed = found->sharing.processors > 0 && (!described || node_ranks > found->sharing.processors);
    return TOPO_OK;
}

/* Rank 0: the tree as *count bytes; NULL: memory is out. */
static void *pack(const struct topo_tree *tree, size_t *count)
{
    int *ints = topo_alloc(topo_tree_packed_ints(tree), sizeof *ints);
    if (ints) {
        topo_tree_pack(tree, ints);
        *count = topo_tree_packed_ints(tree) * sizeof *ints;
    }
    return ints;
}

/* Collective: broadcasts rank 0's tree. `status` is rank 0's and becomes everyone's. */
static enum topo_status share(MPI_Comm comm, enum topo_status status, const struct topo_news *news, bool described,
                              struct topo_discovered *found)
{
    struct {
        int status;
        char news[TOPO_NEWS_MOST];
    } head = {.status = (int)status};
    int rank;
    void *bytes = NULL;
    size_t count = 0;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0 && status == TOPO_OK) {
        topo_tree_shorten(found->tree);
        if (!(bytes = pack(found->tree, &count)))
            head.status = TOPO_NOMEM;
        if (news) {
            news->find(news->bytes, found->tree);
            memcpy(head.news, news->bytes, news->count);
        }
    }
    topo_share(&head, offsetof(__typeof__(head), news) + (news ? news->count : 0), &bytes, &count, comm);
    status = (enum topo_status)head.status;
    if (status == TOPO_OK) {
        if (news && rank != 0)
            memcpy(news->bytes, head.news, news->count);
        if (rank != 0)
            status = bytes ? topo_tree_unpack(bytes, count / sizeof(int), &found->tree, NULL) : TOPO_NOMEM;
        status = share_processors(comm, status, described, found);
    }
    if (status != TOPO_OK) {
        topo_tree_free(found->tree);
        *found = (struct topo_discovered){0};
    }
    topo_free(bytes);
    return status;
}

/* Rank 0: the tree of `ranks` places; `bytes` are those that topo_place_pack() made of them, NULL: memory was out on
 * some rank. */
static enum topo_status build(const char *spec, const char *bytes, size_t length, int ranks, struct topo_tree **tree,
                              struct topo_error *error)
{
    struct topo_place *places = bytes ? topo_alloc((size_t)ranks, sizeof *places) : NULL;
    enum topo_status status;
    if (!places)
        return topo_fail(error, TOPO_NOMEM, "out of memory for the places of %d ranks", ranks);
    status = topo_place_unpack(bytes, length, ranks, places, error);
    if (status == TOPO_OK)
        status = topo_machine_build(spec, places, ranks, topo_environment, tree, error);
    topo_free(places);
    return status;
}

enum topo_status topo_discover(const struct topo_channel *channel, const char *spec, bool bound,
                               const struct topo_news *news, struct topo_discovered *found, struct topo_error *error)
{
    MPI_Comm comm = channel->comm; /* it has these ranks alone, and nothing else runs yet */
    const char *address = topo_environment("SLURM_TOPOLOGY_ADDR");
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "", *own, *all;
    struct topo_place place = {name, address ? address : "", .package = -1, .numa = -1, .l3 = -1, .core = -1};
    enum topo_status status = TOPO_OK;
    int rank, ranks, length;
    size_t bytes;

    *found = (struct topo_discovered){0};
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    if (PMPI_Get_processor_name(name, &length) != MPI_SUCCESS)
        snprintf(name, sizeof name, "unknown");
    if (bound && !topo_machine_is_synthetic(spec))
        find_in_node_place(comm, &place);

    bytes = topo_place_packed(&place);
    own = topo_alloc(bytes, 1);
    if (own)
        topo_place_pack(&place, own);
    topo_collect_all(own, bytes, &all, &bytes, channel);
    if (rank == 0)
        status = build(spec, all, bytes, ranks, &found->tree, error);
    topo_free(all);
    return share(comm, status, news, topo_machine_is_synthetic(spec), found);
}
