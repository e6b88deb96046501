/* An MPI program that calls while what the library finds of the machine begins to hold, communicator by communicator
 * (docs/MEASURING.md), odd ranks with a type of their own. Needs the tool found_tool.c.
 *
 *   found early|late   measured in calls of MPI_COMM_WORLD, or of copies of it that are freed in the middle of that
 *
 * Every result is looked at; sums of doubles must have the same bits and take the same form from a communicator's first
 * call to its last. Rank 0 prints how many all-gathers of each communicator were native: of the first quarter of its
 * calls, and of the last. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "common/native.h"
#include "preload/found.h"
#include "preload/pairs.h"

enum { CALLS = 400, COMMS = 3 };

static struct found_tool *tool;
static int bad, rank;
static MPI_Datatype pair;

static void gather(MPI_Comm comm, int call)
{
    bad |= !pairs_gather(comm, pair, call);
}

/* Sums whose bits depend on the order. */
static void sum(MPI_Comm comm, int mine, double first[2], int call)
{
    double send[2] = {1.0 / (3 + mine), mine % 2 ? 1e15 : 1e-5 * mine}, receive[2] = {0};
    MPI_Allreduce(send, receive, 2, MPI_DOUBLE, MPI_SUM, comm);
    if (call == 0)
        memcpy(first, receive, sizeof receive);
    bad |= memcmp(first, receive, sizeof receive) != 0;
}

static void use(MPI_Comm comm, const char *name)
{
    int mine, ranks, natives[2] = {0}, sums = tool->sums;
    double first[2];
    MPI_Comm_rank(comm, &mine);
    MPI_Comm_size(comm, &ranks);
    for (int call = 0; call < CALLS; call++) {
        int before = tool->gathers, root = call;
        gather(comm, call);
        if (call < CALLS / 4 || call >= CALLS - CALLS / 4)
            natives[call >= CALLS / 4] += tool->gathers - before;
        sum(comm, mine, first, call);
        MPI_Bcast(&root, 1, MPI_INT, call % ranks, comm);
        bad |= root != call;
    }
    sums = tool->sums - sums;
    bad |= sums != 0 && sums != CALLS; /* one form */
    if (rank == 0)
        printf("%s: %d and %d of %d native\n", name, natives[0], natives[1], CALLS / 4);
}

int main(int argc, char **argv)
{
    static const char *const names[COMMS] = {"world", "copy", "part"};
    MPI_Comm comm[COMMS] = {MPI_COMM_WORLD};
    int worst, ranks;
    *(void **)&tool = dlsym(RTLD_DEFAULT, "found_tool");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > PAIRS_RANKS_MOST || !tool)
        MPI_Abort(MPI_COMM_WORLD, 1);
    pair = pairs_type();
    /* Copies that end before they ask for the first time, and between that and the second time. */
    for (int calls = 7; argc > 1 && !strcmp(argv[1], "late") && calls < 10; calls++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
        for (int call = 0; call < calls; call++)
            gather(comm[1], call);
        MPI_Comm_free(&comm[1]);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank == ranks - 1, 0, &comm[2]);
    if (argc > 1 && !strcmp(argv[1], "late"))
        use(comm[1], "first");
    /* All but the last rank alone. */
    for (int c = 0; c < COMMS; c++)
        if (c < 2 || rank < ranks - 1)
            use(comm[c], names[c]);
    NATIVE(Allreduce)(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf(worst ? "wrong\n" : "ok\n");
    MPI_Comm_free(&comm[1]);
    MPI_Comm_free(&comm[2]);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return worst;
}
