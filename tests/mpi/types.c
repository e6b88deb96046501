#include "mpi/types.h"

#include <stdlib.h>
#include <string.h>

void test_types_make(struct test_type types[TEST_TYPES])
{
    MPI_Datatype inner;
    int lengths[2] = {1, 1}, swapped[2] = {1, 0};

    types[0] = (struct test_type){"int", MPI_INT, 1};
    types[1] = (struct test_type){"contiguous", MPI_DATATYPE_NULL, 2};
    PMPI_Type_contiguous(2, MPI_INT, &types[1].type);

    types[2] = (struct test_type){"gaps", MPI_DATATYPE_NULL, 3};
    PMPI_Type_vector(3, 1, 2, MPI_INT, &inner);
    PMPI_Type_create_resized(inner, 0, 7 * (MPI_Aint)sizeof(int), &types[2].type);
    PMPI_Type_free(&inner);

    types[3] = (struct test_type){"negative lower bound", MPI_DATATYPE_NULL, 2};
    MPI_Aint at[2] = {-2 * (MPI_Aint)sizeof(int), sizeof(int)};
    PMPI_Type_create_hindexed(2, lengths, at, MPI_INT, &types[3].type);

    types[4] = (struct test_type){"permuted", MPI_DATATYPE_NULL, 2};
    PMPI_Type_indexed(2, lengths, swapped, MPI_INT, &types[4].type);

    types[5] = (struct test_type){"duplicate", MPI_DATATYPE_NULL, 2};
    PMPI_Type_dup(types[1].type, &types[5].type);

    for (int i = 1; i < TEST_TYPES; i++)
        PMPI_Type_commit(&types[i].type);
}

void test_types_free(struct test_type types[TEST_TYPES])
{
    for (int i = 1; i < TEST_TYPES; i++)
        PMPI_Type_free(&types[i].type);
}

/* `rows` ints, each `stride` ints behind the one before, in pairs or alone; the next element lies `step` ints on. */
static MPI_Datatype interleaved(int rows, int together, int stride, int step, int lb)
{
    const MPI_Aint unit = sizeof(int);
    MPI_Datatype column, type;
    PMPI_Type_create_hvector(rows / together, together, stride * unit, MPI_INT, &column);
    PMPI_Type_create_resized(column, lb * unit, step * unit, &type);
    PMPI_Type_free(&column);
    PMPI_Type_commit(&type);
    return type;
}

void test_interleaved_make(struct test_type types[TEST_INTERLEAVED], int count)
{
    types[0] = (struct test_type){"column", interleaved(6, 1, count, 1, 0), 6};
    types[1] = (struct test_type){"column upwards", interleaved(4, 1, -count, 1, 0), 4};
    types[2] = (struct test_type){"columns backwards", interleaved(4, 1, count, -1, 0), 4};
    types[3] = (struct test_type){"pairs of columns", interleaved(6, 2, 2 * count + 3, 2, 0), 6};
    types[4] = (struct test_type){"column with bounds far off", interleaved(4, 1, count + 1, 1, -100), 4};
}

void test_interleaved_free(struct test_type types[TEST_INTERLEAVED])
{
    for (int i = 0; i < TEST_INTERLEAVED; i++)
        PMPI_Type_free(&types[i].type);
}

void *test_buffer(const struct test_type *type, long count, int fill, void **base, size_t *bytes)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    PMPI_Type_get_extent(type->type, &lb, &extent);
    PMPI_Type_get_true_extent(type->type, &true_lb, &true_extent);
    size_t margin = 64;
    MPI_Aint length = extent * count;
    *bytes = (size_t)((length < 0 ? -length : length) + true_extent) + 2 * margin;
    char *block = malloc(*bytes);
    memset(block, fill, *bytes);
    *base = block + margin - true_lb - (length < 0 ? length : 0);
    return block;
}

void test_fill(const struct test_type *type, long count, void *base, unsigned seed)
{
    size_t ints = (size_t)count * (size_t)type->ints;
    int *values = malloc((ints ? ints : 1) * sizeof *values), position = 0;
    for (size_t i = 0; i < ints; i++)
        values[i] = (int)test_value(seed, i);
    if (count > 0)
        PMPI_Unpack(values, (int)(ints * sizeof *values), &position, base, (int)count, type->type, MPI_COMM_SELF);
    free(values);
}
