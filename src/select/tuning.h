/* The tuning file: measured level parameters and measured best algorithms, as text people can read and edit.
 *
 *   # comment
 *   level node alpha=3.1e-05 beta=8.2e-09        (model/params.h)
 *   allgather ranks=16 nodes=4 per_node=4 placement=slot bytes=0-2K bruck_reorder
 *
 * A rule names an operation, ranges that a call must lie in (A, A-B, or A- for
 * no upper end; sizes with K, M, G; a range left out allows everything;
 * placement=slot|node|any), and the algorithm. per_node is the largest number
 * of ranks on a node. The first rule that fits decides; where none does and levels are
 * given, the model (select/by_model.h). */
#ifndef TOPO_SELECT_TUNING_H
#define TOPO_SELECT_TUNING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/params.h"
#include "catalog/algorithm.h"
#include "select/select.h"

struct topo_range {
    size_t low, high; /* both included */
};

struct topo_rule {
    const struct topo_algorithm *algorithm;
    struct topo_range ranks, nodes, per_node, bytes;
    int by_slot; /* 1, 0, or -1 for any placement */
    int line;    /* in the file, for "why" */
};

struct topo_tuning {
    struct topo_params params;
    bool measured; /* the file gives parameters of levels */
    struct topo_rule *rules;
    int count;
};

/* Parses `text`; `name` is the file's for messages. Parameters that the file
 * does not give keep their defaults. Free with topo_tuning_free(). Errors:
 * TOPO_PARSE with name:line and what is allowed, TOPO_NOMEM. */
enum topo_status topo_tuning_parse(const char *text, const char *name, struct topo_tuning *tuning,
                                   struct topo_error *error);
void topo_tuning_free(struct topo_tuning *tuning);

/* The first rule for this call whose algorithm applies to it, or NULL. `tuning` may be NULL. */
const struct topo_rule *topo_tuning_find(const struct topo_tuning *tuning, enum topo_operation operation,
                                         const struct topo_layout *layout, size_t bytes);

/* Appends a rule as a line of the file. */
void topo_rule_write(const struct topo_rule *rule, struct topo_text *out);

#endif
