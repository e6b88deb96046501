/* Operations of reductions, predefined and the user's, and operands whose results do not depend on the order. */
#ifndef TOPO_TESTS_FUZZ_ARITHMETIC_H
#define TOPO_TESTS_FUZZ_ARITHMETIC_H

#include "fuzz/areas.h"

struct fuzz_reduction {
    const char *name;
    MPI_Op op;
    bool users;
    bool paired; /* combines two ints of an element with each other */
    bool whole;  /* looks at all elements of the vector at once */
};

/* The user's operations; call once after MPI_Init, and before MPI_Finalize. */
void fuzz_reductions_make(void);
void fuzz_reductions_free(void);

/* A predefined operation that is defined for the type; one of the user's, on MPI_INT, commutative or not. */
struct fuzz_reduction fuzz_reduction_for(struct fuzz_random *random, const struct fuzz_base *base);
struct fuzz_reduction fuzz_reduction_user(struct fuzz_random *random, bool commutes);

/* One of the user's that looks at all elements of the vector: natively right where Open MPI does not cut. */
struct fuzz_reduction fuzz_reduction_whole(bool commutes);

/* Operands in an area of elements of the base: results are exact and equal in every order. */
void fuzz_operands(struct fuzz_area *area, const struct fuzz_base *base, MPI_Op op, struct fuzz_random *random);

/* How often a user operation was called with a type that the program does not know, since the last question. */
int fuzz_strange_types(void);

#endif
