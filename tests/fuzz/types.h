/* Datatypes whose places are known: predefined ones, and derived ones of every kind made of them. */
#ifndef TOPO_TESTS_FUZZ_TYPES_H
#define TOPO_TESTS_FUZZ_TYPES_H

#include <stdbool.h>

#include <mpi.h>

#include "fuzz/random.h"

enum fuzz_class {
    FUZZ_SIGNED,
    FUZZ_UNSIGNED,
    FUZZ_FLOAT,
    FUZZ_COMPLEX,
    FUZZ_LOGICAL,
    FUZZ_BYTES, /* no arithmetic */
    FUZZ_PAIR   /* value and index */
};

/* Predefined, or a struct of several predefined ones. */
struct fuzz_base {
    const char *name;
    MPI_Datatype type;
    int extent, align;
    enum fuzz_class class;
    int first, first_end; /* bytes of the value; of a pair's index; the others are padding */
    int second, second_end;
};

/* Call once after MPI_Init; and before MPI_Finalize. */
void fuzz_bases_make(void);
void fuzz_bases_free(void);

/* Any one for moving; one for arithmetic; the one named. */
const struct fuzz_base *fuzz_base_any(struct fuzz_random *random);
const struct fuzz_base *fuzz_base_arithmetic(struct fuzz_random *random);
const struct fuzz_base *fuzz_base_named(const char *name);

enum fuzz_kind {
    FUZZ_PLAIN,      /* the base itself */
    FUZZ_CONTIGUOUS, /* n of them */
    FUZZ_DUPLICATE,
    FUZZ_SPACED,   /* a vector with gaps */
    FUZZ_PADDED,   /* and a gap behind */
    FUZZ_STRUCT,   /* one at the start, the others after a gap */
    FUZZ_PERMUTED, /* not in the order of places */
    FUZZ_COLUMN,   /* of a matrix: the extent is far below the true extent, elements interleave */
    FUZZ_SUBARRAY, /* a column of a matrix of its own: the first byte is not at the start */
    FUZZ_NEGATIVE, /* places before the start */
    FUZZ_LOWERED,  /* lower bound below the first byte */
    FUZZ_KINDS
};

enum { FUZZ_ELEMENTS_MOST = 6 };

struct fuzz_type {
    MPI_Datatype type;
    const struct fuzz_base *base;
    enum fuzz_kind kind;
    int n;                               /* base elements in an element */
    MPI_Aint offset[FUZZ_ELEMENTS_MOST]; /* bytes, in the order of the signature */
    MPI_Aint extent, true_lb, true_extent;
    bool made; /* to be freed */
};

/* A kind for elements of n bases; with `bounded` none whose bytes or bounds do not begin at 0. */
enum fuzz_kind fuzz_kind_any(struct fuzz_random *random, int n, bool bounded);
const char *fuzz_kind_name(enum fuzz_kind kind);

/* Makes a type; a column's matrix is `columns` wide: no more elements may be in use. Free with fuzz_type_free(). */
void fuzz_type_make(struct fuzz_type *type, const struct fuzz_base *base, enum fuzz_kind kind, int n, int columns);

/* The same elements at an absolute address, for MPI_BOTTOM. */
void fuzz_type_make_at(struct fuzz_type *type, const struct fuzz_type *of, const void *address);
void fuzz_type_free(struct fuzz_type *type);

/* The live type with this handle (of any thread), NULL if there is none: user operations ask. */
const struct fuzz_type *fuzz_type_find(MPI_Datatype handle);

#endif
