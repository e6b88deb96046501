/* Datatypes the collectives must get right, all of the signature "k ints". */
#ifndef TOPO_TESTS_MPI_TYPES_H
#define TOPO_TESTS_MPI_TYPES_H

#include <stddef.h>

#include <mpi.h>

struct test_type {
    const char *name;
    MPI_Datatype type; /* committed */
    int ints;          /* ints per element */
};

/* int; two ints contiguous; with gaps; negative lower bound; displacements
 * permuted without a gap; duplicate of contiguous. Free with test_types_free(). */
enum { TEST_TYPES = 6 };
void test_types_make(struct test_type types[TEST_TYPES]);
void test_types_free(struct test_type types[TEST_TYPES]);

/* Types whose elements lie among one another, in a vector of up to `count`: a column of a matrix; one from its last
 * row up; columns from the last to the first (extent below 0); pairs of columns; a column whose bounds are far off.
 * Free with test_interleaved_free(). */
enum { TEST_INTERLEAVED = 5 };
void test_interleaved_make(struct test_type types[TEST_INTERLEAVED], int count);
void test_interleaved_free(struct test_type types[TEST_INTERLEAVED]);

/* A buffer for `count` elements of `type` for any bounds, all bytes set to `fill`.
 * *base is the address to hand to MPI; free the returned block with free(). */
void *test_buffer(const struct test_type *type, long count, int fill, void **base, size_t *bytes);

/* Int `i` of what test_fill() fills with `seed`. */
static inline unsigned test_value(unsigned seed, size_t i)
{
    return (seed + 1) * 2654435761u + (unsigned)i * 40503u;
}

/* Sets every int of `count` elements at `base` to values made of `seed`; gaps stay. */
void test_fill(const struct test_type *type, long count, void *base, unsigned seed);

#endif
