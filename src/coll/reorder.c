#include "coll/reorder.h"

#include <stdint.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "coll/base/transport.h"
#include "comm/comm.h"
#include "family/family.h"
#include "job/channel_calls.h"
#include "job/collect.h"
#include "job/job.h"
#include "job/recovery.h"
#include "renumber/mapping.h"

/* One rank's edges in their order, as MPI tells of them; of a distributed graph the ingoing ones first. */
struct edges {
    int in, out, weighted;
    int *peer, *weight; /* [in + out] */
};

/* What a rank plays, and who plays its vertex; NOBODY: the order stays. */
struct place {
    int plays, played_by;
};
enum { NOBODY = -1 };

bool topo_reorders(void)
{
    return topo_job.active && !topo_recovers && topo_job.options.value[TOPO_OPTION_REORDER].flag;
}

static bool have_room(struct edges *edges)
{
    const size_t count = (size_t)edges->in + (size_t)edges->out;
    edges->peer = topo_alloc(count + 1, sizeof *edges->peer);
    edges->weight = topo_alloc(count + 1, sizeof *edges->weight);
    for (size_t i = 0; edges->weight && i < count; i++)
        edges->weight[i] = 1;
    return edges->peer && edges->weight;
}

enum { DIMENSIONS_MOST = 64 };

static bool cart_edges(MPI_Comm comm, struct edges *edges)
{
    int dimensions = DIMENSIONS_MOST + 1;
    PMPI_Cartdim_get(comm, &dimensions);
    edges->out = 2 * dimensions;
    if (dimensions > DIMENSIONS_MOST || !have_room(edges))
        return false;
    for (int i = 0; i < dimensions; i++)
        PMPI_Cart_shift(comm, i, 1, &edges->peer[2 * i], &edges->peer[2 * i + 1]);
    return true;
}

static bool graph_edges(MPI_Comm comm, int rank, struct edges *edges)
{
    PMPI_Graph_neighbors_count(comm, rank, &edges->out);
    return have_room(edges) && PMPI_Graph_neighbors(comm, rank, edges->out, edges->peer) == MPI_SUCCESS;
}

static bool dist_graph_edges(MPI_Comm comm, struct edges *edges)
{
    PMPI_Dist_graph_neighbors_count(comm, &edges->in, &edges->out, &edges->weighted);
    return have_room(edges) &&
           PMPI_Dist_graph_neighbors(comm, edges->in, edges->peer, edges->weight, edges->out, edges->peer + edges->in,
                                     edges->weight + edges->in) == MPI_SUCCESS;
}

static bool edges_of(MPI_Comm comm, int rank, int topology, struct edges *edges)
{
    return topology == MPI_CART    ? cart_edges(comm, edges)
           : topology == MPI_GRAPH ? graph_edges(comm, rank, edges)
                                   : dist_graph_edges(comm, edges);
}

/* Collective; rank 0's *all becomes all ranks' outgoing edges, of which there are *count. */
static void collect(const struct topo_comm *state, const struct edges *edges, struct topo_graph_edge **all,
                    size_t *count)
{
    size_t bytes, own = 0;
    struct topo_graph_edge *edge = edges->weight ? topo_alloc((size_t)edges->out + 1, sizeof *edge) : NULL;
    char *collected;
    for (int i = edges->in; edge && i < edges->in + edges->out; i++)
        if (edges->peer[i] >= 0) /* not MPI_PROC_NULL */
            edge[own++] =
                (struct topo_graph_edge){state->rank, edges->peer[i], edges->weight[i] > 0 ? edges->weight[i] : 0};
    if (edge)
        edge[own++] = (struct topo_graph_edge){state->rank, state->rank, 0}; /* one byte at least is collected */
    topo_collect_all((char *)edge, own * sizeof *edge, &collected, &bytes, &state->channel);
    *all = (struct topo_graph_edge *)(void *)collected;
    *count = collected ? bytes / sizeof **all : 0;
}

static void tell(const struct topo_mapping *mapping)
{
    if (topo_job.options.value[TOPO_OPTION_VERBOSE].flag)
        topo_say("a topology of %d ranks: edges of weight %lld cross nodes, %lld in the order of the ranks",
                 mapping->ranks, (long long)mapping->edge_cut_after, (long long)mapping->edge_cut_before);
}

/* Rank 0: every rank's place; NULL where memory is out. */
static struct place *places_of(const struct topo_tree *tree, const struct topo_graph_edge *edges, size_t count)
{
    TOPO_SCOPED_BY(topo_graph_end) struct topo_graph *graph = NULL;
    TOPO_SCOPED_BY(topo_mapping_end) struct topo_mapping *mapping = NULL;
    struct place *places = edges ? topo_alloc((size_t)tree->ranks, sizeof *places) : NULL;
    if (!places || topo_graph_of_edges(tree->ranks, edges, count, &graph, NULL) != TOPO_OK ||
        topo_mapping_of_graph(tree, graph, TOPO_PARTITIONER_AUTO, &mapping, NULL) != TOPO_OK) {
        topo_free(places);
        return NULL;
    }
    tell(mapping);
    const bool better = mapping->edge_cut_after < mapping->edge_cut_before;
    for (int i = 0; i < tree->ranks; i++)
        places[i] = better ? (struct place){mapping->pi[i], mapping->pi_inverse[i]} : (struct place){NOBODY, NOBODY};
    return places;
}

