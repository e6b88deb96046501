#include "topo-bench/guidelines_command.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "coll/library.h"
#include "common/cli.h"
#include "job/job.h"
#include "topo-bench/compile.h"
#include "topo-bench/guideline_measure.h"
#include "topo-bench/progress.h"
#include "topo-bench/start.h"

/* What the user asked for; topo-bench's readers take its first member. */
struct asked {
    struct bench_request request;
    const char *guidelines, *operations;
    long tolerance; /* per cent */
    enum { STREAMING_ALONE, ISOLATED_ALONE, BOTH_CALLS } calls;
    enum { PRINT_TABLE, PRINT_JSON } format;
    bool native, library; /* of --algorithms */
    bool *chosen;         /* [bench_guidelines] */
};

/* What was compared until now; on rank 0 alone it is shown and written. */
struct judged {
    struct bench_comparison *list;
    int count;
    struct bench_report *job;
    int rank, status;
};

static enum topo_status read_algorithms(void *into, const struct cli_option *option, const char *text,
                                        struct topo_error *error)
{
    struct asked *asked = into;
    asked->native = asked->library = false;
    for (const char *at = text;; at += strcspn(at, ",") + 1) {
        size_t length = strcspn(at, ",");
        bool native = length == 6 && !strncmp(at, "native", length),
             library = length == 4 && !strncmp(at, "auto", length);
        if (!native && !library)
            return topo_fail(error, TOPO_PARSE, "--%s %s: allowed: native, auto", option->name, text);
        asked->native = asked->native || native;
        asked->library = asked->library || library;
        if (!at[length])
            return TOPO_OK;
    }
}

#define TEXT(member) CLI_TEXT(struct asked, member)

static const struct cli_option options[] = {
    {'s', "sizes", "LIST", "bytes, as of an operation, in doubles (default 8..32K:16); (2m) is twice as many",
     .read = bench_read_sizes},
    {'a', "algorithms", "LIST",
     "of native, the MPI library's calls, and auto, in which TopoMPI chooses (default native,auto)",
     .read = read_algorithms},
    {'g', "guidelines", "LIST",
     "of mockup (other collectives that do the same), monotone (T(m) <= T(2m)), split (T(2m) <= 2 T(m)), communicator "
     "(half of "
     "the ranks <= all), root (another one <= 1.1 rank 0), place (in place <= out of place) and arrival (auto <= "
     "native, "
     "whoever comes late); default all",
     TEXT(guidelines)},
    {'o', "operations", "LIST", "those on the left side (default all)", TEXT(operations)},
    {0, "calls", "streaming|isolated|both", "calls in a row, or single ones behind a barrier (default both)",
     CLI_WORD(struct asked, calls)},
    {0, "tolerance", "PERCENT", "that a side may be slower before a guideline is broken (default 5)",
     CLI_NUMBER(struct asked, tolerance, 0, 1000)},
    {0, "time", "SECONDS", "to spend on each comparison (default 0.2)", .read = bench_read_seconds},
    {0, "batch", "SECONDS", "calls in a row make one sample of at least so long (default 0.005)",
     .read = bench_read_seconds},
    {0, "samples", "MIN..MAX", "of both sides of a comparison, 10 at least (default 10..200)",
     .read = bench_read_samples},
    {0, "format", "table|json",
     "what is printed: a line a comparison, or, at the end, what --json writes (default table)",
     CLI_WORD(struct asked, format)},
    {0, "label", "TEXT", "a name of this run", TEXT(request.label)},
    {0, "json", "FILE", "the comparisons as JSON", TEXT(request.json)},
    {0, "progress", NULL,
     "a line on stderr: what is measured, about how long the rest takes (without it: when stderr is a terminal)",
     CLI_FLAG(struct asked, request.progress)},
    {0}};

