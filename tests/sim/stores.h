/* Before each file of the library's MPI part (build): ranks that wait for what was stored have to be told. */
#ifndef TOPO_TESTS_SIM_STORES_H
#define TOPO_TESTS_SIM_STORES_H

#include <stdatomic.h>

/* Wakes the ranks of the node that wait for what is there now. */
void sim_stored(void);

#undef atomic_store_explicit
#define atomic_store_explicit(object, value, order) \
    do { \
        __auto_type sim_object = (object); \
        (void)(order); \
        *sim_object = (value); \
        sim_stored(); \
    } while (0)

#endif
