/* The same interval in all predictions, side by side. */
#include <string.h>

#include "topo-predict/report.h"

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* The interval inside `outer` that is the same one in the source as `like`; NULL: there is none. */
static const struct topo_interval *twin(const struct topo_interval *outer, const struct topo_interval *like)
{
    for (int i = 0; outer && i < outer->child_count; i++) {
        const struct topo_interval *one = outer->children[i];
        if (one->kind == like->kind && one->line == like->line && one->has_value == like->has_value &&
            one->value == like->value && same_text(one->name, like->name) && same_text(one->file, like->file))
            return one;
    }
    return NULL;
}

static void walk(const struct report *report, const struct topo_interval *const *outer, report_row *row,
                 struct topo_text *out)
{
    row(report, outer, out);
    for (int i = 0; i < outer[0]->child_count; i++) {
        const struct topo_interval *inner[REPORT_MAX];
        if (report->depth >= 0 && outer[0]->children[i]->level > report->depth)
            continue;
        for (int k = 0; k < report->count; k++)
            inner[k] = k ? twin(outer[k], outer[0]->children[i]) : outer[0]->children[i];
        walk(report, inner, row, out);
    }
}

void report_rows(const struct report *report, report_row *row, struct topo_text *out)
{
    const struct topo_interval *root[REPORT_MAX];
    for (int k = 0; k < report->count; k++)
        root[k] = report->predictions[k].intervals.root;
    walk(report, root, row, out);
}
