#include "observe/trace.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/log.h"
#include "base/processors.h"
#include "catalog/options.h"
#include "job/job.h"
#include "observe/trace_file.h"
#include "observe/trace_names.h"
#include "observe/trace_parts.h"
#include "topompi.h"

bool topo_trace_on;

static struct topo_trace_file file;
struct topo_trace_writer topo_trace_out;
pthread_mutex_t topo_trace_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local const struct topo_algorithm *running;

void topo_trace_ran(const struct topo_algorithm *algorithm)
{
    running = algorithm;
}

bool topo_trace_takes(MPI_Comm comm)
{
    int inter = 0;
    if (comm != MPI_COMM_NULL && PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter)
        return true;
    running = NULL;
    return false;
}

void topo_trace_collective(uint64_t entered, enum topo_trace_op op, MPI_Comm comm, int root, uint64_t bytes,
                           const struct topo_trace_counts *counts)
{
    uint64_t left = topo_trace_enter();
    const struct topo_algorithm *algorithm = running;
    int count;
    running = NULL;
    pthread_mutex_lock(&topo_trace_lock);
    struct topo_trace_collective call = {.op = op, .bytes = bytes, .root = root > 0 ? (unsigned)root : 0};
    call.gap = topo_trace_gap_until(entered);
    call.nanoseconds = left - entered;
    const struct topo_trace_members *members = topo_trace_members_of(comm);
    PMPI_Comm_size(comm, &count);
    if (counts && members)
        call.vector = topo_trace_vector_of(counts, count);
    if (algorithm && algorithm != topo_algorithm_native(algorithm->operation))
        call.algorithm = topo_trace_name(&topo_trace_out, algorithm->name);
    if (members && call.root < (unsigned)count) {
        call.group = members->id;
        topo_trace_write_collective(&topo_trace_out, &call);
    }
    topo_trace_event_ended(left, bytes ^ (uint64_t)op << 56 ^ (uint64_t)call.group << 40 ^ (uint64_t)call.vector << 20);
    pthread_mutex_unlock(&topo_trace_lock);
}

/* This rank's clock against rank 0's: the best of several round trips. */
static int64_t clock_offset(MPI_Comm comm, int rank, int ranks)
{
    enum { ROUNDS = 8 };
    int64_t offset = 0;
    for (int other = 1; other < ranks; other++) {
        uint64_t best = UINT64_MAX;
        for (int round = 0; round < ROUNDS && (rank == 0 || rank == other); round++) {
            uint64_t stamp = 0, sent = topo_trace_enter();
            if (rank == 0) {
                PMPI_Recv(&stamp, 1, MPI_UINT64_T, other, 0, comm, MPI_STATUS_IGNORE);
                stamp = topo_trace_enter();
                PMPI_Send(&stamp, 1, MPI_UINT64_T, other, 0, comm);
                continue;
            }
            PMPI_Send(&stamp, 1, MPI_UINT64_T, 0, 0, comm);
            PMPI_Recv(&stamp, 1, MPI_UINT64_T, 0, 0, comm, MPI_STATUS_IGNORE);
            uint64_t back = topo_trace_enter();
            if (back - sent < best) {
                best = back - sent;
                offset = (int64_t)(stamp - (sent + (back - sent) / 2));
            }
        }
    }
    return offset;
}

static int usable_cpus(void)
{
    cpu_set_t set;
    int usable = topo_processors_usable(&set);
    return usable > 0 ? usable : topo_processors();
}

/* Ranks of this rank's node. */
static int neighbours(int rank)
{
    return topo_job.tree ? topo_tree_node_ranks(topo_job.tree, rank) : 1;
}

/* A job of one rank has no shared options: its own environment counts. */
static const char *wanted_folder(int ranks)
{
    if (topo_job.active)
        return topo_job.options.value[TOPO_OPTION_TRACE].text;
    return ranks == 1 ? topo_environment(topo_option_info(TOPO_OPTION_TRACE)->name) : NULL;
}

/* The file is mapped shared: what a child of this process wrote there would be in its parent's trace. */
static void stop_in_child(void)
{
    topo_trace_on = false;
}

static enum topo_status open_file(const char *folder, int rank, struct topo_error *error)
{
    int code = pthread_atfork(NULL, NULL, stop_in_child);
    if (code != 0)
        return topo_fail(error, TOPO_NOMEM, "TOPOMPI_TRACE=%.300s: %s", folder, strerror(code));
    return topo_trace_file_open(folder, rank, &file, &topo_trace_out, error);
}

void topo_trace_start(void)
{
    struct topo_trace_job job = {.version = TOPOMPI_VERSION, .program = program_invocation_short_name};
    struct topo_error error = {""};
    char host[256] = "?";
    MPI_Comm comm;
    PMPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    const char *folder = wanted_folder(job.ranks);
    if (!folder || !*folder || PMPI_Comm_split(MPI_COMM_WORLD, 0, job.rank, &comm) != MPI_SUCCESS)
        return;
    int failed = open_file(folder, job.rank, &error) == TOPO_OK ? INT_MAX : job.rank, first;
    PMPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == job.rank)
        topo_say("rank %d: %s; there is no trace", job.rank, error.text);
    job.id = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid() ^ topo_trace_enter();
    PMPI_Bcast(&job.id, 1, MPI_UINT64_T, 0, comm);
    job.to_rank0 = clock_offset(comm, job.rank, job.ranks);
    PMPI_Comm_free(&comm);
    if (first != INT_MAX) {
        topo_trace_file_close(&file, &topo_trace_out);
        return;
    }
    gethostname(host, sizeof host - 1);
    job.host = host;
    job.cpus = usable_cpus();
    topo_trace_gap_start(neighbours(job.rank) > job.cpus);
    job.started = (int64_t)time(NULL);
    job.clock = topo_trace_enter();
    topo_trace_comm_start();
    topo_trace_write_magic(&topo_trace_out);
    topo_trace_write_job(&topo_trace_out, &job);
    topo_trace_event_ended(job.clock, 0);
    topo_trace_on = true;
}

void topo_trace_stop(void)
{
    if (!topo_trace_on)
        return;
    pthread_mutex_lock(&topo_trace_lock);
    topo_trace_on = false;
    struct topo_trace_gap gap = topo_trace_gap_until(topo_trace_enter());
    if (topo_trace_out.dropped)
        topo_trace_write_lost(&topo_trace_out);
    topo_trace_write_finish(&topo_trace_out, gap);
    topo_trace_file_close(&file, &topo_trace_out);
    topo_trace_comm_stop();
    topo_trace_names_free();
    pthread_mutex_unlock(&topo_trace_lock);
}
