#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/cost.h"
#include "report/report.h"
#include "report/table.h"

/* Rows that are shown: what fits on a screen. JSON has all. */
enum { ROWS = 36, FUNCTIONS = 12, SLOWEST = 3 };

static void add_rank(const struct topo_report *report, int i, struct topo_text *out)
{
    topo_text_addf(out, "rank %d (%s)", report->rank[i].rank, report->rank[i].host);
}

static void add_head(const struct topo_report *report, const struct topo_report_total *total, struct topo_text *out)
{
    topo_text_addf(out, "statistics of %s\n%s\n", report->job.about, report->job.libraries);
    topo_text_addf(out, "all ranks: %.3f s from MPI_Init to %s", total->run_most,
                   total->ended == report->job.ranks ? "MPI_Finalize" : "the end of their last calls");
    if (total->processor >= 0)
        topo_text_addf(out, ", %.3f s of processors (%.0f %%)", total->processor,
                       total->run > 0 ? 100 * total->processor / total->run : 0);
    if (total->memory_most >= 0) {
        topo_text_addf(out, ", %.1f MiB at most (", total->memory_most / (1 << 20));
        add_rank(report, total->memory_rank, out);
        topo_text_add(out, ")");
    }
    topo_text_add(out, "\n");
}

/* The ranks that did most outside of the calls, most first, and the mean. */
static void add_slowest(const struct topo_report *report, const struct topo_report_total *total, struct topo_text *out)
{
    int slowest[SLOWEST], found = 0;
    for (int i = 0; i < report->ranks; i++) {
        int at = found < SLOWEST ? found : SLOWEST;
        while (at > 0 && topo_report_outside(&report->rank[slowest[at - 1]]) < topo_report_outside(&report->rank[i])) {
            if (at < SLOWEST)
                slowest[at] = slowest[at - 1];
            at--;
        }
        if (at < SLOWEST)
            slowest[at] = i;
        found += found < SLOWEST;
    }
    for (int i = 0; i < found; i++) {
        topo_text_add(out, i ? ", " : "");
        add_rank(report, slowest[i], out);
        topo_text_addf(out, " %.3f s", topo_report_outside(&report->rank[slowest[i]]));
    }
    topo_text_addf(out, "; mean %.3f s", total->outside / report->ranks);
}

/* The node whose ranks did most there, in the mean; false: memory is out, or there is one node. */
static bool add_slowest_node(const struct topo_report *report, struct topo_text *out)
{
    int nodes = 0, most = -1, at = -1;
    for (int i = 0; i < report->ranks; i++)
        nodes = report->rank[i].node >= nodes ? report->rank[i].node + 1 : nodes;
    TOPO_SCOPED double *seconds = nodes > 1 ? topo_calloc((size_t)nodes, sizeof *seconds) : NULL;
    TOPO_SCOPED int *ranks = nodes > 1 ? topo_calloc((size_t)nodes, sizeof *ranks) : NULL;
    if (!seconds || !ranks)
        return false;
    for (int i = 0; i < report->ranks; i++) {
        seconds[report->rank[i].node] += topo_report_outside(&report->rank[i]);
        ranks[report->rank[i].node]++;
    }
    for (int node = 0; node < nodes; node++)
        if (ranks[node] && (most < 0 || seconds[node] / ranks[node] > seconds[most] / ranks[most]))
            most = node;
    for (int i = 0; i < report->ranks && at < 0; i++)
        at = report->rank[i].node == most ? i : -1;
    topo_text_addf(out, "; node %s %.3f s a rank", report->rank[at].host, seconds[most] / ranks[most]);
    return true;
}

/* After POP's model (docs/REFERENCES.md, Reports 1), what is outside of MPI taken for useful. */
static void add_efficiency(const struct topo_report *report, const struct topo_report_total *total,
                           struct topo_text *out)
{
    if (total->outside_most <= 0 || total->run_most <= 0)
        return;
    topo_text_addf(out, "load balance %.2f, communication efficiency %.2f (POP); outside of MPI: ",
                   total->outside / report->ranks / total->outside_most, total->outside_most / total->run_most);
    add_slowest(report, total, out);
    add_slowest_node(report, out);
    topo_text_add(out, "\n");
}

