#include "intercept/fortran.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The sentinels, by the spellings compilers give a common block of this name. Open MPI has one of its own, too: which
 * copy the program and the MPI library mean is what the loader made of it. In a program it is the program's, looked up
 * in the global scope. In one that was opened privately, as Python opens extensions, it is the first in that extension,
 * so all copies count: none is a buffer. */
static const char *const in_place_names[] = {"mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__",
                                             "MPI_FORTRAN_IN_PLACE"};
static const char *const bottom_names[] = {"mpi_fortran_bottom_", "mpi_fortran_bottom", "mpi_fortran_bottom__",
                                           "MPI_FORTRAN_BOTTOM"};
enum { SPELLINGS = 4, COPIES = 64 };

static struct copies {
    int count;
    void *copy[COPIES];
} in_place, bottom;

static bool is_one(const struct copies *copies, const void *address)
{
    for (int i = 0; i < copies->count; i++)
        if (copies->copy[i] == address)
            return true;
    return false;
}

static void add(struct copies *copies, void *copy)
{
    if (copy && copies->count < COPIES && !is_one(copies, copy))
        copies->copy[copies->count++] = copy;
}

static void find_copies(struct copies *copies, const char *const names[SPELLINGS])
{
    for (int i = 0; i < SPELLINGS; i++) {
        int at = 0;
        add(copies, dlsym(RTLD_DEFAULT, names[i]));
        for (void *copy; (copy = topo_further(&at, names[i]));)
            add(copies, copy);
    }
}

static void find_sentinels(void)
{
    find_copies(&in_place, in_place_names);
    find_copies(&bottom, bottom_names);
    dlerror(); /* or the program would find what failed in here */
}

void *topo_fortran_buffer(void *buffer)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_sentinels);
    return !buffer ? NULL : is_one(&in_place, buffer) ? MPI_IN_PLACE : is_one(&bottom, buffer) ? MPI_BOTTOM : buffer;
}
