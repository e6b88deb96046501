/* Performance guidelines: what a call must not take longer than (docs/REFERENCES.md, Methods 4). No MPI here. */
#ifndef TOPO_BENCH_GUIDELINE_H
#define TOPO_BENCH_GUIDELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "catalog/algorithm.h"

enum bench_guideline_kind {
    BENCH_MOCKUP,       /* other collectives that do the same */
    BENCH_MONOTONE,     /* the same with twice the bytes */
    BENCH_SPLIT,        /* twice the bytes: two calls */
    BENCH_COMMUNICATOR, /* half of the ranks: all of them */
    BENCH_ROOT,         /* another root: rank 0 */
    BENCH_PLACE,        /* in place: out of place */
    BENCH_ARRIVAL,      /* auto: native, whoever comes late */
    BENCH_KINDS
};

/* What a rank finds in its receive buffer after a call. */
enum bench_outcome {
    BENCH_OUTCOME_NOTHING,
    BENCH_OUTCOME_SUM, /* of all ranks' vectors */
    BENCH_OUTCOME_SUM_ON_ROOT,
    BENCH_OUTCOME_SUM_PART,    /* its part of that sum */
    BENCH_OUTCOME_SUM_TO_RANK, /* of the vectors of the ranks up to it */
    BENCH_OUTCOME_SUM_BEFORE_RANK,
    BENCH_OUTCOME_BLOCKS, /* every rank's */
    BENCH_OUTCOME_BLOCKS_ON_ROOT,
    BENCH_OUTCOME_BLOCK_OF_ROOT,
    BENCH_OUTCOME_PART_OF_ROOT, /* its part of the root's */
    BENCH_OUTCOME_PARTS         /* its part of every rank's */
};

enum bench_step_kind {
    BENCH_NO_STEP,
    BENCH_STEP_ALLGATHER,
    BENCH_STEP_ALLGATHERV,
    BENCH_STEP_ALLREDUCE,
    BENCH_STEP_ALLTOALL,
    BENCH_STEP_ALLTOALLV,
    BENCH_STEP_BARRIER,
    BENCH_STEP_BCAST, /* of its `to` */
    BENCH_STEP_EXSCAN,
    BENCH_STEP_GATHER,
    BENCH_STEP_GATHERV,
    BENCH_STEP_REDUCE,
    BENCH_STEP_REDUCE_LOCAL, /* behind an exscan: rank 0 copies */
    BENCH_STEP_REDUCE_SCATTER,
    BENCH_STEP_REDUCE_SCATTER_BLOCK,
    BENCH_STEP_SCAN,
    BENCH_STEP_SCATTER,
    BENCH_STEP_SCATTERV,
    BENCH_STEP_COPIES,   /* no call: a block for every rank, all alike */
    BENCH_STEP_OWN_PART, /* no call: this rank's part */
    BENCH_STEPS
};

enum { BENCH_NOT_OURS = -1 };

struct bench_step_info {
    const char *name;
    int operation;         /* enum topo_operation, BENCH_NOT_OURS: it is no collective */
    bool from_all, to_all; /* so many elements for every rank of the communicator, else once */
    enum bench_outcome outcome;
};
extern const struct bench_step_info bench_step_info[BENCH_STEPS];

enum bench_buffer { BENCH_SEND, BENCH_RECEIVE, BENCH_SPARE, BENCH_BUFFERS };

/* Elements of 8 bytes that a step is called with. */
enum bench_amount {
    BENCH_COUNT,  /* as many as the size has */
    BENCH_WHOLE,  /* that for every rank */
    BENCH_CHUNK,  /* a rank's share of them, rounded up: what is over is padding */
    BENCH_INTEGER /* one int */
};

struct bench_step {
    enum bench_step_kind kind;
    enum bench_buffer from, to;
    enum bench_amount amount;
};

enum bench_root { BENCH_ROOT_FIRST, BENCH_ROOT_MIDDLE, BENCH_ROOT_LAST };

enum { BENCH_STEPS_MAX = 2 };

/* One side of a guideline: steps one after the other. */
struct bench_form {
    struct bench_step step[BENCH_STEPS_MAX];
    bool twice; /* twice the bytes */
    bool again; /* all steps once more, on other buffers */
    bool lower; /* by the lower half of the ranks */
    bool in_place;
    enum bench_root root;
};

struct bench_guideline {
    enum bench_guideline_kind kind;
    const char *operation; /* on the left: "allreduce" */
    struct bench_form left, right;
};

/* The table: every guideline once, by kind. */
extern const struct bench_guideline bench_guideline[];
extern const int bench_guidelines;

/* "mockup", "monotone", ... */
const char *bench_guideline_kind_word(enum bench_guideline_kind kind);

/* False: a barrier, which has no sizes. */
bool bench_guideline_has_sizes(const struct bench_guideline *guideline);

/* What the left side may take longer than the right one: the kind's own, or `tolerance` where that is more. */
double bench_guideline_slack(enum bench_guideline_kind kind, double tolerance);

/* True where the right side does what the left one does, so that who has a faster one may call it instead. */
bool bench_guideline_replaces(enum bench_guideline_kind kind);

/* Elements that a form needs of a buffer, `count` being those of the size and `ranks` those of its communicator. */
size_t bench_form_extent(const struct bench_form *form, enum bench_buffer buffer, size_t count, int ranks);

/* Elements of a step. */
size_t bench_step_count(const struct bench_step *step, size_t count, int ranks);

/* "reduce + bcast", "bcast(2m)", "2 bcast", "bcast, last root". */
void bench_form_words(const struct bench_form *form, struct topo_text *out);

/* Marks the guidelines of the kinds and of the operations that two lists name, NULL: all; chosen[bench_guidelines].
 * Errors: TOPO_PARSE naming the option, the word and what is allowed, or that nothing is left; TOPO_NOMEM. */
enum topo_status bench_guidelines_choose(const char *kinds, const char *operations, bool *chosen,
                                         struct topo_error *error);

#endif
