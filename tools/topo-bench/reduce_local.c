/* How fast MPI_Reduce_local adds and compares here, and what the compiler makes of
 * the same loop: what a kernel of our own in coll/allreduce could win. */
#pragma GCC optimize("O3")
#include "topo-bench/reduce_local.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "base/memory.h"
#include "common/cli.h"
#include "common/json.h"
#include "job/about.h"
#include "topo-bench/request.h"

/* As Open MPI's: the second operand is the one that is kept when they are equal or not comparable. */
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))
#define PLUS(a, b) ((a) + (b))
#define LOOP(name, type, combine) \
    __attribute__((noinline)) static void name(const void *from, void *to, int count) \
    { \
        const type *restrict in = from; \
        type *restrict out = to; \
        for (int i = 0; i < count; i++) \
            out[i] = combine(out[i], in[i]); \
    }

LOOP(sum_double, double, PLUS)
LOOP(min_double, double, SMALLER)
LOOP(max_double, double, LARGER)
LOOP(sum_float, float, PLUS)
LOOP(min_float, float, SMALLER)
LOOP(max_float, float, LARGER)

static const struct {
    const char *op_name, *type_name;
    MPI_Op op;
    MPI_Datatype type;
    size_t size;
    void (*loop)(const void *from, void *to, int count);
} rows[] = {{"sum", "double", MPI_SUM, MPI_DOUBLE, sizeof(double), sum_double},
            {"min", "double", MPI_MIN, MPI_DOUBLE, sizeof(double), min_double},
            {"max", "double", MPI_MAX, MPI_DOUBLE, sizeof(double), max_double},
            {"sum", "float", MPI_SUM, MPI_FLOAT, sizeof(float), sum_float},
            {"min", "float", MPI_MIN, MPI_FLOAT, sizeof(float), min_float},
            {"max", "float", MPI_MAX, MPI_FLOAT, sizeof(float), max_float}};

enum { ROWS = sizeof rows / sizeof *rows, SAMPLES_MAX = 1000, MPI = 0, OURS = 1 };

/* Small values of both signs: sums stay finite however often they are added. */
static void fill(int row, void *memory, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        int value = (int)((i * 2654435761u + seed) >> 8 & 255) - 128;
        if (rows[row].size == sizeof(double))
            ((double *)memory)[i] = value / 3.0;
        else
            ((float *)memory)[i] = (float)value / 3.0f;
    }
}

static void work(int row, int which, const void *from, void *to, int count)
{
    if (which == MPI)
        PMPI_Reduce_local(from, to, count, rows[row].type, rows[row].op);
    else
        rows[row].loop(from, to, count);
}

/* Both ways in turn for `seconds`, in samples of at least 0.1 ms. */
static void measure(int row, char *from, char *to, size_t bytes, double seconds, struct bench_statistics *result)
{
    static double times[2][SAMPLES_MAX];
    int count = (int)(bytes / rows[row].size), samples = 0, batch = 1;
    fill(row, from, (size_t)count, 1);
    fill(row, to, (size_t)count, 99);
    double begin = PMPI_Wtime(), each;
    for (work(row, MPI, from, to, count);; batch *= 2) {
        double start = PMPI_Wtime();
        for (int i = 0; i < batch; i++)
            work(row, MPI, from, to, count);
        each = PMPI_Wtime() - start;
        if (each > 1e-4)
            break;
    }
    for (; samples < SAMPLES_MAX && (samples < 5 || PMPI_Wtime() - begin < seconds); samples++)
        for (int which = MPI; which <= OURS; which++) {
            double start = PMPI_Wtime();
            for (int i = 0; i < batch; i++)
                work(row, which, from, to, count);
            times[which][samples] = (PMPI_Wtime() - start) / batch;
            fill(row, to, (size_t)count, 99);
        }
    for (int which = MPI; which <= OURS; which++)
        result[which] = bench_statistics_of(times[which], samples);
}

/* True when both ways give the same bits. */
static bool same(int row, char *from, char *to, char *other, size_t bytes)
{
    int count = (int)(bytes / rows[row].size);
    fill(row, from, (size_t)count, 1);
    fill(row, to, (size_t)count, 99);
    fill(row, other, (size_t)count, 99);
    work(row, MPI, from, to, count);
    work(row, OURS, from, other, count);
    return !memcmp(to, other, (size_t)count * rows[row].size);
}

