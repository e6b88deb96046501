#include "topo-bench/compile.h"

#include "base/memory.h"
#include "job/about.h"
#include "select/select.h"

/* The text's string, owned by the caller, and the text is empty again; "" when nothing was added. */
static char *take(struct topo_text *text)
{
    char *string = text->failed ? NULL : topo_strdup(text->text ? text->text : "");
    topo_text_free(text);
    return string;
}

/* "by node" when the ranks go round the nodes that still have room; "one node" where placement means nothing. */
static const char *placement(const struct topo_tree *tree, const int *sizes)
{
    int level = topo_tree_node_level(tree), nodes = tree->units[level], at = nodes - 1;
    const struct topo_numbers *unit = &tree->unit[level];
    const char *name = "by node";
    if (nodes == 1)
        return "one node";
    if (topo_tree_is_consecutive(tree, level))
        return "by slot";
    TOPO_SCOPED int *used = topo_calloc((size_t)nodes, sizeof *used);
    for (int rank = 0; used && rank < tree->ranks; rank++) {
        do
            at = (at + 1) % nodes;
        while (used[at] == sizes[at]);
        used[at]++;
        if (topo_numbers_at(unit, rank) != at)
            name = "mixed";
    }
    return name;
}

/* What the placement of the ranks adds to the report. */
static bool add_layout(const struct topo_tree *tree, struct bench_report *report)
{
    struct topo_text text = {0};
    int level = topo_tree_node_level(tree);
    TOPO_SCOPED int *sizes = topo_calloc((size_t)tree->units[level], sizeof *sizes);
    if (!sizes)
        return false;
    topo_tree_unit_sizes(tree, level, sizes);
    report->nodes = tree->units[level];
    for (int node = 0; node < report->nodes; node++)
        topo_text_addf(&text, "%s%d", node ? " " : "", sizes[node]);
    report->node_ranks = take(&text);
    report->placement = topo_strdup(placement(tree, sizes));
    return report->node_ranks && report->placement;
}

bool bench_compile_job(const struct bench_request *request, const struct topo_tree *tree, struct bench_report *report)
{
    struct topo_text text = {0};
    report->label = topo_strdup(request->label);
    report->ranks = tree->ranks;
    report->split = request->split;
    report->statistic = request->statistic;
    topo_about_mpi(&text);
    report->mpi = take(&text);
    return add_layout(tree, report) && report->label && report->mpi;
}

struct bench_report *bench_compile(const struct bench_request *request, const struct bench_operation *operation,
                                   const struct bench_variants *variants, const struct topo_tree *tree)
{
    struct bench_report *report =
        bench_report_new(tree->levels, variants->count, operation->sizeless ? 1 : request->sizes.count);
    struct topo_text text = {0};
    if (!report)
        return NULL;
    bool complete = bench_compile_job(request, tree, report);
    report->operation = topo_strdup(operation->name);
    if (operation->describe)
        operation->describe(request, &text);
    else
        topo_text_add(&text, "no data");
    report->data = take(&text);
    for (int i = 0; i < variants->count; i++) {
        report->algorithm[i] = topo_strdup(variants->variant[i].name);
        complete = complete && report->algorithm[i];
    }
    if (complete && report->operation && report->data)
        return report;
    bench_report_free(report);
    return NULL;
}
