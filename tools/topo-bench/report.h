/* What was measured, and its forms: table and JSON. No MPI here. */
#ifndef TOPO_BENCH_REPORT_H
#define TOPO_BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "topo-bench/statistics.h"

/* One algorithm at one size. */
struct bench_result {
    struct bench_statistics seconds; /* of a call, over the samples; count 0: it does not apply here */
    int batch;                       /* calls per sample; 0: left out for its length after the first call, or not run */
    struct bench_statistics first;   /* seconds of the first call on each of several graphs; count 0: none */
    const char *ran;                 /* what ran in the end, where that is not said by the name; NULL: it is. Static */
    double faster;                   /* share of the samples that were shorter than native's of the same round */
    bool wrong;                      /* a result differed from what MPI defines */
    bool failed;                     /* it returned an MPI error */
};

struct bench_size {
    size_t bytes;
    size_t looked_up;            /* bytes of a call in rules: what irregular blocks of `bytes` are on average */
    double bound;                /* seconds that the links need at least; 0: not known */
    char *bound_level;           /* "node", "switch": the links that decide; NULL: none */
    char *took;                  /* the algorithm that auto took */
    struct bench_result *result; /* one per algorithm */
};

/* Links of one level of the machine's tree, outermost first. */
struct bench_level {
    char *name;
    int units;
    double nominal, measured; /* bytes per second through a unit's link, each way; 0: not known */
};

struct bench_report {
    char *operation, *label; /* label: what the user calls this run, may be "" */
    char *mpi;               /* "Open MPI 4.1.4" */
    int ranks, nodes;
    char *node_ranks; /* ranks of each node: "7 5 3 1" */
    char *placement;  /* "by slot", "by node", "mixed", "one node" */
    char *data;       /* "contiguous", "double, sum", ... */
    int split;        /* communicators that make the call at the same time */
    enum bench_statistic statistic;
    int levels;
    struct bench_level *level;
    int algorithms;
    char **algorithm; /* "native", "native:han", "auto", names of our own */
    int sizes;
    struct bench_size *size;
};

/* Room for the given numbers of things; strings start NULL. Free with
 * bench_report_free() (NULL is harmless). NULL when out of memory. */
struct bench_report *bench_report_new(int levels, int algorithms, int sizes);
void bench_report_free(struct bench_report *report);

/* Index of an algorithm, -1 when it is not in the report. */
int bench_report_find(const struct bench_report *report, const char *algorithm);

/* Seconds by the report's statistic, 0 where nothing was measured. */
double bench_report_seconds(const struct bench_report *report, int size, int algorithm);

/* "native" and "native:COMPONENT" are the MPI library's. */
bool bench_is_native(const char *algorithm);

/* Neither native nor ours: a loop over the ranks (topo-bench/loop.h). */
bool bench_is_loop(const char *algorithm);

/* The fastest of the native ones, or of our single algorithms (without auto), of
 * those that were sampled and gave right results; -1: none. */
int bench_report_fastest(const struct bench_report *report, int size, bool native);

/* "16 ranks on 4 nodes (4 4 4 4), by slot": one line without operation and data. */
void bench_report_describe(const struct bench_report *report, struct topo_text *out);

/* The table that people read: heading, then per size a line per algorithm. The
 * lines of one size alone serve a run that still goes on. */
void bench_table_heading(const struct bench_report *report, struct topo_text *out);
void bench_table_size(const struct bench_report *report, int size, struct topo_text *out);

/* The same as one line a size and one column an algorithm, the habit of OSU's benchmarks: a dash where one does not
 * apply, FAILED or WRONG where it returned an error or other bytes. */
void bench_columns_heading(const struct bench_report *report, struct topo_text *out);
void bench_columns_size(const struct bench_report *report, int size, struct topo_text *out);

/* JSON, which page.py makes pages and charts of. Seconds are written in microseconds, rates in bytes per second. */
void bench_json_write(const struct bench_report *report, struct topo_text *out);

#endif
