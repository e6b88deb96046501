/* Communicators from every constructor. Each rank knows what each of the others gets. */
#include <stdio.h>
#include <string.h>

#include "common/native.h"
#include "fuzz/calls.h"
#include "fuzz/communicators.h"

/* Members of a group or colour, as ranks of the parent. */
struct members {
    int n, rank[FUZZ_RANKS_MOST];
};

static struct fuzz_comm *add(struct fuzz_worker *worker, const struct fuzz_comm *parent, const char *made_by,
                             const struct members *members, MPI_Comm made)
{
    int world[FUZZ_RANKS_MOST];
    for (int i = 0; i < members->n; i++)
        world[i] = parent->world[members->rank[i]];
    return fuzz_comm_add(worker, made_by, world, members->n, made);
}

static struct members first_of(int n)
{
    struct members members = {.n = n};
    for (int i = 0; i < n; i++)
        members.rank[i] = i;
    return members;
}

/* A rank keeps what it is a member of. */
static MPI_Comm mine(const struct fuzz_comm *parent, const struct members *members, MPI_Comm made)
{
    for (int i = 0; i < members->n; i++)
        if (members->rank[i] == parent->rank)
            return made;
    return MPI_COMM_NULL;
}

static void duplicate(struct fuzz_worker *worker, const struct fuzz_comm *parent)
{
    int way = fuzz_below(&worker->plan, 3);
    const char *const names[] = {"dup", "dup_with_info", "idup"};
    struct members all = first_of(parent->size);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;
    MPI_Info info;
    if (parent->rank >= 0) {
        if (way == 0) {
            MPI_Comm_dup(parent->comm, &made);
        } else if (way == 1) {
            MPI_Info_create(&info);
            MPI_Info_set(info, "fuzz", "1");
            MPI_Comm_dup_with_info(parent->comm, info, &made);
            MPI_Info_free(&info);
        } else {
            MPI_Comm_idup(parent->comm, &made, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    add(worker, parent, names[way], &all, made);
}

/* The members of one colour, by key and then by rank. */
static struct members of_color(const int *color, const int *key, int n, int which)
{
    struct members members = {0};
    for (int i = 0; i < n; i++) {
        if (color[i] != which)
            continue;
        int at = members.n++;
        for (; at > 0 && key[members.rank[at - 1]] > key[i]; at--)
            members.rank[at] = members.rank[at - 1];
        members.rank[at] = i;
    }
    return members;
}

static void split(struct fuzz_worker *worker, const struct fuzz_comm *parent, bool by_type)
{
    int color[FUZZ_RANKS_MOST], key[FUZZ_RANKS_MOST], colors = by_type ? 1 : fuzz_between(&worker->plan, 1, 3);
    bool some = fuzz_chance(&worker->plan, 25);
    MPI_Comm made = MPI_COMM_NULL;
    for (int i = 0; i < parent->size; i++) {
        color[i] = fuzz_below(&worker->plan, colors);
        if (some && fuzz_chance(&worker->plan, 20))
            color[i] = MPI_UNDEFINED;
        key[i] = fuzz_chance(&worker->plan, 50) ? i : fuzz_between(&worker->plan, -9, 9);
    }
    if (parent->rank >= 0 && by_type) /* all ranks of the job are on this host */
        MPI_Comm_split_type(parent->comm, color[parent->rank] == 0 ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED,
                            key[parent->rank], MPI_INFO_NULL, &made);
    else if (parent->rank >= 0)
        MPI_Comm_split(parent->comm, color[parent->rank], key[parent->rank], &made);
    for (int c = 0; c < colors; c++) {
        struct members members = of_color(color, key, parent->size, c);
        if (members.n > 0)
            add(worker, parent, by_type ? "split_type" : "split", &members, mine(parent, &members, made));
    }
}

static struct members some_of(struct fuzz_random *plan, int n)
{
    struct members members = {0};
    fuzz_random_order(plan, members.rank, n);
    members.n = fuzz_between(plan, 1, n);
    return members;
}

static void from_group(struct fuzz_worker *worker, const struct fuzz_comm *parent, bool alone)
{
    struct members members = some_of(&worker->plan, parent->size);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group all, some;
    if (parent->rank >= 0) {
        MPI_Comm_group(parent->comm, &all);
        MPI_Group_incl(all, members.n, members.rank, &some);
        /* Open MPI's messages for MPI_Comm_create_group match wildcards that are still pending on the parent. */
        if (alone)
            NATIVE(Barrier)(parent->comm);
        if (!alone)
            MPI_Comm_create(parent->comm, some, &made);
        else if (mine(parent, &members, MPI_COMM_WORLD) != MPI_COMM_NULL)
            MPI_Comm_create_group(parent->comm, some, 77, &made);
        MPI_Group_free(&all);
        MPI_Group_free(&some);
    }
    add(worker, parent, alone ? "create_group" : "create", &members, made);
}

static void cartesian(struct fuzz_worker *worker, const struct fuzz_comm *parent)
{
    int dims[2], periods[2] = {fuzz_below(&worker->plan, 2), fuzz_below(&worker->plan, 2)};
    dims[0] = fuzz_between(&worker->plan, 1, parent->size);
    dims[1] = fuzz_between(&worker->plan, 1, parent->size / dims[0]);
    struct members members = first_of(dims[0] * dims[1]);
    MPI_Comm made = MPI_COMM_NULL;
    if (parent->rank >= 0)
        MPI_Cart_create(parent->comm, 2, dims, periods, 0, &made);
    struct fuzz_comm *comm = add(worker, parent, "cart_create", &members, made);
    comm->dims[0] = dims[0];
    comm->dims[1] = dims[1];
    if (fuzz_chance(&worker->plan, 50))
        return;
    /* Rows or columns of it. */
    int along = fuzz_below(&worker->plan, 2), keep[2] = {along == 0, along == 1};
    made = MPI_COMM_NULL;
    if (comm->rank >= 0)
        MPI_Cart_sub(comm->comm, keep, &made);
    for (int line = 0; line < dims[1 - along]; line++) {
        members.n = dims[along];
        for (int i = 0; i < dims[along]; i++)
            members.rank[i] = along == 0 ? i * dims[1] + line : line * dims[1] + i;
        if (worker->comms < FUZZ_COMMS_MOST - 1)
            add(worker, comm, "cart_sub", &members, mine(comm, &members, made));
    }
}

static void graph(struct fuzz_worker *worker, const struct fuzz_comm *parent)
{
    struct members members = first_of(fuzz_between(&worker->plan, 1, parent->size));
    int index[FUZZ_RANKS_MOST], edges[FUZZ_RANKS_MOST];
    MPI_Comm made = MPI_COMM_NULL;
    for (int i = 0; i < members.n; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % members.n;
    }
    if (parent->rank >= 0)
        MPI_Graph_create(parent->comm, members.n, index, edges, 0, &made);
    add(worker, parent, "graph_create", &members, made);
}

/* Left out, as Open MPI itself hangs: reorder, and MPI_Dist_graph_create, even without reorder, where ranks come late.
 */
static void distributed(struct fuzz_worker *worker, const struct fuzz_comm *parent)
{
    struct members all = first_of(parent->size);
    int rank = parent->rank, left = (rank + parent->size - 1) % parent->size, right = (rank + 1) % parent->size;
    int one = 1;
    MPI_Comm made = MPI_COMM_NULL;
    if (rank >= 0)
        MPI_Dist_graph_create_adjacent(parent->comm, 1, &left, &one, 1, &right, &one, MPI_INFO_NULL, 0, &made);
    add(worker, parent, "dist_graph_create_adjacent", &all, made);
}

/* Collectives between two groups; the library takes none of them over. */
static void across(struct fuzz_worker *worker, MPI_Comm inter)
{
    int one = fuzz_job.rank, ours = -1, natively = -2;
    MPI_Barrier(inter);
    MPI_Allreduce(&one, &ours, 1, MPI_INT, MPI_SUM, inter);
    NATIVE(Allreduce)(&one, &natively, 1, MPI_INT, MPI_SUM, inter);
    if (ours != natively)
        fuzz_differ(worker, "sum over an inter-communicator: %d, natively %d", ours, natively);
}

static void merged(struct fuzz_worker *worker, const struct fuzz_comm *parent)
{
    int lower = fuzz_between(&worker->plan, 1, parent->size - 1), rank = parent->rank;
    bool upper = rank >= lower, swapped = fuzz_chance(&worker->plan, 50);
    struct members members = {.n = parent->size};
    for (int i = 0; i < parent->size; i++)
        members.rank[i] = swapped ? (i + lower) % parent->size : i;
    MPI_Comm half, inter, made = MPI_COMM_NULL;
    if (rank >= 0) {
        MPI_Comm_split(parent->comm, upper, rank, &half);
        MPI_Intercomm_create(half, 0, parent->comm, upper ? 0 : lower, 78, &inter);
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        if (fuzz_chance(&worker->plan, 50))
            across(worker, inter);
        MPI_Intercomm_merge(inter, upper != swapped, &made);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    } else {
        fuzz_chance(&worker->plan, 50); /* as the members do */
    }
    add(worker, parent, "intercomm_merge", &members, made);
}

void fuzz_comm_construct(struct fuzz_worker *worker)
{
    int way = fuzz_below(&worker->plan, 12);
    struct fuzz_comm *parent = fuzz_comm_any(worker, 2);
    fuzz_does(worker, "constructor %d on communicator %d by %s of %d ranks", way, parent->id, parent->made_by,
              parent->size);
    switch (way) {
    case 0:
    case 1:
    case 2: duplicate(worker, parent); break;
    case 3:
    case 4: split(worker, parent, false); break;
    case 5: split(worker, parent, true); break;
    case 6: from_group(worker, parent, false); break;
    case 7: from_group(worker, parent, true); break;
    case 8: cartesian(worker, parent); break;
    case 9: graph(worker, parent); break;
    case 10: distributed(worker, parent); break;
    default: merged(worker, parent); break;
    }
    fuzz_progress();
}

void fuzz_comm_burst(struct fuzz_worker *worker, int count)
{
    struct fuzz_comm *parent = fuzz_comm_any(worker, 2);
    struct members all = first_of(parent->size);
    int rounds =
        fuzz_chance(&worker->plan, fuzz_job.many_communicators ? 90 : 10) ? 140 : fuzz_between(&worker->plan, 1, 4);
    fuzz_does(worker, "%d duplicates of communicator %d by %s of %d ranks, %d sums on each", count, parent->id,
              parent->made_by, parent->size, rounds);
    for (int i = 0; i < count; i++) {
        MPI_Comm made = MPI_COMM_NULL;
        int one = 1, sum = 0;
        if (parent->rank >= 0)
            MPI_Comm_dup(parent->comm, &made);
        struct fuzz_comm *comm = add(worker, parent, "dup", &all, made);
        for (int round = 0; comm->rank >= 0 && round < rounds; round++) {
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
            if (sum != comm->size)
                fuzz_differ(worker, "sum %d, not %d", sum, comm->size);
            MPI_Barrier(made);
            fuzz_progress();
        }
    }
}
