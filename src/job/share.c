#include "job/share.h"

/* Bytes of one broadcast. */
enum { PART = 1 << 18 };

/* For what a rank without memory receives; no page of it is used elsewhere. */
static char unread[PART];

int topo_share(void *bytes, size_t count, MPI_Comm comm)
{
    int code = MPI_SUCCESS;
    for (size_t at = 0; at < count && code == MPI_SUCCESS; at += PART) {
        int part = count - at < PART ? (int)(count - at) : PART;
        code = PMPI_Bcast(bytes ? (char *)bytes + at : unread, part, MPI_BYTE, 0, comm);
    }
    return code;
}
