/* MPI_X_c where the program's MPI library has none, as those before MPI 4: a program that asks whether there is one, by
 * a weak reference or by dlsym(), finds that of libtopompi.so. It does what MPI_X does with the counts that fit an int;
 * with others it raises MPI_ERR_COUNT. */
#ifndef TOPO_PRELOAD_NARROW_H
#define TOPO_PRELOAD_NARROW_H

#include <stdbool.h>

enum { TOPO_NARROW_ARRAYS = 4 };

/* The arguments of one call, taken in their order. */
struct topo_narrow {
    void *comm;
    bool of_own_group; /* arrays are, in an inter-communicator too */
    bool ignored;      /* what comes next does not count, as the call is in place */
    int code;          /* an MPI error code, once there is one */
    int arrays;
    int *array[TOPO_NARROW_ARRAYS];
};

/* An MPI_Count, in the place of a pointer, as an int; an array of MPI_Count or MPI_Aint as one of int, which is there
 * until topo_narrow_end(). */
void *topo_narrow_count(struct topo_narrow *call, void *count);
void *topo_narrow_array(struct topo_narrow *call, const void *array);

/* True for a send buffer that says that the call is in place, whichever library it is. */
bool topo_narrow_is_in_place(const void *buffer);

/* Frees. Raises what went wrong on the communicator, unless MPI did; returns `code`, or that. */
int topo_narrow_end(struct topo_narrow *call, int code);

/* By the kinds of catalog/arguments.h; uses struct topo_narrow narrow. */
#define TOPO_NARROW(kind, k) a##k = TOPO_NARROW_##kind(a##k)
#define TOPO_NARROW_IN(a) (narrow.ignored = topo_narrow_is_in_place(a), a)
#define TOPO_NARROW_OUT(a) (narrow.ignored = false, a)
#define TOPO_NARROW_INT(a) topo_narrow_count(&narrow, a)
#define TOPO_NARROW_INTS(a) topo_narrow_array(&narrow, a)
#define TOPO_NARROW_COUNTS(a) topo_narrow_array(&narrow, a)
#define TOPO_NARROW_OWN_COUNTS(a) topo_narrow_array(&narrow, a)
#define TOPO_NARROW_ROOT(a) a
#define TOPO_NARROW_TYPE(a) a
#define TOPO_NARROW_OP(a) a
#define TOPO_NARROW_COMM(a) a

#endif
