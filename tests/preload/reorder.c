/* usage: reorder NODES
 * Topologies with reorder: each is what was asked for, whatever the order of the ranks. Rank w of MPI_COMM_WORLD is
 * taken to be on node w mod NODES. Prints of each "NAME: A edges cross nodes, B in the order of the ranks", and "ok".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* The edges that vertex v is given: its sources, then its destinations. */
struct lists {
    int in, out, source[MOST], destination[MOST], source_weight[MOST], weight[MOST];
};

static int rank, ranks, nodes;
static int wrong;

static void expect(int right, const char *topology, const char *what)
{
    if (!right) {
        printf("rank %d: %s: %s\n", rank, topology, what);
        wrong++;
    }
}

/* A line through all vertices in an order that is none of their numbers', each edge both ways, with its weight; the
 * neighbour of higher number first. The first vertex sends to itself, and twice to the second. */
static int gcd(int a, int b)
{
    return b ? gcd(b, a % b) : a;
}

static int at_place(int place)
{
    int step = ranks / 2 + 1;
    while (gcd(step, ranks) != 1)
        step++;
    return (int)((long)place * step % ranks);
}

static struct lists line(int vertex)
{
    struct lists lists = {0};
    int place = 0;
    while (at_place(place) != vertex)
        place++;
    for (int side = 1; side >= -1; side -= 2)
        if (place + side >= 0 && place + side < ranks) {
            lists.source[lists.in] = lists.destination[lists.out] = at_place(place + side);
            lists.source_weight[lists.in++] = lists.weight[lists.out++] = 3 + place + side + place;
        }
    if (place == 0) {
        lists.destination[lists.out] = lists.source[lists.in] = vertex;
        lists.weight[lists.out++] = lists.source_weight[lists.in++] = 1;
        lists.destination[lists.out] = at_place(1);
        lists.weight[lists.out++] = 2;
    } else if (place == 1) {
        lists.source[lists.in] = at_place(0);
        lists.source_weight[lists.in++] = 2;
    }
    return lists;
}

/* How many of the edges from here cross nodes, on rank 0 of all; then as if each rank kept its number. */
static void tell(const char *name, MPI_Comm comm, int out, const int *destination)
{
    int size, mine, crossing[2] = {0, 0}, all[2], *world;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &mine);
    world = malloc(sizeof *world * (size_t)size);
    MPI_Allgather(&rank, 1, MPI_INT, world, 1, MPI_INT, comm);
    for (int i = 0; i < out; i++)
        if (destination[i] != MPI_PROC_NULL) {
            crossing[0] += world[destination[i]] % nodes != rank % nodes;
            crossing[1] += destination[i] % nodes != mine % nodes;
        }
    MPI_Reduce(crossing, all, 2, MPI_INT, MPI_SUM, 0, comm);
    if (mine == 0)
        printf("%s: %d edges cross nodes, %d in the order of the ranks\n", name, all[0], all[1]);
    free(world);
}

/* What each source sends to its neighbours arrives in its place. */
static void exchange(const char *name, MPI_Comm comm, int in, const int *source, int out)
{
    int mine, sent[MOST], received[MOST];
    MPI_Comm_rank(comm, &mine);
    for (int i = 0; i < out; i++)
        sent[i] = mine;
    for (int i = 0; i < in; i++)
        received[i] = MPI_PROC_NULL;
    MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm);
    expect(!memcmp(received, source, sizeof *source * (size_t)in), name, "the neighbours' numbers");
}

static void same_ranks(const char *name, MPI_Comm comm)
{
    int result;
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    expect(result == MPI_CONGRUENT || result == MPI_SIMILAR, name, "other ranks");
}

static void cart(const char *name, int rows, int columns, int asked, int kept)
{
    const int size[2] = {rows, columns}, periodic[2] = {0, rows > 2};
    int mine, coordinates[2], neighbour[4], found[2], wraps[2], at[2];
    MPI_Comm comm;
    MPI_Cart_create(MPI_COMM_WORLD, 2, size, periodic, asked, &comm);
    expect((comm == MPI_COMM_NULL) == (rank >= rows * columns), name, "who is in it");
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(comm, &mine);
    expect(!kept || mine == rank, name, "another order");
    MPI_Cart_get(comm, 2, found, wraps, at);
    MPI_Cart_coords(comm, mine, 2, coordinates);
    expect(!memcmp(found, size, sizeof size) && !wraps[0] && wraps[1] == periodic[1] &&
               !memcmp(at, coordinates, sizeof at) && mine == at[0] * columns + at[1],
           name, "its shape");
    MPI_Cart_shift(comm, 0, 1, &neighbour[0], &neighbour[1]);
    MPI_Cart_shift(comm, 1, 1, &neighbour[2], &neighbour[3]);
    exchange(name, comm, 4, neighbour, 4);
    tell(name, comm, 4, neighbour);
    MPI_Comm_free(&comm);
}

