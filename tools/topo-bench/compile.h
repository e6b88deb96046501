/* The report's head, from the request and the machine. */
#ifndef TOPO_BENCH_COMPILE_H
#define TOPO_BENCH_COMPILE_H

#include "topo-bench/report.h"
#include "topo-bench/variants.h"

/* What is said of the job: ranks and nodes, MPI library, label, split and statistic. False: out of memory. */
bool bench_compile_job(const struct bench_request *request, const struct topo_tree *tree, struct bench_report *report);

/* A report with everything but levels' rates and times. NULL when out of memory. */
struct bench_report *bench_compile(const struct bench_request *request, const struct bench_operation *operation,
                                   const struct bench_variants *variants, const struct topo_tree *tree);

#endif
