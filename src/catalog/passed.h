/* How often a program called what is not taken over: counted in libtopompi.so, read by a core. */
#ifndef TOPO_CATALOG_PASSED_H
#define TOPO_CATALOG_PASSED_H

#include <stdatomic.h>

enum topo_passed {
#define PASSED(Name, ...) TOPO_PASSED_##Name,
#define PASSED_LARGE(Name, ...) TOPO_PASSED_##Name, TOPO_PASSED_##Name##_c,
#include "catalog/passed.def"
    TOPO_PASSED_COUNT
};

/* Calls of each by its symbol of C, by mpi_x_ and by mpi_x_f08_: in some families these lead to C's symbol
 * (intercept/fortran.h). */
struct topo_passed_calls {
    atomic_long c[TOPO_PASSED_COUNT], fortran_77[TOPO_PASSED_COUNT], fortran_08[TOPO_PASSED_COUNT];
};

#endif
