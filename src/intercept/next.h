/* What the wrappers go on to, and look up. */
#ifndef TOPO_INTERCEPT_NEXT_H
#define TOPO_INTERCEPT_NEXT_H

typedef void topo_symbol(void);

/* The function `name` of the program's MPI library, PMPI_X; and the symbol `name` of the libraries after
 * libtopompi.so, a tool's or MPI's. Both end the process with a message when there is none: no wrapper could do its
 * work. */
topo_symbol *topo_own(const char *name);
topo_symbol *topo_next(const char *name);

/* In a wrapper: `next`, what it goes on to, by `find` above at the first call. */
#define TOPO_NEXT(result, parameters, find, name) \
    static result(*_Atomic next) parameters; \
    if (!next) \
        next = (result(*) parameters)find(name);

/* What `name` is for a loaded object, global or opened privately: each one's after the other, in the order in which
 * they were loaded, from number *at on, which starts as 0. NULL after the last. Leaves an error of dlsym(). */
void *topo_further(int *at, const char *name);

#endif
