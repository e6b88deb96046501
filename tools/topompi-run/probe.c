/* topompi-probe-FAMILY: the program that topompi-run --check starts. It says for each node whether the library, MPI,
 * the machine and shared memory are as they are to be, and measures the native calls and the library's. What it knows
 * of the library it asks by topompi.h. There is one for each family of MPI libraries (family/family.h), linked with
 * none: it opens the one that it is told, as Python does. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mpi.h>

#include "topompi.h"

#include "common/native.h"
#include "family/known.h"
#include "topompi-run/probe.h"

/* Open MPI's handles are addresses of variables. */
#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) \
    (__extension__({ \
        static void *known_; \
        if (!known_) \
            known_ = native_symbol(#global); \
        (type) known_; \
    }))
#endif

/* MPI_X as a program calls it: the library's, where that is loaded. */
#define CALL(name) \
    (__extension__({ \
        static __typeof__(&PMPI_##name) known_; \
        if (!known_) \
            known_ = (__typeof__(&PMPI_##name))dlsym(RTLD_DEFAULT, "MPI_" #name); \
        known_; \
    }))

/* What the library in this process says; NULL where it is not loaded or does nothing. */
static const char *library_version(void)
{
    const char *(*version)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "topompi_version");
    return version ? version() : NULL;
}

static const char *library_machine(void)
{
    const char *(*machine)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "topompi_machine");
    return machine ? machine() : NULL;
}

const char *probe_algorithm(const char *operation, size_t bytes)
{
    const char *(*algorithm)(MPI_Comm, const char *, size_t) =
        (const char *(*)(MPI_Comm, const char *, size_t))dlsym(RTLD_DEFAULT, "topompi_algorithm");
    const char *name = algorithm ? algorithm(MPI_COMM_WORLD, operation, bytes) : NULL;
    return name ? name : "native";
}

/* The name of the core for this MPI library where it lies beside the library; empty: it is not there. */
static void find_core(char *core, size_t size)
{
    char path[PATH_MAX];
    Dl_info info;
    void *version = dlsym(RTLD_DEFAULT, "topompi_version");
    const char *slash = version && dladdr(version, &info) ? strrchr(info.dli_fname, '/') : NULL;
    int folder = slash ? (int)(slash - info.dli_fname) : 0;
    snprintf(path, sizeof path, "%.*s/libtopompi-core-%s.so", folder, slash ? info.dli_fname : "", PROBE_FAMILY);
    snprintf(core, size, "%s", slash && access(path, R_OK) == 0 ? PROBE_FAMILY : "");
}

/* The first line of what the MPI library says of itself. */
static void say_mpi(char *text, size_t size)
{
    static char mpi[8192];
    int length;
    NATIVE(Get_library_version)(mpi, &length);
    mpi[strcspn(mpi, ",\n")] = '\0';
    char *to = mpi;
    for (const char *at = mpi; *at; at++)
        if (!strchr(" \t", *at))
            *to++ = *at;
        else if (to > mpi && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    snprintf(text, size, "%.*s", (int)size - 1, mpi);
}

/* Is there memory that ranks of this node can share as the library does it, without a name, else in /dev/shm? 0, or an
 * errno. */
static int try_shared_memory(void)
{
    enum { BYTES = 1 << 20 };
    char name[64];
    snprintf(name, sizeof name, "/topompi-probe-%ld", (long)getpid());
    int fd = -1;
#ifdef SYS_memfd_create
    fd = (int)syscall(SYS_memfd_create, "topompi-probe", 0);
#endif
    bool named = fd < 0;
    if (named)
        fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    int code = fd < 0 ? errno : 0;
    if (fd < 0)
        return code;
    code = posix_fallocate(fd, 0, BYTES);
    void *at = code ? MAP_FAILED : mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!code && at == MAP_FAILED)
        code = errno;
    if (at != MAP_FAILED)
        munmap(at, BYTES);
    close(fd);
    if (named)
        shm_unlink(name);
    return code;
}

static void look(struct probe_rank *own)
{
    struct statvfs space;
    MPI_Comm node;
    int length;
    char text[1024];
    memset(own, 0, sizeof *own);
    NATIVE(Get_processor_name)(text, &length);
    snprintf(own->host, sizeof own->host, "%.*s", (int)sizeof own->host - 1, text);
    say_mpi(own->mpi, sizeof own->mpi);
    find_core(own->core, sizeof own->core);
    snprintf(own->version, sizeof own->version, "%s", library_version() ? library_version() : "");
    snprintf(own->machine, sizeof own->machine, "%s", library_machine() ? library_machine() : "");
    NATIVE(Comm_split_type)(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    NATIVE(Comm_rank)(node, &own->node_rank);
    NATIVE(Comm_size)(node, &own->node_ranks);
    NATIVE(Comm_free)(&node);
    if (own->node_rank == 0) {
        own->shared_code = try_shared_memory();
        own->shared_free = statvfs("/dev/shm", &space) ? -1 : (long long)space.f_bavail * (long long)space.f_frsize;
    }
}

/* -- measuring -- */

static void *out, *in;

static int call(enum probe_operation operation, bool native, int bytes)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int count = bytes / (int)sizeof(double);
    switch (operation) {
    case PROBE_ALLGATHER:
        return (native ? NATIVE(Allgather) : CALL(Allgather))(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
    case PROBE_ALLREDUCE:
        return (native ? NATIVE(Allreduce) : CALL(Allreduce))(out, in, count, MPI_DOUBLE, MPI_SUM, comm);
    case PROBE_ALLTOALL:
        return (native ? NATIVE(Alltoall) : CALL(Alltoall))(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
    case PROBE_BCAST: return (native ? NATIVE(Bcast) : CALL(Bcast))(out, bytes, MPI_BYTE, 0, comm);
    default: return (native ? NATIVE(Barrier) : CALL(Barrier))(comm);
    }
}

/* Seconds of one of `calls` in a row, of the slowest rank. */
static double timed(enum probe_operation operation, bool native, int bytes, int calls)
{
    NATIVE(Barrier)(MPI_COMM_WORLD);
    double start = NATIVE(Wtime)(), seconds, slowest;
    for (int i = 0; i < calls; i++)
        call(operation, native, bytes);
    seconds = (NATIVE(Wtime)() - start) / calls;
    NATIVE(Allreduce)(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of `count` seconds in order, the quartiles beside it. */
static struct probe_time time_of(const double *seconds, int count)
{
    return (struct probe_time){seconds[count / 4], seconds[count / 2], seconds[count - 1 - count / 4]};
}

/* Native and ours in turn. What is counted is equal on all ranks. */
static void measure(struct probe_row *row)
{
    enum { ROUNDS = 9, CALLS_MAX = 200 };
    const double warm = 0.05, round = 0.004;
    double seconds[2][ROUNDS], once = timed(row->operation, true, row->bytes, 2);
    int calls = (int)(warm / once);
    calls = calls < 2 ? 2 : calls > CALLS_MAX ? CALLS_MAX : calls;
    timed(row->operation, false, row->bytes, calls); /* the library begins where a communicator is used more */
    once = timed(row->operation, true, row->bytes, calls);
    calls = (int)(round / once);
    calls = calls < 1 ? 1 : calls > CALLS_MAX ? CALLS_MAX : calls;
    for (int i = 0; i < ROUNDS; i++) {
        seconds[0][i] = timed(row->operation, true, row->bytes, calls);
        seconds[1][i] = timed(row->operation, false, row->bytes, calls);
    }
    qsort(seconds[0], ROUNDS, sizeof(double), by_size);
    qsort(seconds[1], ROUNDS, sizeof(double), by_size);
    row->native = time_of(seconds[0], ROUNDS);
    row->ours = time_of(seconds[1], ROUNDS);
    row->algorithm = probe_algorithm(probe_operation_name(row->operation), (size_t)row->bytes);
}

/* The rows into report->row. Buffers of 64 MiB at most: many ranks leave long messages out. */
static void measure_all(struct probe_report *report)
{
    static const int sizes[] = {8, 4096, 262144};
    const size_t most = (size_t)64 << 20;
    size_t bytes = (size_t)sizes[2] * (size_t)report->ranks;
    bytes = bytes > most ? most : bytes;
    out = calloc(1, bytes);
    in = calloc(1, bytes);
    int have = out && in, all = 0;
    NATIVE(Allreduce)(&have, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    for (int operation = 0; all && operation < PROBE_OPERATIONS; operation++)
        for (int i = 0; i < 3; i++) {
            struct probe_row *row = &report->row[report->rows];
            if ((size_t)sizes[i] * (size_t)report->ranks > bytes || (operation == PROBE_BARRIER && i > 0))
                continue;
            *row = (struct probe_row){.operation = (enum probe_operation)operation,
                                      .bytes = operation == PROBE_BARRIER ? 0 : sizes[i]};
            measure(row);
            report->rows++;
        }
    free(out);
    free(in);
}

/* Processes that the launcher started together, by the innermost one's variable: mpirun starts its daemons by srun. 0:
 * it does not say. To be asked before MPI_Init(), which may set them. */
static int started(void)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (getenv(counts[i]))
            return atoi(getenv(counts[i]));
    /* Where it is not the first, there are others. */
    const char *rank = topo_launched_rank();
    return rank ? atoi(rank) + 1 : 0;
}

/* Opens the first of these that is on this node. */
static bool open_mpi(char *const *library)
{
    char host[256] = "", text[64];
    void *object = NULL;
    gethostname(host, sizeof host - 1);
    for (int i = 0; !object && library[i]; i++)
        object = dlopen(library[i], RTLD_NOW | RTLD_GLOBAL);
    if (!object) {
        fprintf(stderr, "topompi-probe: %s: no MPI library: %s\n", host, *library ? dlerror() : "none is named");
        return false;
    }
    say_mpi(text, sizeof text);
    const struct topo_product *product = topo_product_of(text);
    if (strcmp(PROBE_FAMILY, "abi") != 0 && (!product || strcmp(product->family, PROBE_FAMILY) != 0)) {
        fprintf(stderr, "topompi-probe: %s: TopoMPI has no core for %s\n", host, text);
        return false;
    }
    return true;
}

/* topompi-probe-FAMILY [--json] [--program NAME | --unknown NAME] LIBRARY... */
int main(int argc, char **argv)
{
    struct probe_rank own;
    struct probe_report report = {.started = started(), .family = PROBE_FAMILY};
    int rank, status = 0, at = 1;
    for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
        report.json |= !strcmp(argv[at], "--json");
        if (!strcmp(argv[at], "--program") && at + 1 < argc)
            report.program = argv[++at];
        else if (!strcmp(argv[at], "--unknown") && at + 1 < argc)
            report.unknown = argv[++at];
    }
    if (!open_mpi(argv + (at < argc ? at : argc)))
        return 1;
    CALL(Init)(&argc, &argv);
    NATIVE(Comm_rank)(MPI_COMM_WORLD, &rank);
    NATIVE(Comm_size)(MPI_COMM_WORLD, &report.ranks);
    look(&own);
    report.rank = calloc((size_t)report.ranks, sizeof own);
    if (!report.rank)
        NATIVE(Abort)(MPI_COMM_WORLD, 1);
    NATIVE(Allgather)(&own, (int)sizeof own, MPI_BYTE, report.rank, (int)sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    /* All ranks know what all said, and whether there is something to measure. */
    probe_judge(&report);
    if (*report.rank[0].machine && report.ranks > 1)
        measure_all(&report);
    if (rank == 0)
        status = probe_print(&report);
    free(report.rank);
    CALL(Finalize)();
    return status;
}
