/* Communicators of one group, one after many others: what is remembered of a group may be forgotten by some of its
 * ranks only, where node-shared memory ran out in between. */
#include "fuzz/communicators.h"
#include "fuzz/steps.h"

enum { WORDS = 5000 };

static struct fuzz_comm *of_group(struct fuzz_worker *worker, const struct fuzz_comm *parent, const int *ranks, int n)
{
    int world[FUZZ_RANKS_MOST];
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group all, some;
    for (int i = 0; i < n; i++)
        world[i] = parent->world[ranks[i]];
    if (parent->rank >= 0) {
        MPI_Comm_group(parent->comm, &all);
        MPI_Group_incl(all, n, ranks, &some);
        MPI_Comm_create(parent->comm, some, &made);
        MPI_Group_free(&all);
        MPI_Group_free(&some);
    }
    return fuzz_comm_add(worker, "create", world, n, made);
}

static void once(struct fuzz_worker *worker, const struct fuzz_comm *comm, int what, int round)
{
    static __thread int words[WORDS];
    int one = 1, sum = 0;
    words[WORDS - 1] = comm->rank == 0 ? round : -1;
    if (what == 0)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm->comm);
    else if (what == 1)
        MPI_Barrier(comm->comm);
    else
        MPI_Bcast(words, WORDS, MPI_INT, 0, comm->comm);
    if (what == 0 && sum != comm->size)
        fuzz_differ(worker, "sum %d, not %d", sum, comm->size);
    if (what == 2 && words[WORDS - 1] != round)
        fuzz_differ(worker, "broadcast %d gave %d", round, words[WORDS - 1]);
    fuzz_progress();
}

/* Rows of sums, barriers and broadcasts, in a random order. */
static void use(struct fuzz_worker *worker, const struct fuzz_comm *comm, int rounds, const char *when)
{
    int order[3];
    fuzz_random_order(&worker->plan, order, 3);
    fuzz_does(worker, "%d sums, barriers and broadcasts on communicator %d of %d ranks, %s others of its ranks", rounds,
              comm->id, comm->size, when);
    for (int k = 0; comm->rank >= 0 && k < 3; k++)
        for (int i = 0; i < rounds; i++)
            once(worker, comm, order[k], i);
}

/* A part of the ranks, in their order: rank i in so many of a hundred cases. */
static int choose(struct fuzz_random *plan, const int *percent, int *ranks, int of)
{
    int n = 0;
    for (int i = 0; i < of; i++)
        if (fuzz_chance(plan, percent[i]))
            ranks[n++] = i;
    if (n == 0)
        ranks[n++] = fuzz_below(plan, of);
    return n;
}

void fuzz_regroup(struct fuzz_worker *worker)
{
    struct fuzz_random *plan = &worker->plan;
    struct fuzz_comm *parent = fuzz_comm_any(worker, 4);
    int group[FUZZ_RANKS_MOST], other[FUZZ_RANKS_MOST], percent[FUZZ_RANKS_MOST], n;
    int rounds = fuzz_between(plan, 130, 200), others = fuzz_between(plan, 8, 24), start = worker->comms;
    for (int i = 0; i < parent->size; i++)
        percent[i] = 60;
    n = choose(plan, percent, group, parent->size);
    /* Some ranks are in few of the others, some in most. */
    for (int i = 0; i < parent->size; i++)
        percent[i] = fuzz_chance(plan, 50) ? 15 : 85;
    if (worker->comms + others + 2 >= FUZZ_COMMS_MOST)
        return;
    fuzz_does(worker, "groups of communicator %d by %s of %d ranks", parent->id, parent->made_by, parent->size);
    use(worker, of_group(worker, parent, group, n), rounds, "before");
    for (int i = 0; i < others; i++)
        use(worker, of_group(worker, parent, other, choose(plan, percent, other, parent->size)),
            fuzz_between(plan, 1, 5), "as one of");
    use(worker, of_group(worker, parent, group, n), rounds, "after");
    while (worker->comms > start + 1 && fuzz_chance(plan, 90))
        fuzz_comm_drop(worker, fuzz_between(plan, start, worker->comms - 1));
}
