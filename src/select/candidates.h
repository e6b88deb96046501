/* What the guard tries in the calls of a program beside the native algorithm (coll/call/guard.h). */
#ifndef TOPO_SELECT_CANDIDATES_H
#define TOPO_SELECT_CANDIDATES_H

#include "select/tuning.h"

enum { TOPO_CANDIDATES = 3 };

/* Forms of ours, in the order in which they are tried. */
struct topo_candidates {
    int count;
    const struct topo_algorithm *form[TOPO_CANDIDATES];
};

/* The forms for which the model gives, in the middle of a size class (topo_size_class()), less than for the native
 * algorithm or not much more, the fastest first. With the shipped level parameters where none were measured: they are
 * not those of this machine, but who sends how many messages and bytes over which level is known, and a form that is
 * named wrongly costs no more than the guard does. None on one node, where calls take no longer than to look at them
 * would, and the shipped rules were measured; none among so many ranks and nodes that asking takes long; none without
 * memory in common, and of no algorithm but those that are TRIED (catalog/algorithms.def) and that
 * topo_select_is_candidate() does not leave out. Equal on all ranks, and with TOPO_NOMEM nothing to go by, as
 * topo_select_by_model(). */
enum topo_status topo_candidates_by_model(const struct topo_tuning *tuning, enum topo_operation operation,
                                          const struct topo_tree *tree, const struct topo_layout *layout,
                                          int size_class, struct topo_candidates *candidates);

/* What is tried in calls of `bytes` for which auto names `named`: itself if it is ours; what the rule that fits names
 * behind "or"; then `by_model`, which counts not where a rule of the user's fits, whose word is taken literally, and of
 * it no form that a rule named with parameters. Where the links are known the first of `by_model` comes right behind
 * `named`: it meets the others sooner. */
void topo_candidates_of(const struct topo_tuning *tuning, const struct topo_algorithm *named,
                        const struct topo_layout *layout, size_t bytes, const struct topo_candidates *by_model,
                        struct topo_candidates *candidates);

#endif