static void graph(void)
{
    int mine, count, index[MOST], edges[2 * MOST + 4], neighbours[MOST], at = 0;
    MPI_Comm comm;
    for (int v = 0; v < ranks; v++) {
        const struct lists lists = line(v);
        for (int i = 0; i < lists.out; i++)
            edges[at++] = lists.destination[i];
        index[v] = at;
    }
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 1, &comm);
    same_ranks("graph", comm);
    MPI_Comm_rank(comm, &mine);
    const struct lists lists = line(mine);
    MPI_Graph_neighbors_count(comm, mine, &count);
    MPI_Graph_neighbors(comm, mine, MOST, neighbours);
    expect(count == lists.out && !memcmp(neighbours, lists.destination, sizeof *neighbours * (size_t)count), "graph",
           "its edges");
    tell("graph", comm, count, neighbours);
    MPI_Comm_free(&comm);
}

/* The lists, in their order where `ordered`: MPI leaves that of MPI_Dist_graph_create() to the library. */
static void check_lists(const char *name, MPI_Comm comm, int with_weights, int ordered)
{
    int mine, weighted, sums[2] = {0, 0};
    struct lists found = {0};
    same_ranks(name, comm);
    MPI_Comm_rank(comm, &mine);
    const struct lists given = line(mine);
    MPI_Dist_graph_neighbors_count(comm, &found.in, &found.out, &weighted);
    MPI_Dist_graph_neighbors(comm, found.in, found.source, found.source_weight, found.out, found.destination,
                             found.weight);
    expect(found.in == given.in && found.out == given.out && !weighted == !with_weights, name, "its degrees");
    for (int i = 0; i < given.in; i++)
        sums[0] += given.source[i] * 100 + given.source_weight[i],
            sums[1] += found.source[i] * 100 + found.source_weight[i];
    for (int i = 0; i < given.out; i++)
        sums[0] += given.destination[i] * 100 + given.weight[i],
            sums[1] += found.destination[i] * 100 + found.weight[i];
    expect(!with_weights || sums[0] == sums[1], name, "its edges and weights");
    if (ordered) {
        expect(!memcmp(found.source, given.source, sizeof *found.source * (size_t)given.in) &&
                   !memcmp(found.destination, given.destination, sizeof *found.source * (size_t)given.out),
               name, "the order of its edges");
        if (with_weights)
            expect(!memcmp(found.source_weight, given.source_weight, sizeof *found.source * (size_t)given.in) &&
                       !memcmp(found.weight, given.weight, sizeof *found.source * (size_t)given.out),
                   name, "its weights");
        exchange(name, comm, given.in, given.source, given.out);
    }
    tell(name, comm, found.out, found.destination);
    MPI_Comm_free(&comm);
}

static void adjacent(int with_weights)
{
    MPI_Comm comm;
    const struct lists lists = line(rank);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, lists.in, lists.source,
                                   with_weights ? lists.source_weight : MPI_UNWEIGHTED, lists.out, lists.destination,
                                   with_weights ? lists.weight : MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &comm);
    check_lists(with_weights ? "adjacent, weighted" : "adjacent", comm, with_weights, 1);
}

/* Each rank gives the edges of another vertex. */
static void distributed(void)
{
    MPI_Comm comm;
    const int vertex = (rank + 1) % ranks;
    const struct lists lists = line(vertex);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &vertex, &lists.out, lists.destination, lists.weight, MPI_INFO_NULL, 1,
                          &comm);
    check_lists("distributed", comm, 1, 0);
}

int main(int argc, char **argv)
{
    int all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    nodes = argc > 1 ? atoi(argv[1]) : 1;
    /* First: Open MPI 4.1.4 takes a later message of a faster rank for one of this call's, natively too, where their
     * tags meet; they do after some constructors. */
    distributed();
    cart("grid", ranks / 2, 2, 1, 0);
    cart("smaller grid", ranks / 2 - 1, 2, 1, 0);
    cart("grid, the order kept", ranks / 2, 2, 0, 1);
    cart("grid, asked for by one rank", ranks / 2, 2, rank == 0, 1);
    graph();
    adjacent(0);
    adjacent(1);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0)
        puts("ok");
    MPI_Finalize();
    return all != 0;
}
