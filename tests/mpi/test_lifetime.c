/* Communicators that come and go: nothing leaks, nothing runs out, plans are shared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "coll/call/operations.h"
#include "coll/prepare.h"
#include "comm/comm.h"
#include "base/numbers.h"
#include "comm/renumbering.h"
#include "mpi/harness.h"

static bool gathers(const struct topo_algorithm *algorithm, MPI_Comm comm)
{
    int rank, ranks;
    bool good = true;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *all = calloc((size_t)ranks, sizeof *all);
    good = topo_allgather(algorithm, &rank, 1, MPI_INT, all, 1, MPI_INT, comm) == MPI_SUCCESS;
    for (int i = 0; i < ranks; i++)
        good &= all[i] == i;
    free(all);
    return good;
}

/* More than there are communicator identifiers in some MPI libraries. */
static void many(const struct topo_algorithm *algorithm, int times)
{
    bool good = true;
    for (int i = 0; i < times; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        good &= gathers(algorithm, comm);
        MPI_Comm_free(&comm);
    }
    harness_check(good, "%d times dup, %s, free", times, algorithm->name);
}

static void plans_are_shared(const struct topo_algorithm *algorithm)
{
    struct topo_comm *states[2];
    MPI_Comm comms[2];
    bool good = true;
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        good &= gathers(algorithm, comms[i]);
        good &= topo_comm_of(comms[i], &states[i]) == MPI_SUCCESS;
    }
    struct topo_renumbering *plans[2];
    for (int i = 0; i < 2; i++)
        plans[i] = states[i]->renumbering[TOPO_GRAPH_BRUCK][TOPO_RENUMBERING_WHOLE];
    good &= plans[0] && plans[0] == plans[1];
    harness_check(good, "communicators of one layout share one plan");
    MPI_Comm_free(&comms[0]);
    harness_check(gathers(algorithm, comms[1]), "a shared plan outlives the first of its communicators");
    MPI_Comm_free(&comms[1]);
}

/* Where numbers follow a rule the reorder forms keep and send that, else tables. */
static void rules_are_kept(const struct topo_algorithm *reorder, const char *machine, bool by_rule)
{
    struct topo_comm *state = NULL;
    MPI_Comm comm;
    const int before = topo_numbers_short;
    topo_numbers_short = 1;
    if (harness_use_machine(machine)) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        bool good = gathers(reorder, comm) && topo_comm_of(comm, &state) == MPI_SUCCESS;
        const struct topo_renumbering *mine = good ? state->renumbering[reorder->graph][TOPO_RENUMBERING_WHOLE] : NULL;
        const struct topo_numbers *inverse = mine ? topo_renumbering_pi_inverse(mine) : NULL;
        harness_check(inverse && (!by_rule || !inverse->table), "%s on %s keeps %s", reorder->name, machine,
                      inverse && inverse->table ? "a table" : "a rule");
        MPI_Comm_free(&comm);
    }
    topo_numbers_short = before;
}

/* The exch forms keep O(log n) integers a rank. */
static void neighbours_alone(const struct topo_algorithm *exch)
{
    struct topo_comm *state = NULL;
    int ranks;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_size(comm, &ranks);
    bool good = gathers(exch, comm) && topo_comm_of(comm, &state) == MPI_SUCCESS;
    const struct topo_renumbering *mine =
        good ? state->renumbering[TOPO_GRAPH_BRUCK][TOPO_RENUMBERING_NEIGHBOURS] : NULL;
    size_t integers = 2 * (2 * (size_t)topo_graph_steps(TOPO_GRAPH_BRUCK, ranks) + 1);
    harness_check(mine && topo_renumbering_bytes(mine) <= 320 + integers * sizeof(int) &&
                      !state->renumbering[TOPO_GRAPH_BRUCK][TOPO_RENUMBERING_WHOLE],
                  "%s keeps its neighbours alone: %zu bytes", exch->name, mine ? topo_renumbering_bytes(mine) : 0);
    MPI_Comm_free(&comm);
}

/* The ranks of MPI_COMM_WORLD from `first` on, round about; `first` is below the number of ranks. */
static MPI_Comm rotated(int first)
{
    int rank, ranks;
    MPI_Comm comm;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank - first + ranks) % ranks, &comm);
    return comm;
}

static const struct topo_comm_group *members_of(MPI_Comm comm)
{
    struct topo_comm *state;
    return topo_comm_of(comm, &state) == MPI_SUCCESS ? state->comm_group : NULL;
}

/* Communicators of the same ranks know them once; each of many orders is its own, the forgotten ones included. */
static void members_are_shared(const struct topo_algorithm *algorithm)
{
    enum { COMMS = 32 };
    int rank, ranks;
    bool good = true;
    MPI_Comm comms[COMMS], again;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < COMMS; i++) {
        comms[i] = rotated(i % ranks);
        good &= gathers(algorithm, comms[i]);
        for (int j = 0; j < i; j++)
            good &= (i - j) % ranks == 0 || members_of(comms[i]) != members_of(comms[j]);
    }
    again = rotated((COMMS - 1) % ranks);
    good &= gathers(algorithm, again) && members_of(again) == members_of(comms[COMMS - 1]);
    MPI_Comm_free(&again);
    for (int i = 0; i < COMMS; i++) {
        good &= gathers(algorithm, comms[i]) && topo_comm_group_world(members_of(comms[i]), 0) == i % ranks;
        MPI_Comm_free(&comms[i]);
    }
    harness_check(good, "communicators of the same ranks share what is known of them");
}