static const struct cli_command command = {
    .name = BENCH_TOOL " guidelines",
    .usage =
        "usage: mpirun ... topo-bench guidelines [OPTION]...\n\n"
        "What a call must not take longer than, both sides in turn. A guideline is broken where that is certain.\n",
    .options = options,
    .after = "exit status: 0 success, whatever is broken, 1 a wrong result or another failure, 2 wrong arguments\n"};

static enum topo_status read_asked(int argc, char **argv, struct asked *asked, struct topo_error *error)
{
    int operand;
    *asked = (struct asked){.request = {.seconds = 0.2,
                                        .batch = 0.005,
                                        .samples_min = BENCH_PAIRS_LEAST,
                                        .samples_max = 200,
                                        .split = 1,
                                        .label = ""},
                            .tolerance = 5,
                            .calls = BOTH_CALLS,
                            .native = true,
                            .library = true,
                            .chosen = topo_calloc((size_t)bench_guidelines, sizeof *asked->chosen)};
    if (!asked->chosen)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    enum topo_status status = cli_read(&command, argc, argv, asked, &operand, error);
    asked->request.show = status == TOPO_OK && operand < 0 ? operand : 0;
    if (status != TOPO_OK || asked->request.show)
        return status;
    if (asked->request.samples_min < BENCH_PAIRS_LEAST)
        return topo_fail(error, TOPO_PARSE, "--samples %ld..%ld: allowed: from %d, with fewer nothing is certain",
                         asked->request.samples_min, asked->request.samples_max, BENCH_PAIRS_LEAST);
    status = bench_guidelines_choose(asked->guidelines, asked->operations, asked->chosen, error);
    if (status == TOPO_OK && !asked->request.sizes.count)
        status = bench_sizes_read("8..32K:16", &asked->request.sizes, error);
    return status;
}

/* Whether a guideline is wanted and says something with so many ranks, of this library. */
static bool applies(const struct asked *asked, const struct bench_guideline *guideline, bool library, int ranks)
{
    if (!(library ? asked->library : asked->native))
        return false;
    if (guideline->kind == BENCH_ARRIVAL)
        return library;
    return guideline->kind != BENCH_COMMUNICATOR || ranks >= 4;
}

static void write_json(const struct asked *asked, struct judged *judged)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text json = {0};
    if (!asked->request.json || judged->rank)
        return;
    bench_guidelines_json(judged->job, judged->list, judged->count, &json);
    if (cli_write(BENCH_TOOL, asked->request.json, &json) != CLI_OK)
        judged->status = CLI_FAILED;
}

/* Keeps and shows what was compared. */
static void conclude(const struct asked *asked, const struct bench_comparison *comparison, struct judged *judged)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text line = {0};
    if (!topo_grow(&judged->list, (size_t)judged->count, sizeof *judged->list))
        PMPI_Abort(MPI_COMM_WORLD, CLI_FAILED);
    judged->list[judged->count++] = *comparison;
    if (judged->rank)
        return;
    bench_guidelines_line(comparison, &line);
    if (asked->format == PRINT_TABLE && cli_write(BENCH_TOOL, NULL, &line) != CLI_OK)
        judged->status = CLI_FAILED;
}

/* One guideline of one library at one size and in one kind of calls, whoever comes late. */
static enum topo_status judge(const struct asked *asked, const struct bench_guideline_run *run,
                              struct bench_comparison comparison, struct judged *judged, struct topo_error *error)
{
    static const double delays[] = {0.5, 1, 2};
    const int arrivals = comparison.guideline->kind == BENCH_ARRIVAL ? BENCH_ARRIVALS : 1;
    const int count = sizeof delays / sizeof *delays;
    enum topo_status status = TOPO_OK;
    double native = 0;
    for (int arrival = BENCH_TOGETHER; arrival < arrivals && status == TOPO_OK; arrival++)
        for (int i = 0; i < (arrival == BENCH_TOGETHER ? 1 : count) && status == TOPO_OK; i++) {
            struct bench_comparison one = comparison;
            one.arrival = (enum bench_arrival)arrival;
            one.calls_late = arrival == BENCH_TOGETHER ? 0 : delays[i];
            if (!bench_arrival_applies(one.arrival, &run->place))
                continue;
            status = bench_guideline_measure(run, &one, &native, error);
            if (status != TOPO_OK)
                return status;
            conclude(asked, &one, judged);
            if (one.failed || one.wrong)
                return status;
        }
    return status;
}

