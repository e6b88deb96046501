/* A tool of the profiling interface, between the library and MPI: the program starting.c is linked with it. */
#include <stdint.h>

#include "preload/starting.h"
#include "preload/tool.h"

struct starting_counts starting_counts = {.counting = true};

/* Those that send a message of b elements of type c. */
#define SENDS(CALL) \
    CALL(Send, (const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f), (a, b, c, d, e, f)) \
    CALL(Issend, (const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request *g), \
         (a, b, c, d, e, f, g)) \
    CALL(Isend, (const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request *g), \
         (a, b, c, d, e, f, g)) \
    CALL(Sendrecv, \
         (const void *a, int b, MPI_Datatype c, int d, int e, void *f, int g, MPI_Datatype h, int i, int j, \
          MPI_Comm k, MPI_Status *l), \
         (a, b, c, d, e, f, g, h, i, j, k, l))

static void count(int kind)
{
    if (!starting_counts.counting)
        return;
    if (starting_counts.calls[KINDS]++ == 0)
        starting_counts.begun = seconds();
    starting_counts.calls[kind]++;
}

static void count_message(int elements, MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    starting_counts.messages += starting_counts.counting;
    starting_counts.bytes += starting_counts.counting ? (long)elements * size : 0;
}

TOOL_BELOW_LIBRARY

/* A call on MPI_COMM_SELF waits for nobody. */
#define COUNTED(name, parameters, arguments) \
    int PMPI_##name parameters \
    { \
        TOOL_NEXT(PMPI_##name); \
        if ((uintptr_t)a != (uintptr_t)MPI_COMM_SELF) \
            count(name); \
        return next arguments; \
    }
CALLS(COUNTED)

#define COUNTED_SEND(name, parameters, arguments) \
    int PMPI_##name parameters \
    { \
        TOOL_NEXT(PMPI_##name); \
        if (d != MPI_PROC_NULL) \
            count_message(b, c); \
        return next arguments; \
    }
SENDS(COUNTED_SEND)
