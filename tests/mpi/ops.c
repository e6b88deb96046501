#include "mpi/ops.h"

#include <stdlib.h>

/* Elements as runs of ints, whatever their type; then back. */
static void combine(void *in, void *inout, int *count, MPI_Datatype *type, test_combine *each)
{
    int size, position = 0;
    PMPI_Type_size(*type, &size);
    int bytes = size * *count;
    unsigned *a = malloc((size_t)bytes + 1), *b = malloc((size_t)bytes + 1);
    PMPI_Pack(in, *count, *type, a, bytes, &position, MPI_COMM_SELF);
    position = 0;
    PMPI_Pack(inout, *count, *type, b, bytes, &position, MPI_COMM_SELF);
    each(a, b, bytes / (int)sizeof *a);
    position = 0;
    PMPI_Unpack(b, bytes, &position, inout, *count, *type, MPI_COMM_SELF);
    free(a);
    free(b);
}

void test_add(unsigned *a, unsigned *b, int count)
{
    for (int i = 0; i < count; i++)
        b[i] += a[i];
}

void test_follow(unsigned *a, unsigned *b, int count)
{
    for (int i = 0; i + 1 < count; i += 2) {
        unsigned p = a[i] * b[i], q = b[i] * a[i + 1] + b[i + 1];
        b[i] = p;
        b[i + 1] = q;
    }
}

void test_sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    combine(in, inout, count, type, test_add);
}

void test_compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    combine(in, inout, count, type, test_follow);
}

void test_reference(const struct test_type *type, int count, const void *input, void *base, test_combine *each,
                    MPI_Comm comm)
{
    int ints = count * type->ints, bytes = ints * (int)sizeof(unsigned), position = 0, ranks;
    PMPI_Comm_size(comm, &ranks);
    unsigned *own = malloc((size_t)bytes + 1), *all = malloc((size_t)bytes * (size_t)ranks + 1);
    PMPI_Pack(input, count, type->type, own, bytes, &position, MPI_COMM_SELF);
    PMPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm);
    for (int r = 1; r < ranks; r++)
        each(all + (size_t)(r - 1) * (size_t)ints, all + (size_t)r * (size_t)ints, ints);
    position = 0;
    PMPI_Unpack(all + (size_t)(ranks - 1) * (size_t)ints, bytes, &position, base, count, type->type, MPI_COMM_SELF);
    free(own);
    free(all);
}

bool test_fails_natively(const struct topo_algorithm *algorithm, const struct test_type *type, bool commutes)
{
    MPI_Aint lb, extent;
    PMPI_Type_get_true_extent(type->type, &lb, &extent);
    return lb < 0 && (algorithm == topo_algorithm_native(algorithm->operation) || !commutes);
}
