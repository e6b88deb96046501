/* The time of copies: what is read from memory that a node shares, or written to it, goes over the same bus as a
 * message inside the node. In the simulator that is work of the host's one processor, whose speed is that of the bus in
 * bytes a second; copies at the same time share it. Copies within a rank's own memory are free, as they are for the
 * simulator's own collectives. */
#include <stddef.h>

#include <mpi.h>

#include "base/copy.h"
#include "coll/reduction/operands.h"
#include "sim/world.h"

static void take_time(const void *a, const void *b, size_t bytes)
{
    if (bytes > 0 && (sim_is_shared(a) || sim_is_shared(b)))
        smpi_execute_flops((double)bytes);
}

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    take_time(to, from, bytes);
    return __real_memcpy(to, from, bytes);
}

void __wrap_topo_copy(void *to, const void *from, size_t bytes, bool stream);
void __wrap_topo_copy(void *to, const void *from, size_t bytes, bool stream)
{
    (void)stream;
    __wrap_memcpy(to, from, bytes);
}

/* All sums are those of PMPI_Reduce_local(), whose operands take their time one by one. */
topo_combine *__wrap_topo_combine_find(MPI_Op op, MPI_Datatype type, size_t size);
topo_combine *__wrap_topo_combine_find(MPI_Op op, MPI_Datatype type, size_t size)
{
    (void)op;
    (void)type;
    (void)size;
    return NULL;
}

int __real_PMPI_Reduce_local(const void *operands, void *sum, int count, MPI_Datatype type, MPI_Op op);
int __wrap_PMPI_Reduce_local(const void *operands, void *sum, int count, MPI_Datatype type, MPI_Op op);
int __wrap_PMPI_Reduce_local(const void *operands, void *sum, int count, MPI_Datatype type, MPI_Op op)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    take_time(operands, sum, (size_t)count * (size_t)size);
    return __real_PMPI_Reduce_local(operands, sum, count, type, op);
}
