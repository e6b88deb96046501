#include "preload/narrow.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "preload/program.h"

/* In every library; other classes have other numbers in each. */
enum { MPI_SUCCESS = 0, MPI_ERR_COUNT = 2 };

/* A function of the program's MPI. */
#define MPI(name, ...) ((int (*)(__VA_ARGS__))topo_program_next("PMPI_" #name, NULL))

static int narrow_one(struct topo_narrow *call, int64_t value)
{
    if (value < INT_MIN || value > INT_MAX)
        call->code = MPI_ERR_COUNT;
    return (int)value;
}

void *topo_narrow_count(struct topo_narrow *call, void *count)
{
    return (void *)(intptr_t)(call->ignored ? 0 : narrow_one(call, (intptr_t)count));
}

/* Entries of each array; 0 where MPI raised an error about the communicator. */
static int entries(struct topo_narrow *call)
{
    int inter = 0, number = 0;
    int code = call->code ? call->code : MPI(Comm_test_inter, void *, int *)(call->comm, &inter);
    if (!code && inter && !call->of_own_group)
        code = MPI(Comm_remote_size, void *, int *)(call->comm, &number);
    else if (!code)
        code = MPI(Comm_size, void *, int *)(call->comm, &number);
    return code ? 0 : number;
}

void *topo_narrow_array(struct topo_narrow *call, const void *array)
{
    if (!array || call->ignored)
        return NULL;
    int number = entries(call), *narrowed = topo_alloc((size_t)number, sizeof *narrowed);
    if (!narrowed)
        call->code = MPI_ERR_COUNT; /* more than there is memory for */
    for (int i = 0; narrowed && i < number; i++)
        narrowed[i] = narrow_one(call, ((const int64_t *)array)[i]);
    call->array[call->arrays++] = narrowed;
    return narrowed;
}

bool topo_narrow_is_in_place(const void *buffer)
{
    return (intptr_t)buffer == 1 || (intptr_t)buffer == -1;
}

int topo_narrow_end(struct topo_narrow *call, int code)
{
    while (call->arrays)
        topo_free(call->array[--call->arrays]);
    if (!call->code)
        return code;
    MPI(Comm_call_errhandler, void *, int)(call->comm, call->code);
    return call->code;
}
