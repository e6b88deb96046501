/* Algorithms through node-shared memory: long and mixed calls, limits on the
 * memory, progress of the application's messages meanwhile, nothing left behind. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "coll/allgather/allgather.h"
#include "comm/job.h"
#include "mpi/harness.h"

static const char *const names[] = {"leader", "radix", "lanes"};
enum { NAMES = sizeof names / sizeof *names };

static unsigned char value_of(int rank, size_t at, int call)
{
    return (unsigned char)((unsigned)rank * 37u + (unsigned)(at % 251) * 5u + (unsigned)(at >> 12) + (unsigned)call);
}

/* One call of `m` bytes a rank; true when every byte of the result is right. */
static bool call_is_right(const char *name, MPI_Comm comm, size_t m, int call)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    unsigned char *send = malloc(m), *receive = calloc((size_t)ranks, m);
    for (size_t at = 0; at < m; at++)
        send[at] = value_of(rank, at, call);
    bool good = topo_allgather(topo_algorithm_find(TOPO_OPERATION_allgather, name), send, (int)m, MPI_BYTE, receive,
                               (int)m, MPI_BYTE, comm) == MPI_SUCCESS;
    for (int i = 0; i < ranks; i++)
        for (size_t at = 0; at < m; at++)
            good &= receive[(size_t)i * m + at] == value_of(i, at, call);
    free(send);
    free(receive);
    return good;
}

/* Several algorithms and lengths after each other without a pause: what one
 * call left in a segment must not be taken for another's. */
static void mixed(MPI_Comm comm, const char *what)
{
    static const size_t sizes[] = {8, 300000, 1, 70000, 70000, 70000, 4096, 131072, 65, 32768};
    for (int i = 0; i < 30; i++) {
        const char *name = names[(i * 7 + i / 10) % NAMES];
        size_t m = sizes[i % 10];
        harness_check(call_is_right(name, comm, m, i), "%s of %zu bytes, call %d, %s", name, m, i, what);
    }
}

static void limits(const char *machine)
{
    static const char *const limit[] = {"0", "1", "20K", "300K", "64M"};
    for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
        MPI_Comm comm;
        harness_option("TOPOMPI_SHARED", limit[i]);
        if (!harness_use_machine(machine))
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        mixed(comm, limit[i]);
        MPI_Comm_free(&comm);
    }
}

/* A rank may come to the collective only when a long message to a rank that is
 * already in it is through (MPI 3.1, section 3.5). */
static void progress(MPI_Comm comm)
{
    enum { INTS = 1 << 20 };
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *data = calloc(INTS, sizeof *data);
    for (int i = 0; i < NAMES; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        for (int sender = 0; sender<ranks; sender += ranks> 1 ? ranks - 1 : 1) {
            int receiver = ranks - 1 - sender;
            memset(data, 0, INTS * sizeof *data);
            if (rank == receiver)
                MPI_Irecv(data, INTS, MPI_INT, sender, 9, comm, &request);
            if (rank == sender && sender != receiver) {
                data[INTS - 1] = 4711;
                MPI_Send(data, INTS, MPI_INT, receiver, 9, comm);
            }
            bool good = call_is_right(names[i], comm, 100000, i);
            if (rank == receiver && sender != receiver) {
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                good &= data[INTS - 1] == 4711;
            } else if (rank == receiver) {
                MPI_Cancel(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            harness_check(good, "%s while rank %d waits in a send to rank %d", names[i], sender, receiver);
        }
    }
    free(data);
}

/* Entries of a folder, those of `prefix` alone. */
static int entries(const char *folder, const char *prefix)
{
    DIR *directory = opendir(folder);
    int count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += !strncmp(entry->d_name, prefix, strlen(prefix));
    if (directory)
        closedir(directory);
    return count;
}

static void many_communicators(void)
{
    MPI_Comm comm, kept[40];
    bool good = true;
    /* The first call may open what MPI itself keeps. */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    good &= call_is_right("lanes", comm, 5000, 0);
    MPI_Comm_free(&comm);
    int descriptors = entries("/proc/self/fd", "");
    for (int i = 0; i < 1000; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        good &= call_is_right(names[i % NAMES], comm, i % 50 == 0 ? 5000 : 16, i);
        MPI_Comm_free(&comm);
    }
    harness_check(good, "a thousand communicators, one after the other");
    good = true;
    for (int i = 0; i < 40; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &kept[i]);
        good &= call_is_right(names[i % NAMES], kept[i], 5000, i);
    }
    for (int i = 0; i < 40; i++) {
        good &= call_is_right(names[(i + 1) % NAMES], kept[i], 6000, i);
        MPI_Comm_free(&kept[i]);
    }
    harness_check(good, "forty communicators at once");
    harness_check(entries("/proc/self/fd", "") <= descriptors, "no descriptor is left open");
    MPI_Barrier(MPI_COMM_WORLD);
    harness_check(entries("/dev/shm", "topompi-") == 0, "no segment is left in /dev/shm");
}

int main(int argc, char **argv)
{
    const char *machine, *last = NULL;
    harness_start(&argc, &argv);
    for (int i = 0; (machine = harness_machine(i)); i++) {
        MPI_Comm comm;
        last = machine;
        if (!harness_use_machine(machine))
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        mixed(comm, machine);
        progress(comm);
        MPI_Comm_free(&comm);
    }
    limits(last);
    many_communicators();
    return harness_finish();
}
