/* What became of guidelines: a line of the table, JSON, a summary. No MPI here. */
#ifndef TOPO_BENCH_GUIDELINE_REPORT_H
#define TOPO_BENCH_GUIDELINE_REPORT_H

#include "topo-bench/arrival.h"
#include "topo-bench/guideline.h"
#include "topo-bench/paired.h"
#include "topo-bench/report.h"

/* Isolated: each call begins after a barrier; streaming: calls in a row. */
enum bench_calls { BENCH_STREAMING, BENCH_ISOLATED, BENCH_CALLS };

/* Both sides of a guideline at one size. */
struct bench_comparison {
    const struct bench_guideline *guideline;
    bool library; /* what TopoMPI has was called as auto has it, else natively */
    enum bench_calls calls;
    size_t bytes; /* 0: it moves no data */
    enum bench_arrival arrival;
    double calls_late;                   /* most that a rank is late, in native calls */
    double late;                         /* the same in seconds */
    struct bench_statistics left, right; /* seconds of a call on the slowest rank, lateness in it */
    struct bench_paired paired;
    double slack;
    bool wrong, failed; /* a side gave another result than MPI defines, or an MPI error: no times */
};

/* Not for what is wrong or failed. */
enum bench_verdict bench_comparison_verdict(const struct bench_comparison *comparison);

/* "allreduce <= reduce + bcast", "allreduce by auto <= native, rank late 0.5". */
void bench_comparison_words(const struct bench_comparison *comparison, struct topo_text *out);

/* The table: its head, which says what was run where, a line a comparison, and at the end how many of each library are
 * kept, broken and unclear. */
void bench_guidelines_heading(const struct bench_report *job, double tolerance, struct topo_text *out);
void bench_guidelines_line(const struct bench_comparison *comparison, struct topo_text *out);
void bench_guidelines_summary(const struct bench_comparison *list, int count, struct topo_text *out);

/* All of it; times in microseconds. */
void bench_guidelines_json(const struct bench_report *job, const struct bench_comparison *list, int count,
                           struct topo_text *out);

#endif
