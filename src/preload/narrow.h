/* MPI_X_c where the program's MPI library has none, as those before MPI 4: a program that asks whether there is one, by
 * a weak reference or by dlsym(), finds that of libtopompi.so. It does what MPI_X does with the counts that fit an int;
 * with others it raises MPI_ERR_COUNT, and MPI_ERR_NO_MEM where memory is out. */
#ifndef TOPO_PRELOAD_NARROW_H
#define TOPO_PRELOAD_NARROW_H

#include "catalog/arguments.h"

enum { TOPO_NARROW_ARRAYS = 4, TOPO_NARROW_ARGUMENTS = 9 };

/* The kinds of catalog/arguments.h. */
enum topo_narrow_kind {
    TOPO_NARROW_IN,
    TOPO_NARROW_OUT,
    TOPO_NARROW_INT,
    TOPO_NARROW_INTS,
    TOPO_NARROW_COUNTS,
    TOPO_NARROW_OWN_COUNTS,
    TOPO_NARROW_TYPE,
    TOPO_NARROW_TYPES,
    TOPO_NARROW_OP,
    TOPO_NARROW_ROOT,
    TOPO_NARROW_COMM,
    TOPO_NARROW_REQUEST,
    TOPO_NARROW_ROOTS_INT = TOPO_NARROW_INT,
    TOPO_NARROW_ROOTS_COUNTS = TOPO_NARROW_OWN_COUNTS,
    TOPO_NARROW_ROOTS_TYPE = TOPO_NARROW_TYPE
};

/* A call of MPI_<name>_c. */
struct topo_narrow {
    const char *name;
    int count; /* of arguments */
    enum topo_narrow_kind kind[TOPO_NARROW_ARGUMENTS];
    void *argument[TOPO_NARROW_ARGUMENTS]; /* an MPI_Count in the place of a pointer */
    void *comm;
    int code; /* an MPI error code, once there is one */
    int arrays;
    int *array[TOPO_NARROW_ARRAYS];
};
#define TOPO_NARROW(Name, arguments, kinds) \
    {.name = #Name, \
     .count = arguments, \
     .kind = {TOPO_EACH(arguments, TOPO_NARROW_KIND, TOPO_BARE kinds)}, \
     .argument = {TOPO_ARGUMENTS(arguments, kinds)}}
#define TOPO_NARROW_KIND(kind, k) TOPO_NARROW_##kind
#define TOPO_NARROWED(kind, k) narrow.argument[(k)-1]

/* Makes of each MPI_Count an int, and of each array of MPI_Count or MPI_Aint one of int, which is there until
 * topo_narrow_end(); of those that MPI looks at. */
void topo_narrow_begin(struct topo_narrow *call);

/* Frees. Raises what went wrong on the communicator, unless MPI did; returns `code`, or that. */
int topo_narrow_end(struct topo_narrow *call, int code);

#endif
