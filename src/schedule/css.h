/* CSS, conflict-free schedules for repeating tables (docs/REFERENCES.md, Redistribution 4 and 5). */
#ifndef TOPO_SCHEDULE_CSS_H
#define TOPO_SCHEDULE_CSS_H

#include "schedule/recurrence.h"
#include "schedule/schedule.h"

/* How the schedule was made. */
#define TOPO_CSS_MAP(X) \
    X(ROWS, "algorithm 1") \
    X(COLUMNS, "algorithm 1, senders and receivers exchanged") \
    X(BLOCKS, "algorithm 2") \
    X(LENGTHS, "one length a step") \
    X(GENERAL, "drc: shorter than what the recurrence gives")

enum topo_css_form {
#define X(id, text) TOPO_CSS_##id,
    TOPO_CSS_MAP(X)
#undef X
};

struct topo_css_result {
    enum topo_css_form form;
    /* The recurrence used, of the table without its empty rows and columns when it was found. */
    struct topo_shift shift;
    bool given;     /* the caller's shift holds and was used */
    int64_t beyond; /* weight beyond the recurrence, that rides along: 0 where the table repeats as it is */
};

/* "algorithm 1", ...; static. */
const char *topo_css_form_text(enum topo_css_form form);

/* Schedules by the recurrence `shift` where it is given (may be NULL) and holds,
 * else, or when only a found one allows algorithm 1, by one found in the table. ROWS and COLUMNS: all messages of a
 * step have one length, TOPO_RULE_MATCHING. BLOCKS: similar lengths in one step, a sender may send several short
 * messages in it, TOPO_RULE_RECEIVER. LENGTHS instead where its duration is smaller, or equal in fewer steps, or where
 * the table is too large for algorithm 2: the messages of each length in as few steps as they need, TOPO_RULE_MATCHING.
 * GENERAL: drc.
 * *result may be NULL. Errors: TOPO_NOMEM. */
enum topo_status topo_schedule_css(const struct topo_matrix *matrix, const struct topo_shift *shift,
                                   struct topo_schedule **schedule, struct topo_css_result *result,
                                   struct topo_error *error);

#endif
