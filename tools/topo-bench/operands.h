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
    size_t part;  /* of the result that this rank has: all, or its share */
    char *send, *receive;
    int type_row, combine_row;
};

/* Members of struct bench_operation. The vector is as long as the call's size, or, with parts, that for each rank. */
size_t bench_operands_fit(const struct bench_request *request, size_t bytes);
void bench_operands_describe(const struct bench_request *request, struct topo_text *out);
bool bench_operands_one_form(const struct bench_request *request);
bool bench_operands_open(struct bench_call *call);
bool bench_operands_open_parts(struct bench_call *call);
void bench_operands_close(struct bench_call *call);
void bench_operands_fill(struct bench_call *call);

/* Where every rank has the whole result, or its part of it; the same of one rank alone. */
size_t bench_operands_wrong(const struct bench_call *call);
size_t bench_operands_wrong_on(const struct bench_call *call, int rank);

/* The same where this rank's is that of so many ranks from the first on. */
size_t bench_operands_wrong_of(const struct bench_call *call, int ranks);

#define BENCH_OPERANDS \
    .fit = bench_operands_fit, .describe = bench_operands_describe, .one_form = bench_operands_one_form, \
    .close = bench_operands_close, .fill = bench_operands_fill

#endif
