/* A tool of the profiling interface, to be preloaded with the library, below its messages: writes what a rank sends
 * between MPI_Pcontrol(1) and MPI_Pcontrol(0), in order, as one line of standard output: "rank 2: 4:9000 0:9000 |",
 * receiver and bytes of each message; a bar where the rank waits for messages. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

static char line[1 << 16];
static size_t length;
static int recording;

static void add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(line + length, sizeof line - length, format, arguments);
    va_end(arguments);
    if (length >= sizeof line)
        length = sizeof line - 1;
}

int MPI_Pcontrol(const int level, ...)
{
    int rank;
    if (level) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        length = 0;
        add("rank %d:", rank);
    } else if (recording) {
        add("\n");
        if (write(STDOUT_FILENO, line, length) < 0)
            return MPI_ERR_OTHER;
    }
    recording = level;
    return MPI_SUCCESS;
}

int PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    static int (*next)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int size;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Isend");
    PMPI_Type_size(type, &size);
    if (recording)
        add(" %d:%d", to, count * size);
    return next(from, count, type, to, tag, comm, request);
}

int PMPI_Send(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    static int (*next)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int size;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Send");
    PMPI_Type_size(type, &size);
    if (recording)
        add(" %d:%d |", to, count * size);
    return next(from, count, type, to, tag, comm);
}

int PMPI_Sendrecv(const void *from, int count, MPI_Datatype type, int to, int tag, void *into, int room,
                  MPI_Datatype received, int source, int received_tag, MPI_Comm comm, MPI_Status *status)
{
    static int (*next)(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm,
                       MPI_Status *);
    int size;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Sendrecv");
    PMPI_Type_size(type, &size);
    if (recording)
        add(" %d:%d |", to, count * size);
    return next(from, count, type, to, tag, into, room, received, source, received_tag, comm, status);
}

int PMPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    static int (*next)(int, MPI_Request *, MPI_Status *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Waitall");
    /* Waits that follow one another are one. */
    if (recording && length > 0 && line[length - 1] != '|')
        add(" |");
    return next(count, requests, statuses);
}
