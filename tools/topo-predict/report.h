/* Predictions as text, JSON and one self-contained HTML page. */
#ifndef TOPO_PREDICT_REPORT_H
#define TOPO_PREDICT_REPORT_H

#include "base/text.h"
#include "predict/interval.h"
#include "base/notes.h"

enum { REPORT_MAX = 64 }; /* predictions */

struct prediction {
    const char *label; /* the machine, as the user named it */
    struct topo_intervals intervals;
};

struct report {
    const char *source; /* the trace */
    const struct prediction *predictions;
    int count;
    int depth; /* deepest level shown; below 0: all */
    const struct topo_notes *notes;
};

void report_text(const struct report *report, struct topo_text *out);
void report_json(const struct report *report, struct topo_text *out);
void report_html(const struct report *report, struct topo_text *out);

/* Where the processors' time of an interval went; the parts add up to its total time. */
enum { REPORT_PARTS = 5 };
struct report_part {
    const char *name, *colour;
    double seconds;
};
void report_parts(const struct topo_interval *interval, struct report_part parts[REPORT_PARTS]);

/* Calls `row` for every interval of the first prediction down to the report's depth,
 * outer ones first: interval[k] is the same one in prediction k, NULL where it has none. */
typedef void report_row(const struct report *report, const struct topo_interval *const *interval,
                        struct topo_text *out);
void report_rows(const struct report *report, report_row *row, struct topo_text *out);

/* "user solve, a.c:12 = 5"; appended. */
void report_name(const struct topo_interval *interval, struct topo_text *out);

#endif
