/* What the user asked for: the command line of `topo-bench OPERATION` and `topo-bench levels`. */
#ifndef TOPO_BENCH_REQUEST_H
#define TOPO_BENCH_REQUEST_H

#include <stdbool.h>

#include "base/status.h"
#include "common/options.h"
#include "topo-bench/rates.h"
#include "topo-bench/sizes.h"
#include "topo-bench/statistics.h"

#define BENCH_TOOL "topo-bench"

struct bench_request {
    const char *what; /* names of operations, "levels", or "tune" */
    int show;         /* CLI_HELP or CLI_VERSION in place of work; 0: neither */
    struct bench_sizes sizes;
    const char *algorithms; /* list as typed */
    struct bench_rates rates;
    bool no_link_test;
    double seconds; /* time to spend on a size */
    double batch;   /* seconds that the calls of one sample take together */
    long samples_min, samples_max;
    int split;                  /* communicators */
    bool split_blocks;          /* neighbouring ranks together, else rank mod split */
    int gaps;                   /* elements with gaps between them */
    const char *graph;          /* alltoallv: a random graph's edges, "4N" or "N^2/4"; NULL: all pairs */
    long graphs;                /* so many graphs at each size; 1: one */
    int seed;                   /* which of them: 0 .. graphs - 1 */
    const char *redistribute;   /* alltoallv: the redistribution of an array, or NULL */
    const char *matrix_file;    /* alltoallv: a file with its matrix, or NULL */
    bool sizes_given;           /* by --sizes */
    const char *type, *combine; /* allreduce: type and operation */
    enum bench_statistic statistic;
    const char *label, *json, *svg, *params, *tuning;
    bool progress;
    enum bench_format { BENCH_TABLE, BENCH_COLUMNS, BENCH_JSON } format; /* what is printed */
};

/* Reads argv[1] (the operation or "levels") and the options after it. Returns
 * TOPO_OK, or TOPO_PARSE / TOPO_NOMEM with the one line to say in *error; free
 * with bench_request_free() in every case. `argv` must outlive *request. */
enum topo_status bench_request_read(int argc, char **argv, struct bench_request *request, struct topo_error *error);
void bench_request_free(struct bench_request *request);

/* Of --sizes, of --time and --batch, of --samples. */
cli_reader bench_read_sizes, bench_read_seconds, bench_read_samples;

/* Prints what request->show asks for; `operations` are the names to show. An exit status. */
int bench_request_show(const struct bench_request *request, const char *operations);

/* The file that --json and --svg mean for an operation: every % is its name. */
void bench_path(const char *pattern, const char *operation, struct topo_text *out);

/* Communicator that a rank is in when `ranks` are split. */
int bench_request_colour(const struct bench_request *request, int rank, int ranks);

#endif
