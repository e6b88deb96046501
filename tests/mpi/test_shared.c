/* Algorithms through node-shared memory: long and mixed calls, limits on the
 * memory, progress of the application's messages meanwhile, nothing left behind. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "coll/call/operations.h"
#include "coll/allreduce/allreduce.h"
#include "coll/call/choose.h"
#include "job/job.h"
#include "node/shm_name.h"
#include "mpi/harness.h"

/* Rows of allgather, then of allreduce. */
static const char *const names[] = {"leader", "radix", "lanes", "leader", "lanes", "halving"};
enum { GATHERS = 3, NAMES = sizeof names / sizeof *names };

static unsigned char value_of(int rank, size_t at, int call)
{
    return (unsigned char)((unsigned)rank * 37u + (unsigned)(at % 251) * 5u + (unsigned)(at >> 12) + (unsigned)call);
}

static bool gather_is_right(const char *name, MPI_Comm comm, size_t m, int call)
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

/* Sums modulo 2, bit by bit: Open MPI 4.1 does not let sums of bytes wrap round where it uses AVX. */
static bool reduce_is_right(const char *name, MPI_Comm comm, size_t m, int call)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    unsigned char *send = malloc(m), *receive = malloc(m), *sum = calloc(m, 1);
    for (int i = 0; i < ranks; i++)
        for (size_t at = 0; at < m; at++)
            sum[at] ^= value_of(i, at, call);
    for (size_t at = 0; at < m; at++)
        send[at] = receive[at] = value_of(rank, at, call);
    bool good = topo_allreduce(topo_algorithm_find(TOPO_OPERATION_allreduce, name), call % 3 ? send : MPI_IN_PLACE,
                               receive, (int)m, MPI_BYTE, MPI_BXOR, comm) == MPI_SUCCESS;
    good &= !memcmp(receive, sum, m);
    free(send);
    free(receive);
    free(sum);
    return good;
}

/* One call of row `row` with `m` bytes a rank; true when every byte of the result is right. */
static bool call_is_right(int row, MPI_Comm comm, size_t m, int call)
{
    return row < GATHERS ? gather_is_right(names[row], comm, m, call) : reduce_is_right(names[row], comm, m, call);
}

static const char *kind_of(int row)
{
    return row < GATHERS ? "allgather" : "allreduce";
}

/* Several algorithms and lengths after each other without a pause: what one
 * call left in a segment must not be taken for another's. Where ranks have processors to themselves, as some calls
 * believe, they add their operands to a long vector in turn. */
static void mixed(MPI_Comm comm, const char *what)
{
    static const size_t sizes[] = {8, 300000, 1, 70000, 70000, 70000, 4096, 131072, 65, 32768};
    bool oversubscribed = topo_job.oversubscribed;
    for (int i = 0; i < 50; i++) {
        int row = (i * 7 + i / 10) % NAMES;
        size_t m = sizes[i % 10];
        topo_job.oversubscribed = i / 2 % 2;
        harness_check(call_is_right(row, comm, m, i), "%s %s of %zu bytes, call %d, %s", kind_of(row), names[row], m, i,
                      what);
    }
    topo_job.oversubscribed = oversubscribed;
}

static bool has_shared_memory(MPI_Comm comm)
{
    struct topo_comm *state;
    return topo_comm_of(comm, &state) == MPI_SUCCESS && state && state->node &&
           topo_node_stands(state->node, TOPO_SHM_BUFFERS) && topo_node_stands(state->node, TOPO_SHM_REDUCE);
}

/* Sums that depend on the order of additions, not-a-numbers with different bits among
 * them: the same on all ranks, in all forms, and however a longer vector was cut. So many elements go along other paths
 * where nodes are five or seven. */
