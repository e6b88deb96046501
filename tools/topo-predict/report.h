/* Predictions as text and as JSON, of which page.py makes one self-contained HTML page. */
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
    int most;  /* text: of the whole program and so many other intervals, those where it is longest; below 0: of all */
    const struct topo_notes *notes;
    const char *native; /* whose choices native calls were predicted with; NULL: there are none */
};

void report_text(const struct report *report, struct topo_text *out);
void report_json(const struct report *report, struct topo_text *out);

/* The script that makes the page of the JSON: page.py. */
extern const char predict_page_script[];

#endif
