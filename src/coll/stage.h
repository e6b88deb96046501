/* A buffer on a device, staged: host memory stands for it during a call. For ranks whose buffer lies on a device in a
 * communicator where the others' need not (comm/device.h). */
#ifndef TOPO_COLL_STAGE_H
#define TOPO_COLL_STAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

struct topo_stage {
    void
        *host; /* to be used in the buffer's place: the same displacements; the buffer itself when it is on no device */
    void *buffer;
    char *copy;     /* NULL: nothing is staged */
    MPI_Aint first; /* of the buffer's first byte, from `buffer` */
    size_t bytes;   /* from it to the last one, gaps included */
    int count;
    MPI_Datatype type;
    MPI_Comm comm;
    bool gaps;
};

/* Begins: `count` elements of the committed `type` at `buffer` are to be read (`reads`), written, or both. Whether the
 * buffer is on a device is asked of its first byte, wherever the type puts that. `comm`, whose errors return, is for
 * packing. Returns an MPI error code; after one there is nothing to close. A buffer on no device costs that question
 * alone. */
int topo_stage_open(struct topo_stage *stage, void *buffer, int count, MPI_Datatype type, bool reads, MPI_Comm comm);

/* Ends: what was written goes back when `writes`; gaps between elements and inside them are not touched, as others may
 * be writing there. The host memory is given back in any case. Returns an MPI error code. */
int topo_stage_close(struct topo_stage *stage, bool writes);

#endif
