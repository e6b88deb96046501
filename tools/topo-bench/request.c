#include "topo-bench/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schedule/array.h"
#include "schedule/random.h"

static enum topo_status read_split(void *into, const struct cli_option *option, const char *text,
                                   struct topo_error *error)
{
    struct bench_request *request = into;
    char number[16] = "";
    long count;
    size_t digits = strcspn(text, ":");
    if (digits < sizeof number)
        memcpy(number, text, digits);
    request->split_blocks = !strcmp(text + digits, ":block");
    if (!topo_parse_long(number, 1, 1000000, &count) || (text[digits] && !request->split_blocks))
        return topo_fail(error, TOPO_PARSE, "--%s %s: allowed: a number of communicators, or K:block", option->name,
                         text);
    request->split = (int)count;
    return TOPO_OK;
}

enum topo_status bench_read_samples(void *into, const struct cli_option *option, const char *text,
                                    struct topo_error *error)
{
    struct bench_request *request = into;
    char low[16] = "";
    const char *dots = strstr(text, "..");
    size_t length = dots ? (size_t)(dots - text) : 0;
    if (length > 0 && length < sizeof low)
        memcpy(low, text, length);
    if (!dots || !topo_parse_long(low, 1, 1000000, &request->samples_min) ||
        !topo_parse_long(dots + 2, request->samples_min, 1000000, &request->samples_max))
        return topo_fail(error, TOPO_PARSE, "--%s %s: allowed: MIN..MAX, from 1 to 1000000", option->name, text);
    return TOPO_OK;
}

/* More than 0 (or 0 itself, for --batch) and at most `high`. */
enum topo_status bench_read_seconds(void *into, const struct cli_option *option, const char *text,
                                    struct topo_error *error)
{
    struct bench_request *request = into;
    bool batch = !strcmp(option->name, "batch");
    char *end;
    double seconds = strtod(text, &end), high = batch ? 10 : 3600;
    if (end == text || *end || !(batch ? seconds >= 0 : seconds > 0) || !(seconds <= high))
        return topo_fail(error, TOPO_PARSE, "--%s %s: allowed: seconds, %s 0 and at most %g", option->name, text,
                         batch ? "at least" : "more than", high);
    *(batch ? &request->batch : &request->seconds) = seconds;
    return TOPO_OK;
}

enum topo_status bench_read_sizes(void *into, const struct cli_option *option, const char *text,
                                  struct topo_error *error)
{
    struct bench_request *request = into;
    (void)option;
    bench_sizes_free(&request->sizes);
    return bench_sizes_read(text, &request->sizes, error);
}

static enum topo_status read_rates(void *into, const struct cli_option *option, const char *text,
                                   struct topo_error *error)
{
    (void)option;
    return bench_rates_read(text, &((struct bench_request *)into)->rates, error);
}

static enum topo_status read_graph(void *into, const struct cli_option *option, const char *text,
                                   struct topo_error *error)
{
    struct topo_text spec = {0};
    struct topo_random_spec unused;
    topo_text_addf(&spec, "N=1024,E=%s", text);
    bool good = !spec.failed && !strchr(text, ',') && topo_random_parse(spec.text, &unused, NULL) == TOPO_OK;
    topo_text_free(&spec);
    if (!good)
        return topo_fail(error, TOPO_PARSE, "--%s %s: allowed: a number of messages, as 64, 4N or N^2/4", option->name,
                         text);
    ((struct bench_request *)into)->graph = text;
    return TOPO_OK;
}

static enum topo_status read_redistribution(void *into, const struct cli_option *option, const char *text,
                                            struct topo_error *error)
{
    struct topo_array array;
    (void)option;
    ((struct bench_request *)into)->redistribute = text;
    return topo_array_parse(text, &array, error);
}

#define TEXT(member) CLI_TEXT(struct bench_request, member)
#define FLAG(member) CLI_FLAG(struct bench_request, member)
#define WORD(member) CLI_WORD(struct bench_request, member)

