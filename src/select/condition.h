/* Comparisons of a rule, such as bytes*ranks<=1M: whole numbers and what is known of a call on both sides. */
#ifndef TOPO_SELECT_CONDITION_H
#define TOPO_SELECT_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* What expressions speak of. */
enum topo_quantity {
    TOPO_QUANTITY_RANKS,
    TOPO_QUANTITY_NODES,
    TOPO_QUANTITY_PER_NODE,     /* ranks of the largest node */
    TOPO_QUANTITY_PER_NODE_MIN, /* and of the smallest */
    TOPO_QUANTITY_BYTES,
    TOPO_QUANTITIES
};

struct topo_quantities {
    int64_t value[TOPO_QUANTITIES];
};

/* One comparison. Arithmetic is that of whole numbers: quotients are rounded down, what leaves the range of 64 bits
 * stays at its end, and so does what is divided by 0. */
struct topo_condition;

/* True when `word` of a rule is meant as a comparison. */
bool topo_condition_is(const char *word);

/* Reads EXPRESSION<EXPRESSION (or <= > >=) without blanks: numbers with K, M, G (powers of 1024), ranks, nodes,
 * per_node, per_node_min, bytes, + - * / and parentheses. Free with topo_condition_free(). Errors: TOPO_PARSE with *why
 * (static), TOPO_NOMEM. */
enum topo_status topo_condition_parse(const char *word, struct topo_condition **condition, const char **why);

/* NULL is harmless. */
void topo_condition_free(struct topo_condition *condition);

/* True when the comparison holds of these quantities. */
bool topo_condition_holds(const struct topo_condition *condition, const struct topo_quantities *quantities);

/* As it was written. */
const char *topo_condition_text(const struct topo_condition *condition);

#endif