static void same_bits(MPI_Comm comm, const char *what)
{
    enum { COUNT = 60000, SHORT = 3000 };
    const struct topo_algorithm *leader = topo_algorithm_find(TOPO_OPERATION_allreduce, "leader");
    const struct topo_algorithm *lanes = topo_algorithm_find(TOPO_OPERATION_allreduce, "lanes");
    const struct topo_algorithm *halving = topo_algorithm_find(TOPO_OPERATION_allreduce, "halving");
    int rank;
    MPI_Comm_rank(comm, &rank);
    bool oversubscribed = topo_job.oversubscribed;
    double *send = malloc(COUNT * sizeof *send), *sum[6];
    for (int i = 0; i < COUNT; i++) {
        uint64_t nan = 0x7ff8000000000000u + (uint64_t)rank;
        send[i] = 1.0 / (1 + (rank * 31 + i * 7) % 1009);
        if (i % 97 == rank)
            memcpy(&send[i], &nan, sizeof nan);
    }
    for (int i = 0; i < 6; i++)
        sum[i] = calloc(COUNT, sizeof **sum);
    topo_allreduce(leader, send, sum[0], COUNT, MPI_DOUBLE, MPI_SUM, comm);
    topo_job.oversubscribed = true;
    topo_allreduce(lanes, send, sum[1], COUNT, MPI_DOUBLE, MPI_SUM, comm);
    topo_job.oversubscribed = false;
    topo_allreduce(lanes, send, sum[5], COUNT, MPI_DOUBLE, MPI_SUM, comm);
    topo_job.oversubscribed = oversubscribed;
    topo_allreduce(lanes, send, sum[2], SHORT, MPI_DOUBLE, MPI_SUM, comm);
    topo_allreduce(halving, send, sum[4], COUNT, MPI_DOUBLE, MPI_SUM, comm);
    memcpy(sum[3], sum[0], COUNT * sizeof **sum);
    PMPI_Bcast(sum[3], COUNT, MPI_DOUBLE, 0, comm);
    harness_check(!memcmp(sum[0], sum[3], COUNT * sizeof **sum), "all ranks have the same bits, %s", what);
    harness_check(!memcmp(sum[0], sum[1], COUNT * sizeof **sum), "leader and lanes give the same bits, %s", what);
    harness_check(!memcmp(sum[1], sum[5], COUNT * sizeof **sum), "ranks that add in turn give the same bits, %s", what);
    harness_check(!memcmp(sum[0], sum[4], COUNT * sizeof **sum), "leader and halving give the same bits, %s", what);
    harness_check(!memcmp(sum[1], sum[2], SHORT * sizeof **sum), "a part of the vector gives the same bits, %s", what);
    /* Each rank adds up for itself, one rank for all, with and without groups that were added up before. Without shared
     * memory a short sum goes by doubling, a long one by halving. */
    static const int lengths[] = {1, 5, 200, 1500, SHORT, 9000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths && has_shared_memory(comm); i++) {
        topo_allreduce(leader, send, sum[2], lengths[i], MPI_DOUBLE, MPI_SUM, comm);
        harness_check(!memcmp(sum[1], sum[2], (size_t)lengths[i] * sizeof **sum),
                      "leader gives %d elements the same bits, %s", lengths[i], what);
    }
    for (int i = 0; i < 6; i++)
        free(sum[i]);
    free(send);
}