/* One guideline at one size. */
static enum topo_status judge_size(const struct asked *asked, const struct bench_guideline_run *run,
                                   const struct bench_guideline *guideline, size_t size, struct judged *judged,
                                   struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    const size_t element = sizeof(double), bytes = size < element ? element : size / element * element;
    for (int library = 0; library < 2; library++)
        for (int calls = BENCH_STREAMING; calls < BENCH_CALLS && status == TOPO_OK; calls++) {
            bool wanted = asked->calls == BOTH_CALLS || (int)asked->calls == calls;
            if (wanted && applies(asked, guideline, library, run->place.ranks))
                status = judge(asked, run,
                               (struct bench_comparison){
                                   .guideline = guideline,
                                   .library = library,
                                   .calls = (enum bench_calls)calls,
                                   .bytes = bench_guideline_has_sizes(guideline) ? bytes : 0,
                                   .slack = bench_guideline_slack(guideline->kind, (double)asked->tolerance / 100)},
                               judged, error);
        }
    return status;
}

/* What went wrong, a line each; rank 0. */
static void complain(struct judged *judged)
{
    for (int i = 0; i < judged->count; i++) {
        const struct bench_comparison *comparison = &judged->list[i];
        TOPO_SCOPED_BY(topo_text_free) struct topo_text words = {0};
        if (!comparison->wrong && !comparison->failed)
            continue;
        bench_comparison_words(comparison, &words);
        judged->status = cli_fail(BENCH_TOOL, CLI_FAILED, "%s at %zu bytes, %s: %s", words.failed ? "" : words.text,
                                  comparison->bytes, comparison->library ? "auto" : "native",
                                  comparison->failed ? "MPI error" : "wrong result");
    }
}

static enum topo_status judge_all(const struct asked *asked, const struct bench_guideline_run *run,
                                  struct judged *judged, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    int sizes = 0;
    for (int g = 0; g < bench_guidelines; g++)
        sizes += !asked->chosen[g]                                ? 0
                 : bench_guideline_has_sizes(&bench_guideline[g]) ? asked->request.sizes.count
                                                                  : 1;
    bench_progress_begin(!judged->rank && (asked->request.progress || isatty(STDERR_FILENO)), sizes);
    for (int g = 0; g < bench_guidelines && status == TOPO_OK; g++) {
        const struct bench_guideline *guideline = &bench_guideline[g];
        int count = bench_guideline_has_sizes(guideline) ? asked->request.sizes.count : 1;
        if (!asked->chosen[g])
            continue;
        for (int i = 0; i < count && status == TOPO_OK; i++) {
            size_t bytes = asked->request.sizes.bytes[i];
            bench_progress(0, "%s, %s, %zu bytes", guideline->operation, bench_guideline_kind_word(guideline->kind),
                           bytes);
            status = judge_size(asked, run, guideline, bytes, judged, error);
            bench_progress_size();
        }
        write_json(asked, judged);
    }
    return status;
}

/* What is printed before the first comparison and after the last; rank 0. */
static void show_ends(const struct asked *asked, bool begin, struct judged *judged)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text text = {0};
    if (asked->format == PRINT_JSON && begin)
        return;
    if (asked->format == PRINT_JSON)
        bench_guidelines_json(judged->job, judged->list, judged->count, &text);
    else if (begin)
        bench_guidelines_heading(judged->job, (double)asked->tolerance / 100, &text);
    else
        bench_guidelines_summary(judged->list, judged->count, &text);
    if (cli_write(BENCH_TOOL, NULL, &text) != CLI_OK)
        judged->status = CLI_FAILED;
}