static void add_table(const struct topo_report *report, struct topo_text *out)
{
    double seconds = 0, calls = 0;
    topo_text_addf(out, "calls and ms of a rank, the mean of those that made any, most first%s%s\n",
                   report->job.off ? "; TOPOMPI=off, so all are native: a baseline" : "",
                   report->job.modelled ? "; the model's native is " TOPO_COST_NATIVE_OF : "");
    topo_report_heads(topo_report_rows, report->job.modelled, out);
    topo_text_add(out, "\n");
    for (int i = 0; i < report->rows && i < ROWS; i++) {
        topo_report_line(topo_report_rows, report, &report->row[i], out);
        topo_text_add(out, "\n");
    }
    for (int i = ROWS; i < report->rows; i++) {
        seconds += report->row[i].seconds;
        calls += (double)report->row[i].calls;
    }
    if (report->rows > ROWS)
        topo_text_addf(out, "and %d more rows: %.0f calls of all ranks, %.3f ms of a rank; JSON has them\n",
                       report->rows - ROWS, calls, seconds * 1e3 / report->ranks);
    if (report->unlisted)
        topo_text_addf(out, "and %lld calls of all ranks for which there was no row\n", (long long)report->unlisted);
}

static void add_total(const struct topo_report *report, const struct topo_report_total *total, struct topo_text *out)
{
    const double ranks = report->ranks, saved = total->measured_native - total->measured_ours;
    topo_text_addf(
        out,
        "total: %.0f calls, %.0f of them by our algorithms, %.3f ms in them, %.1f %% of %.3f s from MPI_Init to "
        "MPI_Finalize: a rank, in the mean\n",
        round(total->calls / ranks), round(total->ours / ranks), total->seconds * 1e3 / ranks,
        total->run > 0 ? 100 * total->seconds / total->run : 0, total->run / ranks);
    if (topo_report_saved_is_certain(total))
        topo_text_addf(out,
                       "%s %.3f +- %.3f ms of a rank, where native calls take %.3f ms, as measured in this run "
                       "(TOPOMPI_GUARD)\n",
                       saved >= 0 ? "saved" : "lost", fabs(saved) * 1e3 / ranks, total->error * 1e3 / ranks,
                       total->measured_native * 1e3 / ranks);
}

static void add_functions(const struct topo_report *report, struct topo_text *out)
{
    topo_text_add(out, "all calls of MPI, by name\n");
    topo_report_heads(topo_report_functions, false, out);
    topo_text_add(out, "\n");
    for (int i = 0; i < report->functions && i < FUNCTIONS; i++) {
        topo_report_line(topo_report_functions, report, &report->function[i], out);
        topo_text_add(out, "\n");
    }
    if (report->functions > FUNCTIONS)
        topo_text_addf(out, "and %d more functions; JSON has them\n", report->functions - FUNCTIONS);
}

/* MPI's share of the run, and of it that of each group that was called. */
static void add_share(const struct topo_report *report, const struct topo_report_total *total, struct topo_text *out)
{
    double calls[TOPO_GROUP_COUNT] = {0}, seconds[TOPO_GROUP_COUNT] = {0}, bytes[TOPO_GROUP_COUNT] = {0};
    const double percent = total->run > 0 ? 100 / total->run : 0;
    const char *before = ": ";
    for (int i = 0; i < report->functions; i++) {
        const enum topo_function_group group = topo_report_function_group(report->function[i].function);
        calls[group] += (double)report->function[i].calls;
        seconds[group] += report->function[i].seconds;
        bytes[group] += report->function[i].bytes;
    }
    topo_text_addf(out, "MPI: %.1f %% of the time of all ranks", percent * total->mpi);
    for (int group = 0; group < TOPO_GROUP_COUNT; group++) {
        if (calls[group] == 0)
            continue;
        topo_text_addf(out, "%s%s %.1f %% (%.3f s, %.0f calls", before,
                       topo_report_group_name((enum topo_function_group)group), percent * seconds[group],
                       seconds[group], calls[group]);
        topo_text_addf(out, bytes[group] > 0 ? ", %.1f MiB)" : ")", bytes[group] / (1 << 20));
        before = ", ";
    }
    topo_text_add(out, "\n");
}

/* What is said of one operation's waiting. */
struct waiting {
    double seconds, waited, open, most;
    int rank; /* place of the one that was waited for most */
};

static void look(const struct topo_report *report, int operation, struct waiting *waiting)
{
    *waiting = (struct waiting){.rank = -1};
    for (int i = 0; i < report->rows; i++) {
        const struct topo_report_row *row = &report->row[i];
        if ((int)topo_algorithm((enum topo_algorithm_id)row->algorithm)->operation != operation)
            continue;
        waiting->seconds += row->seconds;
        waiting->waited += row->waited;
        waiting->open += row->open;
    }
    for (int i = 0; i < report->ranks; i++)
        if ((double)report->rank[i].late[operation] > waiting->most) {
            waiting->most = (double)report->rank[i].late[operation];
            waiting->rank = i;
        }
}