static void limits(const char *machine)
{
    static const char *const limit[] = {"0", "1", "20K", "70K", "300K", "64M"};
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

/* Memory refused to a row for blocks that `auto` takes another one for, or to one that it would have taken: only
 * the second says that there is none for what `auto` wants. */
static void refusals(void)
{
    static const struct {
        const char *limit;
        size_t m;
        bool stays;
    } calls[] = {{"1M", 600000, true}, {"1", 64, false}};
    const struct topo_algorithm *native = topo_algorithm_native(TOPO_OPERATION_allgather), *before, *after;
    int ranks;
    char machine[40];
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(machine, sizeof machine, "synthetic:node:1 core:%d", ranks);
    for (size_t i = 0; ranks > 1 && i < sizeof calls / sizeof *calls; i++) {
        MPI_Comm comm;
        harness_option("TOPOMPI_SHARED", calls[i].limit);
        if (!harness_use_machine(machine))
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        before = topo_algorithm_for(comm, TOPO_OPERATION_allgather, 64, false);
        harness_check(gather_is_right("leader", comm, calls[i].m, 0), "leader of %zu bytes with %s shared", calls[i].m,
                      calls[i].limit);
        after = topo_algorithm_for(comm, TOPO_OPERATION_allgather, 64, false);
        harness_check(before != native && after == (calls[i].stays ? before : native),
                      "auto takes %s after leader of %zu bytes with %s shared", after->name, calls[i].m,
                      calls[i].limit);
        MPI_Comm_free(&comm);
    }
    harness_option("TOPOMPI_SHARED", "64M");
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
            bool good = call_is_right(i, comm, 100000, i);
            if (rank == receiver && sender != receiver) {
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                good &= data[INTS - 1] == 4711;
            } else if (rank == receiver) {
                MPI_Cancel(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            harness_check(good, "%s %s while rank %d waits in a send to rank %d", kind_of(i), names[i], sender,
                          receiver);
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
    good &= call_is_right(2, comm, 5000, 0);
    MPI_Comm_free(&comm);
    int descriptors = entries("/proc/self/fd", "");
    for (int i = 0; i < 1000; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        good &= call_is_right(i % NAMES, comm, i % 50 == 0 ? 5000 : 16, i);
        MPI_Comm_free(&comm);
    }
    harness_check(good, "a thousand communicators, one after the other");
    good = true;
    for (int i = 0; i < 40; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &kept[i]);
        good &= call_is_right(i % NAMES, kept[i], 5000, i);
    }
    for (int i = 0; i < 40; i++) {
        good &= call_is_right((i + 1) % NAMES, kept[i], 6000, i);
        MPI_Comm_free(&kept[i]);
    }
    harness_check(good, "forty communicators at once");
    harness_check(entries("/proc/self/fd", "") <= descriptors, "no descriptor is left open");
    MPI_Barrier(MPI_COMM_WORLD);
    harness_check(entries("/dev/shm", "topompi-") == 0, "no segment is left in /dev/shm");
}

/* A file in `folder` with the name of a segment of `process`, last written `age` seconds ago; its name in `path`. */
static bool leave_name(char path[300], const char *folder, int process, int age)
{
    char name[TOPO_SHM_NAME_BYTES];
    struct timespec times[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    bool good = topo_shm_name(name);
    snprintf(path, 300, "%s/topompi-%d-%s", folder, process, strrchr(name, '-') + 1);
    int file = open(path, O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR);
    good &= file >= 0 && futimens(file, times) == 0;
    close(file);
    return good;
}

/* What one rank makes the others of its user open, whatever the umask takes from new files. */
static void rights(void)
{
    char name[TOPO_SHM_NAME_BYTES];
    struct stat status = {0};
    mode_t before = umask(0777);
    bool good = topo_shm_name(name);
    int file = topo_shm_create(name);
    umask(before);
    good &= file >= 0 && fstat(file, &status) == 0 && shm_unlink(name) == 0;
    close(file);
    harness_check(good && (status.st_mode & 0777) == (S_IRUSR | S_IWUSR), "a region that its user alone may open");
}

enum { NOBODY = INT_MAX }; /* above every process's number */

/* Names of processes that were killed while they made a segment go, all others stay. */
static void orphans(void)
{
    char folder[] = "/tmp/topompi-test-XXXXXX", old[300], young[300], ours[300], other[300], named[301];
    bool good = mkdtemp(folder) && leave_name(other, folder, NOBODY, 100) && leave_name(young, folder, NOBODY, 0) &&
                leave_name(ours, folder, getpid(), 100) && leave_name(old, folder, NOBODY, 100);
    snprintf(named, sizeof named, "%s+", other);
    good &= rename(other, named) == 0;
    topo_shm_sweep(folder);
    harness_check(good && access(old, F_OK) != 0, "the name of a process that is no more goes");
    /* Each is there until here. */
    harness_check(unlink(young) == 0, "a young name stays");
    harness_check(unlink(ours) == 0, "the name of a process that lives stays");
    harness_check(unlink(named) == 0, "what has another form of name stays");
    rmdir(folder);
}

int main(int argc, char **argv)
{
    const char *machine, *last = NULL;
    char orphan[300];
    int rank;
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    orphans();
    rights();
    /* The first segment that is made removes it; many_communicators() looks. */
    if (argc > 1) /* regions have names (tests/named.c) */
        harness_check(rank != 0 || leave_name(orphan, "/dev/shm", NOBODY, 100),
                      "a name in /dev/shm that nobody removed");
    for (int i = 0; (machine = harness_machine(i)); i++) {
        MPI_Comm comm;
        last = machine;
        if (!harness_use_machine(machine))
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        mixed(comm, machine);
        same_bits(comm, machine);
        progress(comm);
        MPI_Comm_free(&comm);
    }
    refusals();
    limits(last);
    many_communicators();
    return harness_finish();
}