static const struct cli_option options[] = {
    {'s', "sizes", "LIST",
     "bytes: 8,64,1K..1M or 1..1M:4 (default 8..512K:4); allgather(v), gather(v), scatter(v), reduce_scatter(_block): of a "
     "rank's block, "
     "allreduce, bcast, reduce, (ex)scan: of the vector, alltoall(v): from a rank to another on average; barrier: none",
     .read = bench_read_sizes},
    {'a', "algorithms", "LIST",
     "of native, native:NAME (Open MPI's component, as native:han, or MPICH's algorithm, as native:ring), auto (the "
     "library's choice), all, "
     "and names that topo-dump algorithms shows (default native,auto,all); allreduce: NAME@PACKET sets "
     "TOPOMPI_PACKET for it, as cyclic@0,cyclic@4K..4M, and --svg then shows the rate over the packet, "
     "cyclic:GRID, as cyclic:4x4@60K, its grid; alltoallv: NAME@SYNC sets TOPOMPI_ALLTOALLV_SYNC for a scheduled "
     "form, as drc@sendrecv; unscheduled@SYNC and shifted@SYNC are a loop over the ranks, from rank 0 or from "
     "itself on, SYNC being none, send or sendrecv",
     TEXT(algorithms)},
    {0, "rate", "LEVEL=RATE,...", "nominal rate of a unit's link, as node=1gbit,switch=500mbit, for the bound",
     .read = read_rates},
    {0, "no-link-test", NULL, "do not measure the links' rates first (the bound then uses the nominal ones)",
     FLAG(no_link_test)},
    {0, "time", "SECONDS", "to spend on each size (default 1)", .read = bench_read_seconds},
    {0, "batch", "SECONDS", "calls in a row make one sample of at least so long (default 0.01; 0: single calls)",
     .read = bench_read_seconds},
    {0, "samples", "MIN..MAX", "of every algorithm at a size (default 5..1000)", .read = bench_read_samples},
    {0, "split", "K[:block]", "K communicators at once: ranks dealt round, or neighbours together", .read = read_split},
    {0, "data", "contiguous|gaps", "elements one after the other, or with gaps of their size (default contiguous)",
     WORD(gaps)},
    {0, "graph", "EDGES",
     "alltoallv: messages between random pairs only, as many as 4N or N^2/4 says, N the ranks; together as long as "
     "between all pairs at this mean (default: all pairs)",
     .read = read_graph},
    {0, "graphs", "G", "with --graph: so many graphs, one sample of each; first calls are shown too (default 1)",
     CLI_NUMBER(struct bench_request, graphs, 1, 100000)},
    {0, "redistribute", "TEXT",
     "alltoallv: an array of 8-byte elements from one distribution to another, as \"cyclic(3)@5 -> cyclic(4)@5\" or "
     "\"cyclic(3)@2 x block@2 -> block@2 x cyclic(2)@2\"; as long as all messages at this mean",
     .read = read_redistribution},
    {0, "matrix", "FILE",
     "alltoallv: bytes from CSV or MatrixMarket, as for topo-dump schedule; with --sizes scaled to these means",
     TEXT(matrix_file)},
    {0, "type", "int|long|float|double", "of reductions (default double)", TEXT(type)},
    {0, "op", "sum|prod|max|min|bxor", "of reductions (default sum)", TEXT(combine)},
    {0, "statistic", "median|min", "the figure for ratios and charts (default median)", WORD(statistic)},
    {0, "format", "table|columns|json",
     "what is printed: every figure, a line an algorithm; one line a size and one column an algorithm; or, at the "
     "end, what --json writes (default table)",
     WORD(format)},
    {0, "label", "TEXT", "a name of this run for reports", TEXT(label)},
    {0, "json", "FILE", "the report as JSON; % stands for the operation", TEXT(json)},
    {0, "svg", "FILE", "as a chart (by python3 and gnuplot); % stands for the operation", TEXT(svg)},
    {0, "params", "FILE", "levels: the machine's parameters, in the form that a tuning file holds them", TEXT(params)},
    {0, "tuning", "FILE", "tune: the file to write; TOPOMPI_TUNING=FILE makes the library read it", TEXT(tuning)},
    {0, "progress", NULL,
     "a line on stderr: what is measured, about how long the rest takes (without it: when stderr is a terminal)",
     FLAG(progress)},
    {0}};

static const struct cli_command command = {
    .name = BENCH_TOOL,
    .usage =
        "usage: mpirun ... topo-bench OPERATION[,OPERATION]... [OPTION]...   native and our algorithms side by side\n"
        "       mpirun ... topo-bench levels [OPTION]...      latency and bandwidth of every level of the machine\n"
        "       topo-bench reduce_local [OPTION]...           MPI_Reduce_local against plain loops\n"
        "       mpirun ... topo-bench guidelines [OPTION]...  what a call must not take longer than\n"
        "       mpirun ... topo-bench tune --tuning FILE [OPTION]...   a tuning file for ranks placed like these\n"
        "       topo-bench report [OPTION]... FILE.json...    Markdown and charts from JSON reports\n",
    .options = options,
    .after = "exit status: 0 success, 1 a wrong result or another failure, 2 wrong arguments\n"};

