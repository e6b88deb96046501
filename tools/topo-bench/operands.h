/* Vectors that a reduction of the benchmark adds up. The values are small whole numbers (for products 1 and -1), so
 * every order of the operations gives the same bits and results are compared bit for bit, of floating-point types too.
 */
#ifndef TOPO_BENCH_OPERANDS_H
#define TOPO_BENCH_OPERANDS_H

#include "topo-bench/operation.h"

/* The state of such a call. */
struct bench_operands {
    MPI_Datatype type;
    MPI_Op op;
    size_t size;  /* bytes of an element */
    size_t count; /* elements of the vector */
    char *send, *receive;
    int type_row, combine_row;
};

/* As in struct bench_operation; the vector has `parts` times the bytes of the call's size. */
size_t bench_operands_fit(const struct bench_request *request, size_t bytes);
void bench_operands_describe(const struct bench_request *request, struct topo_text *out);
bool bench_operands_open(struct bench_call *call, size_t parts);
void bench_operands_close(struct bench_call *call);
void bench_operands_fill(struct bench_call *call);

/* Bytes that are wrong, where `receive` should have `count` elements of the result from `first` on. */
size_t bench_operands_wrong(const struct bench_call *call, size_t first, size_t count);

#endif