/* Of an operation of which a tenth was waiting, in calls that took a hundredth of the run. */
static void add_waiting(const struct topo_report *report, int operation, const struct topo_report_total *total,
                        struct topo_text *out)
{
    const double worth_seconds = 0.01, worth_share = 0.1, half = 0.5;
    struct waiting waiting;
    look(report, operation, &waiting);
    if (waiting.rank < 0 || waiting.seconds < worth_seconds * total->run ||
        waiting.waited < worth_share * waiting.seconds)
        return;
    const char *name = topo_operation_name((enum topo_operation)operation);
    const bool alone = waiting.most >= half * waiting.waited;
    if (alone)
        add_rank(report, waiting.rank, out);
    topo_text_addf(out, "%s came late: %s%.0f %% of the time in MPI_%c%s was waiting", alone ? "" : "ranks in turn",
                   waiting.open > 0.01 * waiting.seconds ? "at least " : "",
                   100 * (alone ? waiting.most : waiting.waited) / waiting.seconds, toupper((unsigned char)*name),
                   name + 1);
    topo_text_addf(out, "%s (%.3f of %.3f s of all ranks)", alone ? " for it" : "",
                   alone ? waiting.most : waiting.waited, waiting.seconds);
    if (!alone) {
        topo_text_add(out, ", most for ");
        add_rank(report, waiting.rank, out);
        topo_text_addf(out, " (%.3f s)", waiting.most);
    }
    topo_text_addf(out, "; no library helps%s\n",
                   report->job.shares ? ", but for a processor for each rank: here ranks share some" : "");
}

/* "ranks 0-3, 7": those of [0, ranks) that `is` says. */
static void add_ranks(const struct topo_report *report, bool (*is)(const struct topo_report_rank *rank),
                      struct topo_text *out)
{
    const char *before = "";
    int at = 0, from = -1;
    for (int rank = 0; rank <= report->job.ranks; rank++) {
        while (at < report->ranks && report->rank[at].rank < rank)
            at++;
        const bool has = at < report->ranks && report->rank[at].rank == rank;
        const bool counts = rank < report->job.ranks && is(has ? &report->rank[at] : NULL);
        if (counts && from < 0)
            from = rank;
        if (counts || from < 0)
            continue;
        topo_text_addf(out, rank - from > 1 ? "%s%d-%d" : "%s%d", before, from, rank - 1);
        before = ", ";
        from = -1;
    }
}

static bool is_missing(const struct topo_report_rank *rank)
{
    return !rank;
}

static bool is_unended(const struct topo_report_rank *rank)
{
    return rank && !rank->ended;
}

static void add_unended(const struct topo_report *report, const struct topo_report_total *total, struct topo_text *out)
{
    double first = -1, last = 0;
    for (int i = 0; i < report->ranks; i++)
        if (!report->rank[i].ended) {
            first = first < 0 ? report->rank[i].run : fmin(first, report->rank[i].run);
            last = fmax(last, report->rank[i].run);
        }
    if (report->ranks < report->job.ranks) {
        topo_text_add(out, "nothing is here of the ranks ");
        add_ranks(report, is_missing, out);
        topo_text_add(out, "\n");
    }
    if (total->ended < report->ranks) {
        topo_text_add(out, "did not come to MPI_Finalize: the ranks ");
        add_ranks(report, is_unended, out);
        topo_text_addf(out, "; their last calls ended %.3f to %.3f s after MPI_Init\n", first, last);
    }
}

void topo_report_sentences(const struct topo_report *report, struct topo_text *out)
{
    struct topo_report_total total;
    topo_report_total(report, &total);
    add_unended(report, &total, out);
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        add_waiting(report, operation, &total, out);
    if (total.open > 0.01 * total.seconds)
        topo_text_addf(
            out,
            "not known is how much of %.0f %% of the time in these calls was waiting for ranks on other nodes, "
            "or in calls whose ranks need not wait for each other\n",
            100 * total.open / total.seconds);
}

void topo_report_text(const struct topo_report *report, struct topo_text *out)
{
    struct topo_report_total total;
    topo_report_total(report, &total);
    add_head(report, &total, out);
    add_efficiency(report, &total, out);
    if (report->rows) {
        add_table(report, out);
        add_total(report, &total, out);
    }
    if (report->functions) {
        add_functions(report, out);
        add_share(report, &total, out);
    }
    topo_report_sentences(report, out);
}
