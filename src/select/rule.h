/* One rule of a tuning file: of which calls it speaks, and what runs in them. */
#ifndef TOPO_SELECT_RULE_H
#define TOPO_SELECT_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "catalog/algorithm.h"
#include "select/condition.h"
#include "select/select.h"

struct topo_range {
    size_t low, high; /* both included */
};

/* What a word of a rule says, or nothing of it. */
enum { TOPO_ANY = -1, TOPO_NO, TOPO_YES };

/* Forms that a rule may name beside its algorithm. */
enum { TOPO_RULE_OTHERS = 3 };

struct topo_rule {
    /* A row of the table or, with parameters, one of `given`: what is selected by the rule is valid as long as it is.
     */
    const struct topo_algorithm *algorithm;
    const struct topo_algorithm *others[TOPO_RULE_OTHERS]; /* what the guard tries as well (select/candidates.h) */
    int others_count;
    struct topo_range ranks, nodes, per_node, bytes;
    struct topo_range link;                       /* bits per second of a node's link */
    int by_slot, even, shares, racks, processors; /* TOPO_ANY, TOPO_NO or TOPO_YES */
    struct topo_condition **all;                  /* [conditions] that hold as well; owned by the rule */
    int conditions;
    struct topo_algorithm *given[1 + TOPO_RULE_OTHERS]; /* owned by the rule; NULL behind the last */
    int line;                                           /* in the file, for "why" */
    int next;                                           /* in the file's rules, of the same operation; 0: none */
};

/* A rule for every call of the operation, which names no algorithm. */
struct topo_rule topo_rule_any(void);

/* A rule for every call in communicators of this very layout. */
struct topo_rule topo_rule_here(const struct topo_layout *layout);

/* Reads the words after the operation into *rule; writes into `words`. Free with topo_rule_free() in every case.
 * Errors: TOPO_PARSE with what is wrong and what is allowed, TOPO_NOMEM. */
enum topo_status topo_rule_parse(enum topo_operation operation, char *words, struct topo_rule *rule,
                                 struct topo_error *error);
void topo_rule_free(struct topo_rule *rule);

/* True when the rule speaks of this call and its algorithm applies to it. `link`: bits per second of a node's link, 0
 * where that is not known: rules that name it do not fit then. */
bool topo_rule_fits(const struct topo_rule *rule, const struct topo_layout *layout, size_t bytes, double link);

/* Appends it as a line of the file. */
void topo_rule_write(const struct topo_rule *rule, struct topo_text *out);

#endif
