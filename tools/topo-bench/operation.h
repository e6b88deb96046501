/* An operation as the benchmark sees it: one struct bench_operation each, in a
 * file of its own (bench_<operation>.c), for each row of catalog/operations.def. */
#ifndef TOPO_BENCH_OPERATION_H
#define TOPO_BENCH_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "base/text.h"
#include "catalog/algorithm.h"
#include "topo-bench/bound.h"
#include "topo-bench/request.h"

/* A loop over the ranks (topo-bench/loop.h): from rank 0 on, or from itself on. */
enum bench_loop { BENCH_NO_LOOP, BENCH_LOOP_UNSCHEDULED, BENCH_LOOP_SHIFTED };

/* One line of the table: which implementation makes the call. */
struct bench_variant {
    char *name;
    bool native;
    bool named;                             /* in the list by its name, not by "all": measured however slow */
    MPI_Comm comm;                          /* native: the communicator to call it on */
    int form;                               /* native:NAME: of topo-bench/native_form.h; 0: as MPI does by itself */
    const struct topo_algorithm *algorithm; /* ours: NULL lets the library choose (auto) */
    size_t packet;                          /* ours: in place of TOPOMPI_PACKET, or BENCH_PACKET_AS_SET */
    char *grid;                             /* cyclic: in place of TOPOMPI_CYCLIC_GRID; NULL: as that is set */
    int sync;                               /* alltoallv: word of TOPOMPI_ALLTOALLV_SYNC; below 0: as that is set */
    enum bench_loop loop; /* alltoallv: no form of the library but a loop; `sync` is the loop's then */
};

#define BENCH_PACKET_AS_SET SIZE_MAX

struct bench_operation;

/* Who gets which block, of operations that move blocks: all ranks that of rank 0, all ranks those of all, every rank
 * another one of every rank; rank 0 those of all, every rank another one of rank 0. */
enum bench_blocks_form {
    BENCH_BLOCK_OF_ROOT,
    BENCH_BLOCKS_OF_ALL,
    BENCH_BLOCKS_EXCHANGED,
    BENCH_BLOCKS_TO_ROOT,
    BENCH_BLOCKS_FROM_ROOT
};

/* The buffers of one rank for calls of one size. */
struct bench_call {
    const struct bench_operation *operation;
    const struct bench_request *request;
    MPI_Comm comm; /* what our algorithms are called on */
    int rank, ranks;
    size_t bytes;   /* the size in the operation's sense, after fit() */
    uint64_t round; /* changes what is sent, so that an old result is not taken for a new one */
    void *state;    /* the operation's own, from open() to close() */
};

/* What is NULL has nothing to do: a barrier moves no data. */
struct bench_operation {
    const char *name, *help;
    bool sizeless; /* it moves no data: measured once, whatever the sizes asked for */
    /* The size that is measured when `bytes` are asked for (whole elements); NULL: that one. */
    size_t (*fit)(const struct bench_request *request, size_t bytes);
    /* What the data is, for the report: "contiguous". */
    void (*describe)(const struct bench_request *request, struct topo_text *out);
    /* Whether the bits of the result depend on the form; NULL: they do not. */
    bool (*one_form)(const struct bench_request *request);
    /* Buffers and types; false: no memory for them, or counts beyond int. close() after both. */
    bool (*open)(struct bench_call *call);
    void (*close)(struct bench_call *call);
    /* Writes what is sent in this round and spoils what is received. */
    void (*fill)(struct bench_call *call);
    /* The call; an MPI error code. */
    int (*run)(struct bench_call *call, const struct bench_variant *variant);
    /* What the last call of ours ran, where that is not said by the variant's name; NULL: it is. Static. */
    const char *(*ran)(const struct bench_call *call, const struct bench_variant *variant);
    /* Bytes of the result that are wrong. */
    size_t (*wrong)(const struct bench_call *call);
    bench_add_traffic *bound;
    enum bench_blocks_form blocks; /* with bench_blocks_open() */
    /* Bytes from one of `ranks` ranks to another where they differ; NULL: all as many as the size says. */
    size_t (*length)(const struct bench_request *request, int ranks, int from, int to, size_t mean);
};

/* In run(): MPI's function or ours, with the same arguments. */
#define BENCH_RUN(mpi_call, topo_call, ...) \
    (variant->native ? mpi_call(__VA_ARGS__, variant->comm) : topo_call(variant->algorithm, __VA_ARGS__, call->comm))

#define OPERATION(name, ...) extern const struct bench_operation bench_##name;
#include "catalog/operations.def"

/* Reads "allgather,allreduce" into operation[TOPO_OPERATION_COUNT], each once; NULL: all that there are. *count
 * is their number. Errors: TOPO_PARSE naming the word and what is allowed, TOPO_NOMEM. */
enum topo_status bench_operations_read(const char *list, const struct bench_operation **operation, int *count,
                                       struct topo_error *error);

/* All names, blank separated. */
void bench_operation_names(struct topo_text *out);

/* The library's name for it. */
enum topo_operation bench_operation_id(const struct bench_operation *operation);

#endif
