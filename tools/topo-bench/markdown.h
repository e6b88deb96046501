/* Markdown of several reports: the performance page of the documentation. */
#ifndef TOPO_BENCH_MARKDOWN_H
#define TOPO_BENCH_MARKDOWN_H

#include "topo-bench/report.h"

/* The page: what was measured and how to repeat it (`command`, may be NULL), and
 * for every report its chart (the file chart[i], relative to the page) and its table.
 * The summary lists, report by report, auto against the fastest native. */
void bench_markdown(struct bench_report *const *reports, const char *const *charts, int count, const char *command,
                    struct topo_text *out);

#endif
