#include "measure/probes.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include "job/channel.h"

/* Tags of the job's own channel; job/collect.c and job/presence.h have others. */
enum { TAG = 100, TAG_UP, TAG_DOWN };

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

/* ---- agreeing ------------------------------------------------------------------------------------------------------
 */

static void receive(double *values, int count, int from, int tag, bool quietly)
{
    MPI_Request request;
    int done = 0;
    if (!quietly) {
        PMPI_Recv(values, count, MPI_DOUBLE, from, tag, topo_channel_job.comm, MPI_STATUS_IGNORE);
        return;
    }
    if (PMPI_Irecv(values, count, MPI_DOUBLE, from, tag, topo_channel_job.comm, &request) != MPI_SUCCESS)
        return;
    while (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        nap();
}

/* A rank stands for itself and those behind it, as many as its lowest bit says: up the tree and down again. */
void topo_probe_agree(double values[TOPO_PROBE_VALUES], int rank, int ranks, bool quietly,
                      double (*say)(const double *values, void *context), void *context, double *word)
{
    double theirs[TOPO_PROBE_VALUES + 1] = {0};
    int mask = 1;
    for (; mask < ranks && !(rank & mask); mask *= 2) {
        if (rank + mask >= ranks)
            continue;
        receive(theirs, TOPO_PROBE_VALUES, rank + mask, TAG_UP, quietly);
        for (int i = 0; i < TOPO_PROBE_VALUES; i++)
            values[i] = theirs[i] > values[i] ? theirs[i] : values[i];
    }
    memcpy(theirs, values, TOPO_PROBE_VALUES * sizeof *values);
    if (rank == 0) {
        theirs[TOPO_PROBE_VALUES] = say(values, context);
    } else {
        PMPI_Send(theirs, TOPO_PROBE_VALUES, MPI_DOUBLE, rank - mask, TAG_UP, topo_channel_job.comm);
        receive(theirs, TOPO_PROBE_VALUES + 1, rank - mask, TAG_DOWN, quietly);
    }
    for (mask /= 2; mask > 0; mask /= 2)
        if (rank + mask < ranks)
            PMPI_Send(theirs, TOPO_PROBE_VALUES + 1, MPI_DOUBLE, rank + mask, TAG_DOWN, topo_channel_job.comm);
    memcpy(values, theirs, TOPO_PROBE_VALUES * sizeof *values);
    *word = theirs[TOPO_PROBE_VALUES];
}

/* ---- probes --------------------------------------------------------------------------------------------------------
 */

/* The first rank says in each message whether it is the last. */
static void ping(const struct topo_probe *probe, int other, bool first, char *memory, double values[TOPO_PROBE_VALUES])
{
    enum { LEAST = 4, LEAST_SLOW = 2, SLOW = 10 };
    MPI_Comm comm = topo_channel_job.comm;
    double begin = PMPI_Wtime(), shortest = 0;
    int bytes = (int)probe->bytes, code = MPI_SUCCESS;
    for (int i = 0; code == MPI_SUCCESS; i++) {
        double start = PMPI_Wtime(), seconds;
        int least = start - begin > SLOW * probe->limit ? LEAST_SLOW : LEAST;
        memory[0] = i + 1 >= probe->times || (i + 1 >= least && start - begin > probe->limit);
        if (first)
            code = PMPI_Send(memory, bytes, MPI_BYTE, other, TAG, comm);
        bool last = memory[0];
        if (code == MPI_SUCCESS)
            code = PMPI_Recv(memory, bytes, MPI_BYTE, other, TAG, comm, MPI_STATUS_IGNORE);
        last = first ? last : memory[0];
        if (!first && code == MPI_SUCCESS)
            code = PMPI_Send(memory, bytes, MPI_BYTE, other, TAG, comm);
        seconds = (PMPI_Wtime() - start) / 2;
        if (first && i > 0 && (shortest == 0 || seconds < shortest)) /* the first one opens connections */
            shortest = seconds;
        if (last)
            break;
    }
    values[0] = shortest;
}

/* Both send what memory[0] is of the first one, whose word *last becomes. */
static void exchange(const struct topo_probe *probe, int other, bool first, bool *last, char *memory)
{
    MPI_Request request[2 * TOPO_PROBE_MESSAGES];
    MPI_Comm comm = topo_channel_job.comm;
    int bytes = (int)probe->bytes, count = probe->messages;
    for (int m = 0; m < 2 * count; m++)
        request[m] = MPI_REQUEST_NULL;
    memory[0] = *last;
    for (int m = 0; m < count; m++)
        PMPI_Irecv(memory + (size_t)(m + 1) * TOPO_CROWD_LONG, bytes, MPI_BYTE, other, TAG, comm, &request[m]);
    for (int m = 0; m < count; m++)
        PMPI_Isend(memory, bytes, MPI_BYTE, other, TAG, comm, &request[count + m]);
    PMPI_Waitall(2 * count, request, MPI_STATUSES_IGNORE);
    if (!first)
        *last = memory[TOPO_CROWD_LONG];
}

/* A pair that is slower than was thought ends soon after twice the limit, others need not. */
static void crowd(const struct topo_probe *probe, int other, bool first, char *memory, double values[TOPO_PROBE_VALUES])
{
    double begin = PMPI_Wtime();
    bool last = false;
    int batch = 0;
    exchange(probe, other, first, &last, memory); /* which waits for those that sleep, and opens connections */
    for (; batch < TOPO_PROBE_BATCHES && !last; batch++) {
        double start = PMPI_Wtime();
        int i = 0;
        for (; i < probe->times && !last; i++) {
            last = first && PMPI_Wtime() - begin > 2 * probe->limit;
            exchange(probe, other, first, &last, memory);
        }
        values[batch] = (PMPI_Wtime() - start) / i;
    }
    for (; batch > 0 && batch < TOPO_PROBE_BATCHES; batch++)
        values[batch] = values[batch - 1];
}

/* A burst of short messages from the first to the second, which takes them; the first one says when it is enough. */
static double message_cost(const struct topo_probe *probe, int other, bool first, char *memory)
{
    enum { BURST = 50, TIMES = 4 };
    MPI_Comm comm = topo_channel_job.comm;
    double best = 0, begin = PMPI_Wtime();
    for (int time = 0; time < TIMES; time++) {
        char mine = first && PMPI_Wtime() - begin > probe->limit, theirs = 0;
        PMPI_Sendrecv(&mine, 1, MPI_BYTE, other, TAG, &theirs, 1, MPI_BYTE, other, TAG, comm, MPI_STATUS_IGNORE);
        if (mine || theirs)
            break;
        double start = PMPI_Wtime();
        for (int i = 0; i < BURST; i++)
            if (first)
                PMPI_Send(memory, 1, MPI_BYTE, other, TAG, comm);
            else
                PMPI_Recv(memory, 1, MPI_BYTE, other, TAG, comm, MPI_STATUS_IGNORE);
        double each = (PMPI_Wtime() - start) / BURST;
        best = time == 0 || each < best ? each : best;
    }
    return best;
}

static void local(const struct topo_probe *probe, const struct topo_tree *tree, int rank, char *memory,
                  double values[TOPO_PROBE_VALUES])
{
    enum { BYTES = TOPO_PROBE_MEMORY / 2 / sizeof(double) * sizeof(double), TIMES = 5 };
    const struct topo_pairing near = topo_pairing_of(tree, tree->levels);
    double begin = PMPI_Wtime();
    for (int time = 0; rank == 0 && time < TIMES && (time < 2 || PMPI_Wtime() - begin < probe->limit); time++) {
        double start = PMPI_Wtime();
        memcpy(memory, memory + BYTES, BYTES);
        double middle = PMPI_Wtime();
        PMPI_Reduce_local(memory + BYTES, memory, BYTES / (int)sizeof(double), MPI_DOUBLE, MPI_SUM);
        double copy = (middle - start) / BYTES, add = (PMPI_Wtime() - middle) / BYTES;
        values[0] = time < 2 || copy < values[0] ? copy : values[0]; /* the first one finds no pages */
        values[1] = time < 2 || add < values[1] ? add : values[1];
    }
    if (rank == near.first || rank == near.second)
        values[2] = message_cost(probe, rank == near.first ? near.second : near.first, rank == near.first, memory);
}

static void looks(const struct topo_probe *probe, int rank, double values[TOPO_PROBE_VALUES])
{
    double start = PMPI_Wtime(), seconds = 0;
    int i = 0;
    for (; i < probe->times && seconds <= probe->limit; i++) {
        int found;
        PMPI_Iprobe(rank, TAG, topo_channel_job.comm, &found, MPI_STATUS_IGNORE);
        sched_yield();
        seconds = PMPI_Wtime() - start;
    }
    values[0] = seconds / i;
}

void topo_probe_run(const struct topo_probe *probe, const struct topo_tree *tree, int rank, char *memory,
                    double values[TOPO_PROBE_VALUES])
{
    struct topo_pairing pairing;
    int other;
    memset(values, 0, TOPO_PROBE_VALUES * sizeof *values);
    switch (probe->kind) {
    case TOPO_PROBE_PING:
        pairing = topo_pairing_of(tree, probe->shared);
        if (rank == pairing.first || rank == pairing.second)
            ping(probe, rank == pairing.first ? pairing.second : pairing.first, rank == pairing.first, memory, values);
        break;
    case TOPO_PROBE_CROWD:
        other = topo_pairing_partner(tree, probe->shared, rank);
        if (other >= 0)
            crowd(probe, other, rank < other, memory, values);
        break;
    case TOPO_PROBE_LOCAL: local(probe, tree, rank, memory, values); break;
    case TOPO_PROBE_LOOKS: looks(probe, rank, values); break;
    }
}
