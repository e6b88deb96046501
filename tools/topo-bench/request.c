#include "topo-bench/request.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schedule/random.h"

enum option_code {
    OPTION_SIZES = 's',
    OPTION_ALGORITHMS = 'a',
    OPTION_HELP = 'h',
    OPTION_RATE = 256,
    OPTION_NO_LINK_TEST,
    OPTION_TIME,
    OPTION_BATCH,
    OPTION_SAMPLES,
    OPTION_SPLIT,
    OPTION_DATA,
    OPTION_GRAPH,
    OPTION_TYPE,
    OPTION_OP,
    OPTION_STATISTIC,
    OPTION_LABEL,
    OPTION_JSON,
    OPTION_SVG,
    OPTION_PARAMS,
    OPTION_TUNING,
    OPTION_PROGRESS
};

static const struct option table[] = {{"sizes", required_argument, NULL, OPTION_SIZES},
                                      {"algorithms", required_argument, NULL, OPTION_ALGORITHMS},
                                      {"rate", required_argument, NULL, OPTION_RATE},
                                      {"no-link-test", no_argument, NULL, OPTION_NO_LINK_TEST},
                                      {"time", required_argument, NULL, OPTION_TIME},
                                      {"batch", required_argument, NULL, OPTION_BATCH},
                                      {"samples", required_argument, NULL, OPTION_SAMPLES},
                                      {"split", required_argument, NULL, OPTION_SPLIT},
                                      {"data", required_argument, NULL, OPTION_DATA},
                                      {"graph", required_argument, NULL, OPTION_GRAPH},
                                      {"type", required_argument, NULL, OPTION_TYPE},
                                      {"op", required_argument, NULL, OPTION_OP},
                                      {"statistic", required_argument, NULL, OPTION_STATISTIC},
                                      {"label", required_argument, NULL, OPTION_LABEL},
                                      {"json", required_argument, NULL, OPTION_JSON},
                                      {"svg", required_argument, NULL, OPTION_SVG},
                                      {"params", required_argument, NULL, OPTION_PARAMS},
                                      {"tuning", required_argument, NULL, OPTION_TUNING},
                                      {"progress", no_argument, NULL, OPTION_PROGRESS},
                                      {"help", no_argument, NULL, OPTION_HELP},
                                      {NULL, 0, NULL, 0}};

void bench_request_help(const char *operations, struct topo_text *out)
{
    topo_text_addf(
        out,
        "usage: mpirun ... topo-bench OPERATION[,OPERATION]... [OPTION]...   native and our algorithms side by side\n"
        "       mpirun ... topo-bench levels [OPTION]...      latency and bandwidth of every level of the machine\n"
        "       topo-bench reduce_local [OPTION]...           MPI_Reduce_local against plain loops\n"
        "       mpirun ... topo-bench tune --tuning FILE [OPTION]...   a tuning file for ranks placed like these\n"
        "       topo-bench report [OPTION]... FILE.json...    Markdown and charts from JSON reports\n\n"
        "OPERATION: %s\n\n"
        "  -s, --sizes LIST       bytes: 8,64,1K..1M or 1..1M:4 (default 8..512K:4); allgather(v), "
        "reduce_scatter(_block):\n"
        "                         of a rank's block, allreduce, bcast, reduce: of the vector, alltoall(v): from a "
        "rank\n"
        "                         to another on average; barrier: none\n"
        "  -a, --algorithms LIST  of native, native:COMPONENT (of Open MPI's collectives, as native:han), auto (the\n"
        "                         library's choice), all, and names that topo-dump algorithms shows\n"
        "                         (default native,auto,all); allreduce: NAME@PACKET sets TOPOMPI_PACKET for it, as\n"
        "                         cyclic@0,cyclic@4K..4M, and --svg then shows the rate over the packet\n"
        "      --rate LEVEL=RATE,...  nominal rate of a unit's link, as node=1gbit,switch=500mbit, for the bound\n"
        "      --no-link-test     do not measure the links' rates first (the bound then uses the nominal ones)\n"
        "      --time SECONDS     to spend on each size (default 1)\n"
        "      --batch SECONDS    calls in a row make one sample of at least so long (default 0.01; 0: single calls)\n"
        "      --samples MIN..MAX of every algorithm at a size (default 5..1000)\n"
        "      --split K[:block]  K communicators at once: ranks dealt round, or neighbours together\n"
        "      --data contiguous|gaps   elements one after the other, or with gaps of their size (default contiguous)\n"
        "      --graph EDGES      alltoallv: messages between random pairs only, as many as 4N or N^2/4 says, N the "
        "ranks;\n"
        "                         together as long as between all pairs at this mean (default: all pairs)\n"
        "      --type int|long|float|double   of reductions (default double)\n"
        "      --op sum|prod|max|min|bxor     of reductions (default sum)\n"
        "      --statistic median|min   the figure for ratios and charts (default median)\n"
        "      --label TEXT       a name of this run for reports\n"
        "      --json FILE, --svg FILE  the report as JSON, as a chart; %% stands for the operation\n"
        "      --params FILE      levels: the machine's parameters, in the form that a tuning file holds them\n"
        "      --tuning FILE      tune: the file to write; TOPOMPI_TUNING=FILE makes the library read it\n"
        "      --progress         a progress line on stderr (without it: when stderr is a terminal)\n"
        "  -h, --help\n\n"
        "exit status: 0 success, 1 a wrong result or another failure, 2 wrong arguments\n",
        operations);
}

