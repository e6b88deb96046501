/* Calls of MPI of every group of the report, on each rank the same. Rank 0 prints "called MPI_X N" for each name, the
 * calls of all ranks, "bytes MPI_X N" for what they hand over, and "ok". The argument is a folder for files; with
 * another one the job ends by MPI_Abort. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

enum { NAMES = 64, TESTS = 100, BLOCK = 5 };

static struct {
    const char *name;
    int calls;
} called[NAMES];
static int names, wrong, rank, ranks;

static void note(const char *name)
{
    int i = 0;
    while (i < names && strcmp(called[i].name, name) != 0)
        i++;
    names += i == names;
    called[i].name = name;
    called[i].calls++;
}
#define CALL(X, ...) (note("MPI_" #X), MPI_##X(__VA_ARGS__))

/* What MPI calls is none of the program's calls. */
static void add(void *in, void *out, int *length, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *length; i++)
        ((int *)out)[i] += ((int *)in)[i];
}

static void messages(void)
{
    const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    int out[BLOCK] = {rank}, in[BLOCK], flag, sum;
    MPI_Request request[2], none = MPI_REQUEST_NULL;
    for (int i = 0; i < 3; i++) {
        CALL(Irecv, in, BLOCK, MPI_INT, last, 0, MPI_COMM_WORLD, &request[0]);
        CALL(Isend, out, BLOCK, MPI_INT, next, 0, MPI_COMM_WORLD, &request[1]);
        CALL(Waitall, 2, request, MPI_STATUSES_IGNORE);
        wrong += in[0] != last;
    }
    CALL(Sendrecv, out, 1, MPI_DOUBLE, next, 1, in, 1, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CALL(Send, out, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    for (int i = 0; i < TESTS; i++) {
        CALL(Test, &none, &flag, MPI_STATUS_IGNORE);
        CALL(Iprobe, last, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        wrong += flag;
    }
    CALL(Iallreduce, &rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    CALL(Wait, &request[0], MPI_STATUS_IGNORE);
    wrong += sum != ranks * (ranks - 1) / 2;
}

static void memory_and_files(const char *folder)
{
    int value = -1, *base = &value, seen = -1;
    char name[4096];
    MPI_Win window;
    MPI_File file;
    CALL(Win_create, base, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    CALL(Win_fence, 0, window);
    CALL(Put, &rank, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
    CALL(Win_fence, 0, window);
    CALL(Win_free, &window);
    snprintf(name, sizeof name, "%s/%d", folder, rank);
    CALL(File_open, MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    CALL(File_write_at, file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(File_read_at, file, 0, &seen, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(File_close, &file);
    wrong += seen != rank;
}

static void collectives(void)
{
    int sum, size;
    MPI_Comm twin;
    MPI_Op op;
    MPI_Datatype pair;
    CALL(Comm_dup, MPI_COMM_WORLD, &twin);
    CALL(Op_create, add, 1, &op);
    for (int i = 0; i < 7; i++) {
        CALL(Allreduce, &rank, &sum, 1, MPI_INT, op, twin);
        wrong += sum != ranks * (ranks - 1) / 2;
    }
    CALL(Op_free, &op);
    CALL(Comm_free, &twin);
    CALL(Type_contiguous, 2, MPI_INT, &pair);
    CALL(Type_size, pair, &size);
    CALL(Type_free, &pair);
    wrong += size != 2 * sizeof(int);
}

/* Numbers, and arguments of any number and type. */
static void others(void)
{
    double before = CALL(Wtime), tick = CALL(Wtick);
    for (int i = 0; i < 20; i++) {
        double now = CALL(Wtime);
        wrong += now < before || tick <= 0 || tick > 1;
        before = now;
    }
    CALL(Pcontrol, 1);
    CALL(Pcontrol, 2, "region", 3.5);
    wrong += MPI_Aint_diff(MPI_Aint_add(64, 8), 8) != 64;
}

/* Names that some MPI libraries lack: there are as many of MPI_X as of PMPI_X, which nobody but MPI has. */
extern int session(void) __asm__("MPI_Session_finalize") __attribute__((weak));
extern int own_session(void) __asm__("PMPI_Session_finalize") __attribute__((weak));
static void names_as_natively(void)
{
    static const char *const asked[] = {"PMPI_Session_init",         "PMPI_Send_c",     "PMPI_Allreduce_init",
                                        "PMPI_Iallreduce_c",         "PMPI_Psend_init", "PMPI_Aint_add",
                                        "PMPI_Neighbor_alltoallw_c", "PMPI_Isendrecv",  "PMPI_Win_create_c"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (!dlsym(RTLD_DEFAULT, asked[i]) != !dlsym(RTLD_DEFAULT, asked[i] + 1)) {
            wrong++;
            printf("rank %d: %s\n", rank, asked[i]);
        }
    wrong += !session != !own_session;
}

/* Ends the job before MPI_Finalize, when all ranks have come here. */
static void leave(const char *folder)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/left%d", folder, rank);
    close(creat(name, 0600));
    for (int i = 0; i < ranks; i++)
        for (snprintf(name, sizeof name, "%s/left%d", folder, i); access(name, F_OK) != 0 || rank != 0;)
            usleep(1000);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    CALL(Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(Comm_size, MPI_COMM_WORLD, &ranks);
    messages();
    memory_and_files(argv[1]);
    collectives();
    others();
    names_as_natively();
    CALL(Allreduce, MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < names && rank == 0; i++)
        printf("called %s %d\n", called[i].name, called[i].calls * ranks);
    if (rank == 0)
        printf("bytes MPI_Isend %zu\nbytes MPI_Sendrecv %zu\nbytes MPI_Put %zu\nbytes MPI_File_write_at %zu\n%s",
               3 * BLOCK * sizeof(int) * (size_t)ranks, sizeof(double) * (size_t)ranks, sizeof(int) * (size_t)ranks,
               sizeof(int) * (size_t)ranks, wrong ? "" : "ok\n");
    fflush(stdout);
    if (argc > 2)
        leave(argv[1]);
    MPI_Finalize();
    return wrong > 0;
}