static int compare(const struct bench_request *request)
{
    size_t most = request->sizes.bytes[request->sizes.count - 1];
    TOPO_SCOPED char *from = topo_alloc(most, 1), *to = topo_alloc(most, 1), *other = topo_alloc(most, 1);
    int status = CLI_OK;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text library = {0}, json = {0};
    if (!from || !to || !other)
        return cli_fail(BENCH_TOOL, CLI_FAILED, "no memory for three vectors of %zu bytes", most);
    json_t *list = json_array();
    topo_about_mpi(&library);
    printf("# MPI_Reduce_local of %s and a loop of ours (gcc %s -O3); GB of one operand a second\n"
           "%10s  %-10s %10s %10s %10s\n",
           library.text ? library.text : "?", __VERSION__, "bytes", "what", "MPI", "ours", "ours/MPI");
    for (int i = 0; i < request->sizes.count; i++)
        for (int row = 0; row < ROWS; row++) {
            size_t bytes = request->sizes.bytes[i] / rows[row].size * rows[row].size;
            struct bench_statistics result[2];
            if (bytes == 0)
                continue;
            measure(row, from, to, bytes, request->seconds / ROWS, result);
            double mpi = bench_statistic(&result[MPI], request->statistic);
            double ours = bench_statistic(&result[OURS], request->statistic);
            bool equal = same(row, from, to, other, bytes);
            printf("%10zu  %s %-6s %10.2f %10.2f %10.2f%s\n", bytes, rows[row].op_name, rows[row].type_name,
                   (double)bytes / mpi / 1e9, (double)bytes / ours / 1e9, mpi / ours, equal ? "" : "  OTHER BITS");
            fflush(stdout);
            json_array_append_new(list, json_pack("{s:I, s:s, s:s, s:f, s:f, s:b}", "bytes", (json_int_t)bytes, "op",
                                                  rows[row].op_name, "type", rows[row].type_name, "mpi_us", mpi * 1e6,
                                                  "ours_us", ours * 1e6, "equal", equal));
            if (!equal)
                status = CLI_FAILED;
        }
    if (request->json) {
        cli_json(&json,
                 json_pack("{s:s, s:s, s:s, s:O}", "tool", BENCH_TOOL " reduce_local", "mpi",
                           library.text ? library.text : "", "statistic",
                           request->statistic == BENCH_MEDIAN ? "median" : "minimum", "calls", list),
                 JSON_INDENT(1) | JSON_REAL_PRECISION(12));
        if (cli_write(BENCH_TOOL, request->json, &json) != CLI_OK)
            status = CLI_FAILED;
    }
    json_decref(list);
    return status;
}

int bench_reduce_local(int argc, char **argv)
{
    static const struct cli_option options[] = {
        {'s', "sizes", "LIST", "bytes of a vector, as of an operation (default 4K,64K,1M,16M)",
         .read = bench_read_sizes},
        {0, "time", "SECONDS", "to spend on each size (default 1)", .read = bench_read_seconds},
        {0, "statistic", "median|min", "the figure (default median)", CLI_WORD(struct bench_request, statistic)},
        {0, "json", "FILE", "the figures as JSON", CLI_TEXT(struct bench_request, json)},
        {0}};
    static const struct cli_command command = {
        .name = BENCH_TOOL " reduce_local",
        .usage = "usage: topo-bench reduce_local [OPTION]...\n\n"
                 "Sum, minimum and maximum of doubles and floats by MPI_Reduce_local and by a plain loop, in one "
                 "process.\n",
        .options = options};
    TOPO_SCOPED_BY(bench_request_free) struct bench_request request = {.seconds = 1};
    struct topo_error error = {""};
    int operand, status = cli_options(&command, argc, argv, &request, &operand, NULL);
    if (status == CLI_OK && !request.sizes.count &&
        bench_sizes_read("4K,64K,1M,16M", &request.sizes, &error) != TOPO_OK)
        status = cli_fail(BENCH_TOOL, CLI_FAILED, "%s", error.text);
    if (status == CLI_OK) {
        PMPI_Init(NULL, NULL);
        status = compare(&request);
        PMPI_Finalize();
    }
    return status == CLI_DONE ? CLI_OK : status;
}
