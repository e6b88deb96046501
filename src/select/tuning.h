/* Tuning files: level parameters and rules, as text people can read and edit (docs/TUNING.md).
 *
 *   # comment
 *   level node alpha=3.1e-05 beta=8.2e-09        (model/params.h)
 *   allgather ranks=16 nodes=4 per_node=4 placement=slot bytes=0-2K bruck_reorder
 *
 * The first rule that fits a call decides (select/rule.h); where none of the user's does and levels are given, the
 * model (select/by_model.h); else the shipped rules (select/shipped.h). */
#ifndef TOPO_SELECT_TUNING_H
#define TOPO_SELECT_TUNING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/params.h"
#include "catalog/algorithm.h"
#include "select/rule.h"
#include "select/select.h"

struct topo_tuning {
    struct topo_params params;
    bool measured; /* the file gives parameters of levels */
    bool links;    /* it does not, but the links between nodes are known (measure/measure.h) */
    struct topo_rule *rules;
    int count;
    int first[TOPO_OPERATION_COUNT];   /* number of the operation's first rule, counted from 1; 0: none */
    const struct topo_tuning *shipped; /* what holds where no rule fits; NULL: topo_shipped() */
};

/* Parses `text`; `name` is the file's for messages. Parameters that the file
 * does not give keep their defaults. Free with topo_tuning_free(). Errors:
 * TOPO_PARSE with name:line and what is allowed, TOPO_NOMEM. */
enum topo_status topo_tuning_parse(const char *text, const char *name, struct topo_tuning *tuning,
                                   struct topo_error *error);
/* The same into a tuning that the caller has begun: all zero but for `params`, which are kept where the text gives
 * none, and `shipped`. */
enum topo_status topo_tuning_parse_over(const char *text, const char *name, struct topo_tuning *tuning,
                                        struct topo_error *error);
void topo_tuning_free(struct topo_tuning *tuning);

/* Bits per second of a node's link by the level parameters; 0 where nobody knows them, there is one node, or beta is 0.
 * `tuning` may be NULL. */
double topo_tuning_link(const struct topo_tuning *tuning, const struct topo_layout *layout);

/* The first of the file's own rules that fits this call, or NULL. `tuning` may be NULL. */
const struct topo_rule *topo_tuning_find(const struct topo_tuning *tuning, enum topo_operation operation,
                                         const struct topo_layout *layout, size_t bytes);

/* The same, with the rate of a node's link, 0 where it is not known. */
const struct topo_rule *topo_tuning_first(const struct topo_tuning *tuning, enum topo_operation operation,
                                          const struct topo_layout *layout, size_t bytes, double link);

#endif