/* Index of `word` in a list that ends with NULL; -1 when it is not there. */
static int find(const char *word, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], word))
            return i;
    return -1;
}

static enum topo_status read_split(const char *text, struct bench_request *request, struct topo_error *error)
{
    char number[16] = "";
    long count;
    size_t digits = strcspn(text, ":");
    if (digits < sizeof number)
        memcpy(number, text, digits);
    request->split_blocks = !strcmp(text + digits, ":block");
    if (!topo_parse_long(number, 1, 1000000, &count) || (text[digits] && !request->split_blocks))
        return topo_fail(error, TOPO_PARSE, "--split %s: a number of communicators, or K:block, is wanted", text);
    request->split = (int)count;
    return TOPO_OK;
}

static enum topo_status read_samples(const char *text, struct bench_request *request, struct topo_error *error)
{
    char low[16] = "";
    const char *dots = strstr(text, "..");
    size_t length = dots ? (size_t)(dots - text) : 0;
    if (length > 0 && length < sizeof low)
        memcpy(low, text, length);
    if (!dots || !topo_parse_long(low, 1, 1000000, &request->samples_min) ||
        !topo_parse_long(dots + 2, request->samples_min, 1000000, &request->samples_max))
        return topo_fail(error, TOPO_PARSE, "--samples %s: MIN..MAX is wanted, from 1 to 1000000", text);
    return TOPO_OK;
}

/* More than 0 (or 0 itself, with `zero`) and at most `high`. */
static enum topo_status read_seconds(const char *option, const char *text, bool zero, double high, double *value,
                                     struct topo_error *error)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(zero ? seconds >= 0 : seconds > 0) || !(seconds <= high))
        return topo_fail(error, TOPO_PARSE, "--%s %s: seconds are wanted, %s 0 and at most %g", option, text,
                         zero ? "at least" : "more than", high);
    *value = seconds;
    return TOPO_OK;
}

/* One of a few words, kept as typed or as its index. */
static enum topo_status read_word(const char *option, const char *text, const char *const *words, int *index,
                                  struct topo_error *error)
{
    struct topo_text allowed = {0};
    *index = find(text, words);
    if (*index >= 0)
        return TOPO_OK;
    for (int i = 0; words[i]; i++)
        topo_text_addf(&allowed, " %s", words[i]);
    topo_fail(error, TOPO_PARSE, "--%s %s: allowed are%s", option, text, allowed.failed ? "" : allowed.text);
    topo_text_free(&allowed);
    return TOPO_PARSE;
}

static enum topo_status read_graph(const char *text, struct bench_request *request, struct topo_error *error)
{
    struct topo_text spec = {0};
    struct topo_random_spec unused;
    topo_text_addf(&spec, "N=1024,E=%s", text);
    bool good = !spec.failed && !strchr(text, ',') && topo_random_parse(spec.text, &unused, NULL) == TOPO_OK;
    topo_text_free(&spec);
    if (!good)
        return topo_fail(error, TOPO_PARSE, "--graph %s: a number of messages is wanted, as 64, 4N or N^2/4", text);
    request->graph = text;
    return TOPO_OK;
}

