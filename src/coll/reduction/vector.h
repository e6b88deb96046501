/* The operands of an all-reduce: typed elements in memory and how to combine them. */
#ifndef TOPO_COLL_REDUCTION_VECTOR_H
#define TOPO_COLL_REDUCTION_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "coll/base/datatype.h"
#include "coll/reduction/operands.h"

/* `count` elements. Messages carry elements of `type`, so gaps stay untouched
 * and counts stay below INT_MAX even when the bytes do not. */
struct topo_vector {
    /* No address says anything by itself: 0 is MPI_BOTTOM. */
    const char *input; /* where this rank's operands are; in place as `result` */
    char *result;
    bool in_place; /* the operands are in the result's place (MPI_IN_PLACE): what is written there replaces them */
    size_t count;
    MPI_Datatype type;
    MPI_Op op;
    bool whole; /* the operation gets all elements in one call */
    MPI_Aint extent;
    size_t size;               /* bytes of one element without gaps */
    bool plain;                /* elements are runs of `extent` bytes: memcpy moves them */
    bool named;                /* topo_data_committed() */
    MPI_Aint true_lb, true_ub; /* where an element's bytes begin and end */
    /* How elements lie in node-shared memory and leave it: as they are, where that is the same on all ranks, as runs of
     * bytes and operands of MPI's own operations are; else packed, since ranks may have types that differ, in addresses
     * for instance. */
    struct {
        bool packed;
        size_t bytes;      /* of an element */
        MPI_Datatype wire; /* of messages */
    } stored;
    const struct topo_channel *channel; /* for copies through the MPI library */
};

/* The elements of a sum that this rank gets, `first` .. end - 1. They go into vector->result, one after the other. */
struct topo_result_range {
    size_t first, end;
    bool apart; /* each element goes to one rank only: equal on all ranks */
    bool alone; /* no other rank of this one's node gets any */
};

/* Fills *vector but for its channel. Returns an MPI error code. */
int topo_vector_describe(const void *input, void *result, int count, MPI_Datatype type, MPI_Op op,
                         struct topo_vector *vector);

/* How `count` elements lie in memory of their own: they take *bytes of a block that
 * is aligned to 64, and what is returned, added to the block's address, is the
 * address to use as a buffer of the type. */
MPI_Aint topo_vector_span(const struct topo_vector *vector, size_t count, size_t *bytes);

/* Scratch memory for `count` elements: *elements is the address to use as a buffer
 * of the type, *block what to hand to topo_scratch_give(). False when memory is out. */
bool topo_vector_scratch(const struct topo_vector *vector, size_t count, void **block, char **elements);

static inline char *topo_vector_at(const struct topo_vector *vector, char *base, size_t element)
{
    return topo_data_moved(base, (MPI_Aint)element * vector->extent);
}

/* Copies elements; gaps between them stay as they are. Returns an MPI error code. */
int topo_vector_copy(const struct topo_vector *vector, const char *from, char *to, size_t count);

/* Copies elements into, and out of, node-shared memory. Return MPI error codes. */
int topo_vector_store(const struct topo_vector *vector, const char *elements, char *stored, size_t count);
int topo_vector_fetch(const struct topo_vector *vector, const char *stored, char *elements, size_t count);

static inline char *topo_stored_at(const struct topo_vector *vector, char *stored, size_t element)
{
    return stored + element * vector->stored.bytes;
}

/* How many `wire` elements so many are. */
static inline int topo_stored_units(const struct topo_vector *vector, size_t count)
{
    return (int)(vector->stored.packed ? count * vector->size : count);
}

/* Where packed elements are unpacked to be added up; nothing where they are added as they lie. */
struct topo_bench {
    void *block[2];
    char *elements[2];
    topo_combine *combine; /* NULL: PMPI_Reduce_local() adds */
};

/* Room for up to `count` elements at a time. False, with nothing to close, when memory is out. */
bool topo_bench_open(struct topo_bench *bench, const struct topo_vector *vector, size_t count);
void topo_bench_close(struct topo_bench *bench);

/* Adds `count` stored elements, or elements of this rank's own, to the stored ones at `sum`, which are the right
 * operand. Return MPI error codes. */
int topo_bench_add(const struct topo_bench *bench, const struct topo_vector *vector, const char *stored, char *sum,
                   size_t count);
int topo_bench_add_own(const struct topo_bench *bench, const struct topo_vector *vector, const char *elements,
                       char *sum, size_t count);

/* Stored vectors of `count` elements that are all there, to be added one after the other to `sum`: kept until there are
 * enough for one pass. */
struct topo_pass {
    const struct topo_bench *bench;
    const struct topo_vector *vector;
    char *sum;
    size_t count;
    int number; /* of those that are kept */
    const char *operand[TOPO_OPERANDS_MOST];
};

/* Begins with what is in `first`, which may be `sum`; where bench->combine is NULL it must be. */
struct topo_pass topo_pass_begin(const struct topo_bench *bench, const struct topo_vector *vector, const char *first,
                                 char *sum, size_t count);

/* Adds the next one, which stays as it is until topo_pass_end(); after that all are in the sum. Return MPI error codes.
 */
int topo_pass_add(struct topo_pass *pass, const char *stored);
int topo_pass_end(struct topo_pass *pass);

/* This rank's operands from element `at` on, as they were handed in. */
static inline const char *topo_vector_own(const struct topo_vector *vector, size_t at)
{
    return topo_data_moved(vector->input, (MPI_Aint)at * vector->extent);
}

#endif
