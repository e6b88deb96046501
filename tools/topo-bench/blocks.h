/* Blocks of equal or of different lengths, contiguous or of elements with gaps: what all operations but reductions
 * move.
 */
#ifndef TOPO_BENCH_BLOCKS_H
#define TOPO_BENCH_BLOCKS_H

#include "topo-bench/operation.h"
#include "topo-bench/pattern.h"

/* The blocks that a rank sends, or receives, one after the other. */
struct bench_side {
    int blocks;
    int *count, *place; /* [blocks] in elements; places only where lengths differ */
    size_t *at;         /* [blocks] bytes from the start of memory */
    size_t span;
    char *memory;
};

/* The state of such a call. */
struct bench_blocks {
    struct bench_layout layout;
    MPI_Datatype type;
    struct bench_side send, receive;
};

/* Makes call->state, blocks as long as the operation's length() says; false: no memory, or lengths that differ and are
 * together beyond int. bench_blocks_close() in any case. */
bool bench_blocks_open(struct bench_call *call);

/* Members of struct bench_operation, and all of them that do not depend on the operation. */
void bench_blocks_close(struct bench_call *call);
void bench_blocks_fill(struct bench_call *call);
size_t bench_blocks_wrong(const struct bench_call *call);
void bench_blocks_describe(const struct bench_request *request, struct topo_text *out);
#define BENCH_BLOCKS \
    .describe = bench_blocks_describe, .open = bench_blocks_open, .close = bench_blocks_close, \
    .fill = bench_blocks_fill, .wrong = bench_blocks_wrong

/* A committed type of one element of `layout`, MPI_BYTE where there are no gaps, and the other way round. */
MPI_Datatype bench_element_type(const struct bench_layout *layout);
void bench_element_free(MPI_Datatype *type);

#endif