static enum topo_status read_option(int option, const char *value, struct bench_request *request,
                                    struct topo_error *error)
{
    static const char *const data[] = {"contiguous", "gaps", NULL};
    static const char *const types[] = {"int", "long", "float", "double", NULL};
    static const char *const combines[] = {"sum", "prod", "max", "min", "bxor", NULL};
    static const char *const statistics[] = {"median", "min", NULL};
    enum topo_status status = TOPO_OK;
    int index = 0;
    switch (option) {
    case OPTION_SIZES: bench_sizes_free(&request->sizes); return bench_sizes_read(value, &request->sizes, error);
    case OPTION_ALGORITHMS: request->algorithms = value; break;
    case OPTION_RATE: return bench_rates_read(value, &request->rates, error);
    case OPTION_NO_LINK_TEST: request->link_test = false; break;
    case OPTION_TIME: return read_seconds("time", value, false, 3600, &request->seconds, error);
    case OPTION_BATCH: return read_seconds("batch", value, true, 10, &request->batch, error);
    case OPTION_SAMPLES: return read_samples(value, request, error);
    case OPTION_SPLIT: return read_split(value, request, error);
    case OPTION_DATA:
        status = read_word("data", value, data, &index, error);
        request->gaps = index == 1;
        break;
    case OPTION_GRAPH: return read_graph(value, request, error);
    case OPTION_TYPE:
        status = read_word("type", value, types, &index, error);
        request->type = value;
        break;
    case OPTION_OP:
        status = read_word("op", value, combines, &index, error);
        request->combine = value;
        break;
    case OPTION_STATISTIC:
        status = read_word("statistic", value, statistics, &index, error);
        request->statistic = index == 1 ? BENCH_MINIMUM : BENCH_MEDIAN;
        break;
    case OPTION_LABEL: request->label = value; break;
    case OPTION_JSON: request->json = value; break;
    case OPTION_SVG: request->svg = value; break;
    case OPTION_PARAMS: request->params = value; break;
    case OPTION_TUNING: request->tuning = value; break;
    case OPTION_PROGRESS: request->progress = true; break;
    default: request->help = true; break;
    }
    return status;
}

/* What only one of the options' owners knows. */
static enum topo_status check_together(const struct bench_request *request, struct topo_error *error)
{
    bool bits = !strcmp(request->combine, "bxor");
    if (bits && strcmp(request->type, "int") && strcmp(request->type, "long"))
        return topo_fail(error, TOPO_PARSE, "--op bxor needs --type int or long");
    if (request->gaps && strstr(request->what, "reduce"))
        return topo_fail(error, TOPO_PARSE, "--data gaps: the operations of reductions work on plain types only");
    if (strchr(request->what, ',') &&
        ((request->json && !strchr(request->json, '%')) || (request->svg && !strchr(request->svg, '%'))))
        return topo_fail(error, TOPO_PARSE, "several operations need %% in the names of --json and --svg files");
    if (!request->tuning != (strcmp(request->what, "tune") != 0))
        return topo_fail(error, TOPO_PARSE, "topo-bench tune and --tuning FILE belong together");
    if (request->tuning && (request->split > 1 || request->gaps))
        return topo_fail(
            error, TOPO_PARSE,
            "topo-bench tune: its rules are for plain data in one communicator of all ranks, not --split, --data gaps");
    if (request->graph && strcmp(request->what, "alltoallv"))
        return topo_fail(error, TOPO_PARSE, "--graph belongs to topo-bench alltoallv");
    if (request->params && strcmp(request->what, "levels"))
        return topo_fail(error, TOPO_PARSE, "--params belongs to topo-bench levels");
    return TOPO_OK;
}

enum topo_status bench_request_read(int argc, char **argv, struct bench_request *request, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    int option;
    *request = (struct bench_request){.what = "",
                                      .algorithms = "native,auto,all",
                                      .link_test = true,
                                      .seconds = 1,
                                      .batch = 0.01,
                                      .samples_min = 5,
                                      .samples_max = 1000,
                                      .split = 1,
                                      .type = "double",
                                      .combine = "sum",
                                      .label = ""};
    if (argc < 2)
        return topo_fail(error, TOPO_PARSE, "OPERATION is missing; see " BENCH_TOOL " --help");
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        request->help = true;
        return TOPO_OK;
    }
    request->what = strcmp(argv[1], "--tune") ? argv[1] : "tune";
    if (!strcmp(request->what, "tune"))
        request->algorithms = "native,all";
    opterr = 0;
    optind = 2;
    while (status == TOPO_OK && (option = getopt_long(argc, argv, ":s:a:h", table, NULL)) != -1) {
        if (option == ':')
            return topo_fail(error, TOPO_PARSE, "option %s needs a value; see " BENCH_TOOL " --help", argv[optind - 1]);
        if (option == '?')
            return topo_fail(error, TOPO_PARSE, "unknown option %s; see " BENCH_TOOL " --help", argv[optind - 1]);
        status = read_option(option, optarg, request, error);
    }
    if (status == TOPO_OK && optind < argc)
        return topo_fail(error, TOPO_PARSE, "unexpected argument %s; see " BENCH_TOOL " --help", argv[optind]);
    if (status == TOPO_OK && !request->sizes.count)
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
