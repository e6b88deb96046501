#include "intercept/fortran.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

/* The sentinels, by the spellings compilers give a common block of this name.
 * Looked up in the global scope, as a copy in the program itself comes first. */
static const char *const in_place_names[] = {"mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__",
                                             "MPI_FORTRAN_IN_PLACE"};
static const char *const bottom_names[] = {"mpi_fortran_bottom_", "mpi_fortran_bottom", "mpi_fortran_bottom__",
                                           "MPI_FORTRAN_BOTTOM"};
enum { SPELLINGS = 4 };

static void *in_place[SPELLINGS], *bottom[SPELLINGS];

static void find_sentinels(void)
{
    for (int i = 0; i < SPELLINGS; i++) {
        in_place[i] = dlsym(RTLD_DEFAULT, in_place_names[i]);
        bottom[i] = dlsym(RTLD_DEFAULT, bottom_names[i]);
    }
}

void *topo_fortran_buffer(void *buffer)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_sentinels);
    for (int i = 0; i < SPELLINGS && buffer; i++) {
        if (buffer == in_place[i])
            return MPI_IN_PLACE;
        if (buffer == bottom[i])
            return MPI_BOTTOM;
    }
    return buffer;
}