static void judge_and_show(const struct asked *asked, const struct bench_guideline_run *run, struct judged *judged)
{
    struct topo_error error = {""};
    if (judged->rank == 0)
        show_ends(asked, true, judged);
    enum topo_status status = judge_all(asked, run, judged, &error);
    if (judged->rank)
        return;
    if (status != TOPO_OK)
        judged->status = cli_fail(BENCH_TOOL, CLI_FAILED, "%s", error.text);
    show_ends(asked, false, judged);
    complain(judged);
}

/* What can be refused only now that MPI runs: nothing to compare, a file that cannot be written. The exit status is
 * equal on all ranks. */
static int check(const struct asked *asked, int ranks, struct judged *judged)
{
    bool any = false;
    for (int g = 0; g < bench_guidelines && !any; g++)
        any = asked->chosen[g] &&
              (applies(asked, &bench_guideline[g], false, ranks) || applies(asked, &bench_guideline[g], true, ranks));
    if (!any && judged->rank)
        return CLI_USAGE;
    if (!any)
        return cli_fail(BENCH_TOOL, CLI_USAGE,
                        "nothing to compare: arrival is of auto, communicator of four ranks and more");
    write_json(asked, judged);
    PMPI_Bcast(&judged->status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return judged->status;
}

/* With MPI running. */
static int work(const struct asked *asked, int rank, int ranks)
{
    struct judged judged = {.rank = rank, .status = CLI_OK};
    if (ranks < 2)
        return cli_fail(BENCH_TOOL, CLI_USAGE, "one rank alone has nothing to measure: start it with mpirun -np N");
    topo_library_start(true);
    if (!topo_job.active)
        return CLI_FAILED; /* topo_library_start() has said why */
    const struct topo_tree *tree = topo_job.tree;
    struct bench_settled settled = {0};
    struct bench_guideline_run run = {.request = &asked->request, .lower = MPI_COMM_NULL, .settled = &settled};
    run.place =
        (struct bench_place){rank, ranks, topo_tree_node_of(tree, rank), tree->units[topo_tree_node_level(tree)]};
    PMPI_Comm_dup(MPI_COMM_WORLD, &run.comm);
    if (ranks >= 4)
        PMPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2 ? 0 : MPI_UNDEFINED, rank, &run.lower);
    judged.job = bench_report_new(0, 0, 0);
    if (!judged.job || !bench_compile_job(&asked->request, tree, judged.job))
        PMPI_Abort(MPI_COMM_WORLD, CLI_FAILED);
    judged.status = check(asked, ranks, &judged);
    if (judged.status == CLI_OK)
        judge_and_show(asked, &run, &judged);
    bench_report_free(judged.job);
    topo_free_all(judged.list, settled.call);
    PMPI_Comm_free(&run.comm);
    if (run.lower != MPI_COMM_NULL)
        PMPI_Comm_free(&run.lower);
    return judged.status;
}

int bench_guidelines_command(int argc, char **argv)
{
    struct asked asked;
    struct topo_error error = {""};
    int rank = bench_launched_as(), ranks, status;
    enum topo_status read = read_asked(argc, argv, &asked, &error);
    /* As in main(): arguments are judged before MPI starts, and rank 0 alone has an exit status that is not 0. */
    if (read != TOPO_OK) {
        status = rank ? CLI_OK : cli_fail(BENCH_TOOL, CLI_USAGE, "%s", error.text);
    } else if (asked.request.show) {
        status = rank ? CLI_OK : cli_show(&command, asked.request.show, NULL);
    } else {
        bench_start_mpi(NULL, NULL);
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
        status = work(&asked, rank, ranks);
        PMPI_Finalize();
        status = rank ? CLI_OK : status;
    }
    bench_request_free(&asked.request);
    topo_free(asked.chosen);
    return status;
}