int bench_request_show(const struct bench_request *request, const char *operations)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text names = {0};
    topo_text_addf(&names, "OPERATION: %s\n", operations);
    return cli_show(&command, request->show, names.failed ? NULL : names.text);
}

/* What only one of the options' owners knows. */
static enum topo_status check_together(const struct bench_request *request, struct topo_error *error)
{
    bool bits = !strcmp(request->combine, "bxor");
    if (bits && strcmp(request->type, "int") && strcmp(request->type, "long"))
        return topo_fail(error, TOPO_PARSE, "--op bxor needs --type int or long");
    if (request->gaps && strstr(request->what, "reduce"))
        return topo_fail(error, TOPO_PARSE, "--data gaps: the operations of reductions work on plain types only");
    bool several = strchr(request->what, ',') || !strcmp(request->what, "tune");
    if (several && ((request->json && !strchr(request->json, '%')) || (request->svg && !strchr(request->svg, '%'))))
        return topo_fail(error, TOPO_PARSE, "several operations need %% in the names of --json and --svg files");
    if (several && request->format == BENCH_JSON)
        return topo_fail(error, TOPO_PARSE, "--format json prints one operation; --json with %% is for several");
    if (!request->tuning != (strcmp(request->what, "tune") != 0))
        return topo_fail(error, TOPO_PARSE, "topo-bench tune and --tuning FILE belong together");
    if (request->tuning && (request->split > 1 || request->gaps))
        return topo_fail(
            error, TOPO_PARSE,
            "topo-bench tune: its rules are for plain data in one communicator of all ranks, not --split, --data gaps");
    if (request->graph && strcmp(request->what, "alltoallv"))
        return topo_fail(error, TOPO_PARSE, "--graph belongs to topo-bench alltoallv");
    if ((request->redistribute || request->matrix_file) && strcmp(request->what, "alltoallv"))
        return topo_fail(error, TOPO_PARSE, "--%s belongs to topo-bench alltoallv",
                         request->matrix_file ? "matrix" : "redistribute");
    if ((request->graph != NULL) + (request->redistribute != NULL) + (request->matrix_file != NULL) > 1)
        return topo_fail(error, TOPO_PARSE, "one of --graph, --redistribute and --matrix says who sends how much");
    if (request->graphs > 1 && !request->graph)
        return topo_fail(error, TOPO_PARSE, "--graphs goes with --graph");
    if (request->params && strcmp(request->what, "levels"))
        return topo_fail(error, TOPO_PARSE, "--params belongs to topo-bench levels");
    return TOPO_OK;
}

enum topo_status bench_request_read(int argc, char **argv, struct bench_request *request, struct topo_error *error)
{
    int operand;
    *request = (struct bench_request){.what = "",
                                      .algorithms = "native,auto,all",
                                      .seconds = 1,
                                      .batch = 0.01,
                                      .samples_min = 5,
                                      .samples_max = 1000,
                                      .split = 1,
                                      .graphs = 1,
                                      .type = "double",
                                      .combine = "sum",
                                      .label = ""};
    if (argc < 2)
        return topo_fail(error, TOPO_PARSE, "OPERATION is missing; see " BENCH_TOOL " --help");
    /* The operation comes first, unless that is --help or --version. */
    bool named = argv[1][0] != '-' || !strcmp(argv[1], "--tune");
    if (named)
        request->what = strcmp(argv[1], "--tune") ? argv[1] : "tune";
    if (!strcmp(request->what, "tune"))
        request->algorithms = "native,all";
    enum topo_status status = cli_read(&command, argc - named, argv + named, request, &operand, error);
    request->show = status == TOPO_OK && operand < 0 ? operand : 0;
    if (status != TOPO_OK || request->show)
        return status;
    if (!named)
        return topo_fail(error, TOPO_PARSE, "OPERATION is missing; see " BENCH_TOOL " --help");
    request->sizes_given = request->sizes.count > 0;
    if (!request->sizes_given)
        status = bench_sizes_read("8..512K:4", &request->sizes, error);
    return status == TOPO_OK ? check_together(request, error) : status;
}

void bench_request_free(struct bench_request *request)
{
    bench_sizes_free(&request->sizes);
}

void bench_path(const char *pattern, const char *operation, struct topo_text *out)
{
    for (const char *at = pattern; *at; at++)
        if (*at == '%')
            topo_text_add(out, operation);
        else
            topo_text_addf(out, "%c", *at);
}

int bench_request_colour(const struct bench_request *request, int rank, int ranks)
{
    if (!request->split_blocks)
        return rank % request->split;
    return (int)((long)rank * request->split / ranks);
}