/* Memory that runs out while a communicator is looked at for the first time is an error, and nothing is lost. */
static void no_memory(const struct topo_algorithm *algorithm)
{
    enum { MOST = 100 };
    int after = 0, code = MPI_ERR_NO_MEM;
    bool good = true;
    topo_comm_group_forget();
    for (; after < MOST && code != MPI_SUCCESS; after++) {
        struct topo_comm *state;
        MPI_Comm comm = rotated(0);
        topo_memory_fail_after(after);
        code = topo_comm_of(comm, &state);
        topo_memory_fail_after(-1);
        good &= code == MPI_SUCCESS || (code == MPI_ERR_NO_MEM && !state);
        good &= gathers(algorithm, comm);
        topo_comm_group_forget();
        MPI_Comm_free(&comm);
    }
    harness_check(good && after > 1 && after < MOST, "no memory for a communicator");
}

/* The application's own attributes and error handler are not touched by our communicators. */
static int copies;
static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    copies++;
    *flag = 1;
    return MPI_SUCCESS;
}

static void attributes(const struct topo_algorithm *algorithm)
{
    int key;
    MPI_Comm comm;
    MPI_Errhandler before, after;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, NULL);
    MPI_Comm_get_errhandler(comm, &before);
    bool good = gathers(algorithm, comm);
    MPI_Comm_get_errhandler(comm, &after);
    harness_check(good && copies == 0, "no copy callback of the application runs");
    harness_check(before == after, "the error handler is as it was");
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&key);
}

/* With TOPOMPI_PREPARE=create that of MPI_COMM_WORLD is there before its first collective, else not. */
static void world_is_prepared(const char *machine)
{
    static const struct {
        const char *prepare, *shared;
    } cases[] = {{"create", "64M"}, {"create", "0"}, {"first_use", "64M"}};
    harness_option("TOPOMPI_ALLGATHER", "bruck_reorder");
    for (int i = 0; i < 3; i++) {
        struct topo_comm *state = NULL;
        harness_option("TOPOMPI_PREPARE", cases[i].prepare);
        harness_option("TOPOMPI_SHARED", cases[i].shared);
        if (!harness_use_machine(machine))
            continue;
        topo_world_created();
        bool good = topo_comm_of(MPI_COMM_WORLD, &state) == MPI_SUCCESS;
        bool made = good && state->renumbering[TOPO_GRAPH_BRUCK][TOPO_RENUMBERING_WHOLE] != NULL;
        harness_check(good && made == (cases[i].prepare[0] == 'c'), "MPI_COMM_WORLD, %s, shared %s: %s",
                      cases[i].prepare, cases[i].shared, made ? "prepared" : "not prepared");
        harness_check(gathers(topo_algorithm_find(TOPO_OPERATION_allgather, "bruck_reorder"), MPI_COMM_WORLD),
                      "and gathers, %s, shared %s", cases[i].prepare, cases[i].shared);
    }
    harness_option("TOPOMPI_ALLGATHER", "auto");
    harness_option("TOPOMPI_PREPARE", "first_use");
    harness_option("TOPOMPI_SHARED", "64M");
}

int main(int argc, char **argv)
{
    int ranks;
    char machine[64];
    harness_start(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(machine, sizeof machine, "synthetic:node:2 core:%d", ranks / 2);
    if (ranks > 1)
        world_is_prepared(ranks % 2 ? "auto" : machine);
    if (ranks > 2) {
        const bool power = (ranks & (ranks - 1)) == 0;
        rules_are_kept(topo_algorithm_find(TOPO_OPERATION_allgather, "bruck_reorder"), ranks % 2 ? "auto" : machine,
                       power);
        if (power)
            rules_are_kept(topo_algorithm_find(TOPO_OPERATION_allgather, "recursive_doubling_reorder"), machine, true);
    }
    if (harness_use_machine(ranks % 2 ? "auto" : machine)) {
        const struct topo_algorithm *bruck = topo_algorithm_find(TOPO_OPERATION_allgather, "bruck_reorder");
        attributes(bruck);
        if (ranks > 1) {
            plans_are_shared(bruck);
            neighbours_alone(topo_algorithm_find(TOPO_OPERATION_allgather, "bruck_exch"));
            members_are_shared(bruck);
            no_memory(bruck);
        }
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
            if (topo_algorithm(id)->operation == TOPO_OPERATION_allgather)
                many(topo_algorithm(id), topo_algorithm(id) == bruck ? 3000 : 50);
    }
    return harness_finish();
}
