/* The first calls of communicators that the program makes. They are native, short ones whatever they are, so all that
 * is kept until then is their number: many communicators end before they have anything else. Whether it is kept here,
 * by the handle, or in the communicator's state makes no difference to what runs, so each rank may look closer when it
 * likes. A communicator is here from its constructor on, until it has a state or is freed; one that has no room here,
 * or whose constructor was not seen, as MPI_Comm_idup(), gets its state at its first call.
 *
 * A handle comes back to a program once it was freed. Both calls that free are taken by all their names, before MPI
 * frees, and what a constructor makes replaces what was here. So what is here is another's only where a program frees
 * by an address that it has from MPI's own library, past us, and then makes one past us. */
#ifndef TOPO_COMM_EARLY_H
#define TOPO_COMM_EARLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

/* What is kept of a communicator; its own threads alone touch it. */
struct topo_early_kept {
    short calls;    /* so far; -1: it is not here */
    uint16_t known; /* comm/refusals.h: so many were there as it was made */
};

struct topo_early {
    _Atomic uintptr_t comm; /* the handle; 0: free */
    struct topo_early_kept kept;
    int ranks;
};

/* Places share a cache line by four, those that a handle may take: enough that of 16,000 live ones one in twenty finds
 * none. Only those that are taken were ever touched. */
enum { TOPO_EARLY_LINE = 4, TOPO_EARLY_BITS = 13 };

/* Calls of fewer bytes, of all ranks together, are short. */
enum { TOPO_EARLY_BYTES = 16384 };

extern struct topo_early topo_early[1 << TOPO_EARLY_BITS][TOPO_EARLY_LINE];

/* So many calls of a communicator are counted here; 0: none are. */
extern int topo_early_most;

/* The places that a communicator may take. */
static inline struct topo_early *topo_early_line(MPI_Comm comm)
{
    return topo_early[(uint64_t)(uintptr_t)comm * 0x9E3779B97F4A7C15U >> (64 - TOPO_EARLY_BITS)];
}

/* Where it is, or NULL. */
static inline struct topo_early *topo_early_of(MPI_Comm comm)
{
    const uintptr_t handle = (uintptr_t)comm;
    struct topo_early *line = topo_early_line(comm);
    for (int i = 0; i < TOPO_EARLY_LINE; i++)
        if (atomic_load_explicit(&line[i].comm, memory_order_acquire) == handle)
            return &line[i];
    return NULL;
}

/* It is here from now on; false: there is no room. What was here by its handle was another one's. */
bool topo_early_add(MPI_Comm comm, struct topo_early_kept kept);

/* It is not here from now on. What was kept. */
struct topo_early_kept topo_early_remove(MPI_Comm comm);

/* None is. */
void topo_early_stop(void);

#endif
