/* topo-dump schedule: what was asked for, and every scheduler's result, as the formats show it. */
#ifndef TOPO_DUMP_SCHEDULE_H
#define TOPO_DUMP_SCHEDULE_H

#include "base/text.h"
#include "machine/tree.h"
#include "schedule/array.h"
#include "schedule/links.h"
#include "schedule/contention.h"
#include "schedule/css.h"
#include "schedule/matrix.h"
#include "schedule/schedule.h"
#include "schedule/scheduler.h"

/* The schedulers, in the order shown. */
#define DUMP_SCHEDULER_MAP(X) \
    X(direct, "no schedule: sender i to i, i+1, ...") \
    X(sdrc, "list scheduling, heaviest first") \
    X(drc, "sdrc, the last two steps by two colours") \
    X(ggp, "peeling; messages are split: ggp_heavy up to 128 senders, ggp_first above") \
    X(ggp_first, "ggp, matchings as they are found; with --unit 1 Kurnysh's GGP") \
    X(ggp_heavy, "ggp, heaviest matchings first") \
    X(ggp_merged, "ggp_heavy without steps that do not pay") \
    X(css, "by the table's recurrence")

enum dump_scheduler {
#define X(name, help) DUMP_SCHEDULER_##name,
    DUMP_SCHEDULER_MAP(X)
#undef X
        DUMP_SCHEDULERS
};

struct dump_schedule_request {
    const char *matrix_file, *redistribute, *access, *random, *synthetic, *output;
    const char *length; /* --length; NULL = one period */
    long k;             /* of ggp; 0 = as many as there are senders */
    size_t unit;        /* of ggp; 0 = auto */
    bool own;           /* what Q_i has for P_i is sent by every scheduler */
    int shown;          /* whose steps are shown: enum dump_scheduler */
    bool only;          /* no others are run */
    bool summary;       /* text without the tables COM and CS */
    int form;           /* number of the format */
    void (*print)(const void *view, struct topo_text *out);
};

/* One scheduler's result. `schedule` is NULL where it does not apply; `why` then says so. */
struct dump_scheduled {
    struct topo_schedule *schedule;
    struct topo_schedule_figures figures;
    int64_t contention;             /* topo_schedule_contention() */
    struct topo_link_figures links; /* with a machine */
    double seconds, model_seconds;  /* making it; by the model, with a machine */
    const char *why;
};

struct dump_schedule_view {
    const struct dump_schedule_request *request;
    struct topo_matrix *matrix;
    struct topo_matrix *others; /* without what ranks have for themselves; NULL: all of it is sent */
    struct topo_matrix_facts facts;
    struct topo_tree *tree; /* NULL: no machine was given */
    bool redistributed;
    struct topo_array array;
    struct topo_redistribution_facts periods[TOPO_ARRAY_DIMENSIONS];
    struct topo_css_result css;
    int64_t unit; /* of ggp */
    struct dump_scheduled result[DUMP_SCHEDULERS];
};

/* "drc", ... and what it does; static. */
const char *dump_scheduler_name(enum dump_scheduler scheduler);
const char *dump_scheduler_help(enum dump_scheduler scheduler);

/* Reads the arguments. Returns an exit status after saying what is wrong. */
int dump_schedule_read(int argc, char **argv, struct dump_schedule_request *request);

/* Makes the matrix, the machine and every schedule asked for, checked. Returns an
 * exit status after saying what is wrong; dump_schedule_view_free() in every case. */
int dump_schedule_view_make(const struct dump_schedule_request *request, struct dump_schedule_view *view);
void dump_schedule_view_free(struct dump_schedule_view *view);

/* The formats; `view` is a struct dump_schedule_view. */
void dump_schedule_text(const void *view, struct topo_text *out);
void dump_schedule_json(const void *view, struct topo_text *out);
void dump_schedule_svg(const void *view, struct topo_text *out);

#endif
