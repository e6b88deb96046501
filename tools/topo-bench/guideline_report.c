#include "topo-bench/guideline_report.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "common/json.h"

static const char *const calls_word[BENCH_CALLS] = {"streaming", "isolated"};

static const char *library_of(const struct bench_comparison *comparison)
{
    return comparison->library ? "auto" : "native";
}

enum bench_verdict bench_comparison_verdict(const struct bench_comparison *comparison)
{
    return bench_verdict_of(&comparison->paired, comparison->slack);
}

/* The left side and the right one. */
static void words_of(const struct bench_comparison *comparison, struct topo_text *left, struct topo_text *right)
{
    const struct bench_guideline *guideline = comparison->guideline;
    bench_form_words(&guideline->left, left);
    if (guideline->kind == BENCH_ARRIVAL) {
        topo_text_add(left, " by auto");
        topo_text_add(right, "native");
    } else {
        bench_form_words(&guideline->right, right);
    }
}

/* "rank late 0.5"; nothing where all come together. */
static void add_lateness(const struct bench_comparison *comparison, struct topo_text *out)
{
    if (comparison->arrival != BENCH_TOGETHER)
        topo_text_addf(out, ", %s late %g", bench_arrival_word(comparison->arrival), comparison->calls_late);
}

void bench_comparison_words(const struct bench_comparison *comparison, struct topo_text *out)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text left = {0}, right = {0};
    words_of(comparison, &left, &right);
    if (left.failed || right.failed) {
        out->failed = true;
        return;
    }
    topo_text_addf(out, "%s <= %s", left.text, right.text);
    add_lateness(comparison, out);
}

void bench_guidelines_heading(const struct bench_report *job, double tolerance, struct topo_text *out)
{
    topo_text_add(out, "# guidelines: ");
    bench_report_describe(job, out);
    topo_text_addf(out, "; %s%s%s\n", job->mpi, *job->label ? ", " : "", job->label);
    topo_text_addf(
        out,
        "# times in microseconds: medians of the slowest rank's; ratio: left over right, median of the rounds, and "
        "where it is for certain\n"
        "# broken: for certain more than %g %% above 1 (another root: %g %%); unclear: neither for certain\n",
        tolerance * 100, bench_guideline_slack(BENCH_ROOT, tolerance) * 100);
    topo_text_addf(out, "%10s  %-6s  %-9s  %-50s %11s %11s %7s %13s  %s\n", "bytes", "by", "calls", "guideline", "left",
                   "right", "ratio", "certain", "verdict");
}

/* "0.85..0.90" */
static void add_range(const struct bench_paired *paired, struct topo_text *out)
{
    char range[32];
    if (isinf(paired->high))
        snprintf(range, sizeof range, "-");
    else
        snprintf(range, sizeof range, "%.2f..%.2f", paired->low, paired->high);
    topo_text_addf(out, " %13s", range);
}

void bench_guidelines_line(const struct bench_comparison *comparison, struct topo_text *out)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text words = {0};
    bench_comparison_words(comparison, &words);
    topo_text_addf(out, "%10zu  %-6s  %-9s  %-50s", comparison->bytes, library_of(comparison),
                   calls_word[comparison->calls], words.failed ? "" : words.text);
    if (comparison->failed || comparison->wrong) {
        topo_text_add(out, comparison->failed ? " FAILED: MPI error\n" : " WRONG RESULT\n");
        return;
    }
    enum bench_verdict verdict = bench_comparison_verdict(comparison);
    topo_text_addf(out, " %11.1f %11.1f %7.2f", comparison->left.median * 1e6, comparison->right.median * 1e6,
                   comparison->paired.ratio);
    add_range(&comparison->paired, out);
    topo_text_addf(out, "  %s%s\n", bench_verdict_word(verdict),
                   verdict == BENCH_BROKEN && !comparison->library &&
                           bench_guideline_replaces(comparison->guideline->kind)
                       ? ": the right side is a free algorithm"
                       : "");
}

void bench_guidelines_summary(const struct bench_comparison *list, int count, struct topo_text *out)
{
    for (int library = 0; library < 2; library++) {
        int of[BENCH_VERDICTS] = {0}, bad = 0;
        for (int i = 0; i < count; i++) {
            if (list[i].library != library)
                continue;
            if (list[i].wrong || list[i].failed)
                bad++;
            else
                of[bench_comparison_verdict(&list[i])]++;
        }
        if (!bad && !of[BENCH_KEPT] && !of[BENCH_BROKEN] && !of[BENCH_UNCLEAR])
            continue;
        topo_text_addf(out, "# %s: %d kept, %d broken, %d unclear", library ? "auto" : "native", of[BENCH_KEPT],
                       of[BENCH_BROKEN], of[BENCH_UNCLEAR]);
        if (bad)
            topo_text_addf(out, ", %d wrong or failed", bad);
        topo_text_add(out, "\n");
    }
}

static json_t *comparison_json(const struct bench_comparison *comparison)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text left = {0}, right = {0};
    const struct bench_paired *paired = &comparison->paired;
    words_of(comparison, &left, &right);
    json_t *object = left.failed || right.failed
                         ? NULL
                         : json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:f, s:f, s:b, s:b}", "guideline",
                                     bench_guideline_kind_word(comparison->guideline->kind), "operation",
                                     comparison->guideline->operation, "left", left.text, "right", right.text, "by",
                                     library_of(comparison), "calls", calls_word[comparison->calls], "bytes",
                                     (json_int_t)comparison->bytes, "late", bench_arrival_word(comparison->arrival),
                                     "calls_late", comparison->calls_late, "late_us", comparison->late * 1e6, "correct",
                                     !comparison->wrong, "failed", comparison->failed);
    if (!object || comparison->wrong || comparison->failed)
        return object;
    bool certain = !isinf(paired->high);
    json_t *measured = json_pack("{s:i, s:f, s:f, s:f, s:o, s:o, s:f, s:s}", "samples", paired->count, "left_us",
                                 comparison->left.median * 1e6, "right_us", comparison->right.median * 1e6, "ratio",
                                 paired->ratio, "low", certain ? json_real(paired->low) : json_null(), "high",
                                 certain ? json_real(paired->high) : json_null(), "allowed", 1 + comparison->slack,
                                 "verdict", bench_verdict_word(bench_comparison_verdict(comparison)));
    if (!measured || json_object_update(object, measured)) {
        json_decref(object);
        object = NULL;
    }
    json_decref(measured);
    return object;
}

void bench_guidelines_json(const struct bench_report *job, const struct bench_comparison *list, int count,
                           struct topo_text *out)
{
    json_t *comparisons = json_array();
    for (int i = 0; i < count; i++)
        if (json_array_append_new(comparisons, comparison_json(&list[i])))
            out->failed = true;
    cli_json(out,
             json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:o}", "tool", "topo-bench guidelines", "label", job->label,
                       "mpi", job->mpi, "ranks", job->ranks, "nodes", job->nodes, "node_ranks", job->node_ranks,
                       "placement", job->placement, "comparisons", comparisons),
             JSON_INDENT(1) | JSON_REAL_PRECISION(6));
}
