/* A tool of the profiling interface, between the library and MPI: writes what a rank sends from recording_tool(1) to
 * recording_tool(0), in order, as one line of standard output: "rank 2: 4:9000 0:9000 |", receiver and bytes of each
 * message; a bar where the rank waits for messages. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "preload/recording.h"
#include "preload/tool.h"

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

__attribute__((visibility("default"))) recording_switch recording_tool;
void recording_tool(int on)
{
    int rank;
    if (on) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        length = 0;
        add("rank %d:", rank);
    } else if (recording) {
        add("\n");
        if (write(STDOUT_FILENO, line, length) < 0)
            abort();
    }
    recording = on;
}

TOOL_BELOW_LIBRARY

int PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int size;
    TOOL_NEXT(PMPI_Isend);
    PMPI_Type_size(type, &size);
    if (recording)
        add(" %d:%d", to, count * size);
    return next(from, count, type, to, tag, comm, request);
}

int PMPI_Send(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    int size;
    TOOL_NEXT(PMPI_Send);
    PMPI_Type_size(type, &size);
    if (recording)
        add(" %d:%d |", to, count * size);
    return next(from, count, type, to, tag, comm);
}

int PMPI_Sendrecv(const void *from, int count, MPI_Datatype type, int to, int tag, void *into, int room,
                  MPI_Datatype received, int source, int received_tag, MPI_Comm comm, MPI_Status *status)
{
    int size;
    TOOL_NEXT(PMPI_Sendrecv);
    PMPI_Type_size(type, &size);
    if (recording)
        add(" %d:%d |", to, count * size);
    return next(from, count, type, to, tag, into, room, received, source, received_tag, comm, status);
}

int PMPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    TOOL_NEXT(PMPI_Waitall);
    /* Waits that follow one another are one. */
    if (recording && length > 0 && line[length - 1] != '|')
        add(" |");
    return next(count, requests, statuses);
}
