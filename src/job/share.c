#include "job/share.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* Bytes of the first broadcast and at most of each other. */
enum { FIRST = 2048, PART = 1 << 18 };

/* For what a rank without memory receives; no page of it is used elsewhere. */
static char unread[PART];

int topo_share(void *head, size_t head_bytes, void **bytes, size_t *count, MPI_Comm comm)
{
    /* The number of bytes, the head, and as many of them as there is room for. */
    char first[FIRST] = {0}, *begin = first + sizeof(uint64_t) + head_bytes;
    const size_t room = (size_t)(first + sizeof first - begin);
    uint64_t length = *count;
    int rank, code;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        memcpy(first, &length, sizeof length);
        memcpy(first + sizeof length, head, head_bytes);
        if (length > 0)
            memcpy(begin, *bytes, length < room ? length : room);
    }
    if ((code = PMPI_Bcast(first, FIRST, MPI_BYTE, 0, comm)) != MPI_SUCCESS)
        return code;
    if (rank != 0) {
        memcpy(&length, first, sizeof length);
        memcpy(head, first + sizeof length, head_bytes);
        *count = (size_t)length;
        *bytes = topo_alloc(*count, 1);
        if (*bytes)
            memcpy(*bytes, begin, length < room ? length : room);
    }
    for (size_t at = room; at < length && code == MPI_SUCCESS; at += PART) {
        int part = length - at < PART ? (int)(length - at) : PART;
        code = PMPI_Bcast(*bytes ? (char *)*bytes + at : unread, part, MPI_BYTE, 0, comm);
    }
    return code;
}
