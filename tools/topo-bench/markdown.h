/* Markdown of several reports: the performance page of the documentation. */
#ifndef TOPO_BENCH_MARKDOWN_H
#define TOPO_BENCH_MARKDOWN_H

#include "topo-bench/report.h"

struct bench_page {
    struct bench_report *const *report; /* [count] reports of one operation one after the other */
    const char *const *chart;           /* [count] files, relative to the page */
    int count;
    const char *command;     /* that repeats all of it; may be NULL */
    const char *const *note; /* [notes] sentences about the measurement: machine, what went wrong */
    int notes;
    const char *summary; /* "barrier,bcast": operations that have no more than a summary; may be NULL */
};

/* Whether a list of words with commas between them, NULL for none, has the word. */
bool bench_in_list(const char *list, const char *word);

/* The whole page: how to read and repeat it, notes, for every operation auto
 * against the better of the native ones and against the bound, and for every
 * report of more than a summary its chart and its table. */
void bench_markdown(const struct bench_page *page, struct topo_text *out);

/* Its summary of the reports of one operation: a table of ratios by size with
 * their geometric mean, another of the ratios to the bound. */
void bench_summary(const struct bench_page *page, const char *operation, struct topo_text *out);

/* " 123 us" as the tables have it; " -" when it is not known. */
void bench_add_time(struct topo_text *out, double seconds);

#endif
