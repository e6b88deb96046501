/* The tree of intervals of a program and what is lost where (docs/REFERENCES.md,
 * Predictor 1 to 3). Both kinds of prediction fill it: Lib-DVM traces
 * (tools/topo-predict-dvm/dvm_model.h) and traces of MPI programs (predict/mpi/replay.h). All times in seconds. */
#ifndef TOPO_PREDICT_INTERVAL_H
#define TOPO_PREDICT_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "predict/call_times.h"

/* Kinds of interval: id, word. */
#define TOPO_INTERVAL_KIND_MAP(X) \
    X(PROGRAM, "program") \
    X(USER, "user") \
    X(SEQUENTIAL, "sequential") \
    X(PARALLEL, "parallel")

enum topo_interval_kind {
#define X(id, word) TOPO_INTERVAL_##id,
    TOPO_INTERVAL_KIND_MAP(X)
#undef X
        TOPO_INTERVAL_KINDS
};

/* Kinds of communication: id, word, what runs of MPI have of that kind. */
#define TOPO_COMM_KIND_MAP(X) \
    X(IO, "io", "input and output") \
    X(REDUCTION, "reduction", "reductions and barriers") \
    X(SHADOW, "shadow", "messages between ranks") \
    X(REMOTE, "remote", "broadcasts and gathers") \
    X(REDISTRIBUTION, "redistribution", "all-to-all exchanges")

enum topo_comm_kind {
#define X(id, word, mpi) TOPO_COMM_##id,
    TOPO_COMM_KIND_MAP(X)
#undef X
        TOPO_COMM_KINDS
};

/* "user", ...; "reduction", ...; never NULL. */
const char *topo_interval_kind_name(enum topo_interval_kind kind);
const char *topo_comm_kind_name(enum topo_comm_kind kind);
const char *topo_comm_kind_mpi_label(enum topo_comm_kind kind); /* "reductions and barriers", ... */

/* One processor in one interval. The first group is what a prediction adds up
 * for the time between entering and leaving the interval outside nested ones;
 * topo_intervals_integrate() adds the nested ones and fills the second group. */
struct topo_times {
    bool took_part;
    double execution;           /* Execution_time */
    double io, sys, cpu;        /* IO_time, SYS_time, CPU_time */
    double insufficient_user;   /* Insuff_parallelism_USR */
    double insufficient_system; /* Insuff_parallelism_SYS */
    double time_variation;      /* Time_variation */
    struct topo_comm_time {
        double comm, synch, overlap; /* e.g. Wait_reduction, Reduction_synch, Reduction_overlap */
    } kind[TOPO_COMM_KINDS];

    double insufficient;    /* user + system */
    double communication;   /* sum of comm over the kinds */
    double synchronization; /* sum of synch */
    double overlap;         /* sum of overlap */
    double idle;            /* longest execution over the processors - own */
    double load_imbalance;  /* longest cpu + sys - own */
    double lost;            /* insufficient + communication + idle */
};

struct topo_interval {
    enum topo_interval_kind kind;
    char *name; /* may be NULL */
    char *file; /* may be NULL */
    long line;
    bool has_value;
    long value;
    int level;    /* 0: the whole program */
    long entries; /* EXE_count */
    long operations[TOPO_COMM_KINDS];
    struct topo_times *times; /* [processors] */
    struct topo_interval *parent, **children;
    int child_count;
    uint64_t hash; /* of what tells it from the others of its parent */
    int *slots;    /* children by hash: [slot_count] number + 1, 0: free; NULL: none */
    int slot_count;

    /* Filled by topo_intervals_integrate(); sums are over the processors that took part. */
    int processors;
    double execution;                                     /* longest */
    double productive_cpu, productive_sys, productive_io; /* sums less the insufficient parallelism in them */
    double productive, total, efficiency;                 /* total = execution x processors */
    struct topo_times sum;
};

struct topo_intervals {
    struct topo_interval *root, *current;
    int processors;
    struct topo_call_times calls; /* of MPI programs */
};

/* A tree of the root alone, entered once. Free with topo_intervals_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_intervals_new(int processors, struct topo_intervals *intervals, struct topo_error *error);
void topo_intervals_free(struct topo_intervals *intervals);

/* What tells one interval from another inside the same outer one. */
struct topo_interval_key {
    enum topo_interval_kind kind;
    const char *name, *file; /* may be NULL */
    long line;
    bool has_value;
    long value;
};

/* The interval of that key inside `outer`, made when it is new; NULL when out of memory. */
struct topo_interval *topo_interval_find(struct topo_intervals *intervals, struct topo_interval *outer,
                                         const struct topo_interval_key *key);

/* Enters an interval inside the current one and counts it. Errors: TOPO_NOMEM. */
enum topo_status topo_intervals_enter(struct topo_intervals *intervals, const struct topo_interval_key *key);

/* Back to the outer interval; false at the root. */
bool topo_intervals_leave(struct topo_intervals *intervals);

/* Adds nested intervals to their outer ones and fills every derived figure.
 * Once, after the last time was added. For every interval
 * total = productive + sum.insufficient + sum.communication + sum.synchronization + sum.idle. */
void topo_intervals_integrate(struct topo_intervals *intervals);

/* The figures of struct topo_times by name, in the order they are shown. */
struct topo_metric {
    const char *name;      /* as in Predictor 2: "Execution_time" */
    const char *label;     /* "Execution time" */
    const char *mpi_label; /* the same in the words of MPI, for its runs */
    size_t offset;         /* of a double in struct topo_times */
};
const struct topo_metric *topo_metrics(int *count);
double topo_metric_value(const struct topo_metric *metric, const struct topo_times *times);

#endif
