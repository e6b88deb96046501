#include "topo-bench/tune.h"

#include <math.h>
#include <string.h>

#include "select/tuning.h"

static const struct topo_algorithm *algorithm_of(const struct bench_report *report, int algorithm)
{
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        if (!strcmp(topo_operation_name((enum topo_operation)operation), report->operation))
            return topo_algorithm_find((enum topo_operation)operation, report->algorithm[algorithm]);
    return NULL;
}

const struct topo_algorithm *bench_tune_winner(const struct bench_report *report, int size)
{
    const struct bench_result *result = report->size[size].result;
    int native = bench_report_find(report, "native"), best = bench_report_fastest(report, size, false);
    if (native < 0 || !result[native].batch || result[native].wrong || result[native].failed)
        return NULL;
    if (best >= 0 && result[best].faster >= BENCH_TUNE_ROUNDS &&
        result[best].seconds.median <= (1 - BENCH_TUNE_MARGIN) * result[native].seconds.median)
        return algorithm_of(report, best);
    return algorithm_of(report, native);
}

/* What was measured at a size: native, and the best of ours. */
static void comment(const struct bench_report *report, int size, struct topo_text *out)
{
    int native = bench_report_find(report, "native"), best = bench_report_fastest(report, size, false);
    char bytes[32];
    topo_format_size(report->size[size].bytes, bytes, sizeof bytes);
    topo_text_addf(out, "# %s: native %.1f us", bytes, report->size[size].result[native].seconds.median * 1e6);
    if (best >= 0)
        topo_text_addf(out, ", %s %.1f us, faster in %.0f %% of %d rounds", report->algorithm[best],
                       report->size[size].result[best].seconds.median * 1e6,
                       report->size[size].result[best].faster * 100, report->size[size].result[best].seconds.count);
    topo_text_add(out, "\n");
}

/* Where the rules of two sizes meet: the last byte count of the lower one. */
static size_t border(const struct bench_report *report, int size)
{
    if (size + 1 == report->sizes)
        return report->size[size].looked_up;
    return (size_t)floor(sqrt((double)report->size[size].looked_up * (double)report->size[size + 1].looked_up));
}

void bench_tune_rules(const struct bench_report *report, const struct topo_layout *layout, struct topo_text *out)
{
    struct topo_rule rule = topo_rule_here(layout);
    for (int i = 0; i < report->sizes; i++) {
        const struct topo_algorithm *winner = bench_tune_winner(report, i);
        if (!winner)
            continue;
        if (!rule.algorithm)
            rule.bytes.low = i ? border(report, i - 1) + 1 : 0;
        rule.algorithm = winner;
        rule.bytes.high = border(report, i);
        comment(report, i, out);
        if (i + 1 < report->sizes && bench_tune_winner(report, i + 1) == winner)
            continue;
        /* Sizes near each other may be the same, or in another order, on average. */
        if (rule.bytes.low <= rule.bytes.high)
            topo_rule_write(&rule, out);
        rule.algorithm = NULL;
    }
}