/* Collective; the same answer on all ranks but for their own place. */
static bool find_place(const struct topo_comm *state, const struct edges *edges, struct place *place)
{
    struct topo_graph_edge *all;
    size_t count;
    collect(state, edges, &all, &count);
    struct place *places = state->rank == 0 ? places_of(state->tree, all, count) : NULL;
    const int code = topo_deal(places, place, sizeof *place, &state->channel);
    topo_free_all(all, places);
    return code == MPI_SUCCESS && place->plays != NOBODY;
}

/* Who plays this rank's vertex gets its edges: the first message has their numbers. */
static int move_edges(const struct topo_comm *state, const struct place *place, struct edges *edges)
{
    struct edges moved = {0};
    int own[] = {edges->in, edges->out}, others[2];
    int code = topo_sendrecv(own, sizeof own, place->played_by, others, sizeof others, place->plays, &state->channel);
    moved = (struct edges){.in = others[0], .out = others[1], .weighted = edges->weighted};
    const bool room = code == MPI_SUCCESS && have_room(&moved);
    if (!topo_channel_all(room, &state->channel)) {
        topo_free_all(moved.peer, moved.weight);
        return MPI_ERR_NO_MEM;
    }
    const size_t sent = (size_t)(own[0] + own[1]) * sizeof *edges->peer;
    const size_t received = (size_t)(others[0] + others[1]) * sizeof *edges->peer;
    code = topo_sendrecv(edges->peer, sent, place->played_by, moved.peer, received, place->plays, &state->channel);
    if (code == MPI_SUCCESS)
        code =
            topo_sendrecv(edges->weight, sent, place->played_by, moved.weight, received, place->plays, &state->channel);
    topo_free_all(edges->peer, edges->weight);
    *edges = moved;
    return code;
}

static int cart_of(MPI_Comm made, MPI_Comm ordered, MPI_Comm *result)
{
    int dimensions, size[DIMENSIONS_MOST], periodic[DIMENSIONS_MOST], coordinates[DIMENSIONS_MOST];
    PMPI_Cartdim_get(made, &dimensions);
    const int code = PMPI_Cart_get(made, dimensions, size, periodic, coordinates);
    return code == MPI_SUCCESS ? PMPI_Cart_create(ordered, dimensions, size, periodic, 0, result) : code;
}

static int graph_of(MPI_Comm made, MPI_Comm ordered, MPI_Comm *result)
{
    int nodes, count;
    int code = PMPI_Graphdims_get(made, &nodes, &count);
    int *index = topo_alloc((size_t)nodes, sizeof *index), *edges = topo_alloc((size_t)count + 1, sizeof *edges);
    if (!index || !edges)
        code = MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS)
        code = PMPI_Graph_get(made, nodes, count, index, edges);
    if (code == MPI_SUCCESS)
        code = PMPI_Graph_create(ordered, nodes, index, edges, 0, result);
    topo_free_all(index, edges);
    return code;
}

static int dist_graph_of(const struct edges *edges, MPI_Comm ordered, MPI_Comm *result)
{
    int *unweighted = TOPO_MPI_UNWEIGHTED;
    return PMPI_Dist_graph_create_adjacent(
        ordered, edges->in, edges->peer, edges->weighted ? edges->weight : unweighted, edges->out,
        edges->peer + edges->in, edges->weighted ? edges->weight + edges->in : unweighted, MPI_INFO_NULL, 0, result);
}

/* Collective: the communicator in the new order, and its topology. */
static int remake(struct topo_comm *state, int topology, const struct place *place, struct edges *edges,
                  MPI_Comm *result)
{
    MPI_Comm ordered = MPI_COMM_NULL;
    int code = topology == MPI_DIST_GRAPH ? move_edges(state, place, edges) : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = PMPI_Comm_split(state->comm, 0, place->plays, &ordered);
    if (code == MPI_SUCCESS)
        code = topology == MPI_CART    ? cart_of(state->comm, ordered, result)
               : topology == MPI_GRAPH ? graph_of(state->comm, ordered, result)
                                       : dist_graph_of(edges, ordered, result);
    if (ordered != MPI_COMM_NULL)
        PMPI_Comm_free(&ordered);
    return code;
}

/* The state of what can be renumbered; NULL, on all ranks alike: nothing can be gained, or not done. */
static struct topo_comm *state_of(MPI_Comm made)
{
    struct topo_comm *state;
    int ranks;
    if (PMPI_Comm_size(made, &ranks) != MPI_SUCCESS || ranks < 2)
        return NULL;
    if (topo_comm_of(made, &state) != MPI_SUCCESS || state->native) {
        topo_comm_withhold(made); /* a rank whose memory is out does not know what the others' states are */
        return NULL;
    }
    state->consent.may_wait = true;
    return topo_comm_prepare(state) ? state : NULL;
}

int topo_reorder(MPI_Comm *made, bool asked)
{
    struct topo_comm *state = *made == MPI_COMM_NULL ? NULL : state_of(*made);
    struct edges edges = {0};
    struct place place;
    MPI_Comm result = MPI_COMM_NULL;
    int topology = MPI_UNDEFINED, code = MPI_SUCCESS;
    if (!state || !topo_channel_all(asked, &state->channel))
        return MPI_SUCCESS;
    PMPI_Topo_test(*made, &topology);
    const bool known = topology != MPI_UNDEFINED && edges_of(*made, state->rank, topology, &edges);
    if (topo_channel_all(known, &state->channel) && find_place(state, &edges, &place))
        code = remake(state, topology, &place, &edges, &result);
    topo_free_all(edges.peer, edges.weight);
    if (code == MPI_SUCCESS && result != MPI_COMM_NULL) {
        PMPI_Comm_free(made);
        *made = result;
    }
    return code;
}
