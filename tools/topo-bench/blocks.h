/* Equal blocks, contiguous or of elements with gaps: what allgather, alltoall and bcast move. */
#ifndef TOPO_BENCH_BLOCKS_H
#define TOPO_BENCH_BLOCKS_H

#include "topo-bench/operation.h"
#include "topo-bench/pattern.h"

/* The state of such a call. */
struct bench_blocks {
    struct bench_layout layout;
    MPI_Datatype type;
    int count;          /* elements of a block */
    int sent, received; /* blocks */
    size_t span;        /* memory of a block */
    char *send, *receive;
};

/* Makes call->state, for so many blocks to be sent and received; false: no memory. bench_blocks_close() in any case. */
bool bench_blocks_open(struct bench_call *call, int sent, int received);
void bench_blocks_close(struct bench_call *call);

/* Writes the blocks that are sent, numbered from `first` on, and spoils what is received. */
void bench_blocks_fill(struct bench_call *call, uint64_t first);

/* Bytes of the received blocks that are not what fill() would have written: the i-th one is numbered first + i * step.
 */
size_t bench_blocks_wrong(const struct bench_call *call, uint64_t first, uint64_t step);

/* Members of struct bench_operation. */
size_t bench_blocks_fit(const struct bench_request *request, size_t bytes);
void bench_blocks_describe(const struct bench_request *request, struct topo_text *out);

/* A committed type of one element of `layout`, MPI_BYTE where there are no gaps, and the other way round. */
MPI_Datatype bench_element_type(const struct bench_layout *layout);
void bench_element_free(MPI_Datatype *type);

#endif
