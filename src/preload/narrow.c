#include "preload/narrow.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "family/known.h"
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

static int no_memory(void)
{
    enum { LONGEST = 8192 };
    char version[LONGEST] = "";
    int length;
    MPI(Get_library_version, char *, int *)(version, &length);
    return topo_no_memory_of(topo_product_of(version));
}

/* Entries of each array; 0 where MPI raised an error about the communicator. */
static int entries(struct topo_narrow *call)
{
    int inter = 0, number = 0;
    int code = call->code ? call->code : MPI(Comm_test_inter, void *, int *)(call->comm, &inter);
    if (!code && inter && strcmp(call->name, "Reduce_scatter") != 0) /* whose array is of the own group */
        code = MPI(Comm_remote_size, void *, int *)(call->comm, &number);
    else if (!code)
        code = MPI(Comm_size, void *, int *)(call->comm, &number);
    return code ? 0 : number;
}

static void *narrow_array(struct topo_narrow *call, const void *array)
{
    if (!array)
        return NULL;
    int number = entries(call), *narrowed = topo_alloc((size_t)number, sizeof *narrowed);
    if (!narrowed)
        call->code = no_memory();
    for (int i = 0; narrowed && i < number; i++)
        narrowed[i] = narrow_one(call, ((const int64_t *)array)[i]);
    call->array[call->arrays++] = narrowed;
    return narrowed;
}

/* True for a buffer that says that the call is in place, whichever library it is. */
static bool is_in_place(const void *buffer)
{
    return (intptr_t)buffer == 1 || (intptr_t)buffer == -1;
}

/* Is this process the root? Of another group's it is by MPI_ROOT, -3 or -4; its neighbours have MPI_PROC_NULL, -1 or
 * -2. */
static bool is_root(const struct topo_narrow *call, int root)
{
    int inter = 0, rank = root;
    if (MPI(Comm_test_inter, void *, int *)(call->comm, &inter) == MPI_SUCCESS && !inter)
        MPI(Comm_rank, void *, int *)(call->comm, &rank);
    return inter ? root < -2 : rank == root;
}

static void *argument_of(const struct topo_narrow *call, enum topo_narrow_kind kind)
{
    for (int i = 0; i < call->count; i++)
        if (call->kind[i] == kind)
            return call->argument[i];
    return NULL;
}

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

void topo_narrow_begin(struct topo_narrow *call)
{
    call->comm = argument_of(call, TOPO_NARROW_COMM);
    /* Gather(v), Igather and Scatter(v), Iscatter: of one buffer MPI looks at the root's arguments alone. */
    bool gathers = begins(call->name, "Gather") || begins(call->name, "Igather");
    bool scatters = begins(call->name, "Scatter") || begins(call->name, "Iscatter");
    bool others = (gathers || scatters) && !is_root(call, (int)(intptr_t)argument_of(call, TOPO_NARROW_ROOT));
    bool ignored = false;
    for (int i = 0; i < call->count; i++) {
        void **argument = &call->argument[i];
        switch (call->kind[i]) {
        case TOPO_NARROW_IN: ignored = is_in_place(*argument) || (scatters && others); break;
        case TOPO_NARROW_OUT: ignored = (scatters && is_in_place(*argument)) || (gathers && others); break;
        case TOPO_NARROW_INT:
            *argument = (void *)(intptr_t)(ignored ? 0 : narrow_one(call, (intptr_t)*argument));
            break;
        case TOPO_NARROW_INTS:
        case TOPO_NARROW_COUNTS:
        case TOPO_NARROW_OWN_COUNTS: *argument = ignored ? NULL : narrow_array(call, *argument); break;
        default: break;
        }
    }
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
