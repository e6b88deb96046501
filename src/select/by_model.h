/* The model's choice of an algorithm, for machines whose levels were measured. */
#ifndef TOPO_SELECT_BY_MODEL_H
#define TOPO_SELECT_BY_MODEL_H

#include "select/tuning.h"

/* The shipped rules hold for the networks they were measured on; the model knows
 * this one. What it says of messages of a class (topo_size_class()): *says is the fastest algorithm, or NULL when that
 * is not a good tenth faster than what topo_select() names in the middle of the class, which then stands.
 * The native form has to be a good tenth faster than the fastest of ours, with all messages of the class: what it is
 * depends on the MPI library. Algorithms that wait for a mapping or a schedule are not asked for: what those cost is
 * not known before.
 *
 * Equal on all ranks that have the same program, tree, layout and tuning: the costs are sums, products and quotients
 * alone. Asks for forms for which that takes a rank some 10 ms: none above 8192 ranks, lanes up to 32768 ranks times
 * nodes, mixed_grid up to 128 ranks; where the form that the rules name is no such one, they stand. NULL where
 * levels were not measured or the layout has no memory in common, without which most forms are others than the model
 * thinks. Returns TOPO_OK or TOPO_NOMEM, with which a rank must not choose: the others may have been told something
 * else. */
enum topo_status topo_select_by_model(const struct topo_tuning *tuning, enum topo_operation operation,
                                      const struct topo_tree *tree, const struct topo_layout *layout, int size_class,
                                      const struct topo_algorithm **says);

/* True for an algorithm whose time the model gives, in a second or less, in such a communicator. */
bool topo_select_is_candidate(const struct topo_algorithm *algorithm, enum topo_operation operation,
                              const struct topo_layout *layout);

/* What runs of messages of `bytes`: what a line of the tuning file says, else the model, else the rules. NULL when
 * memory is out. */
const struct topo_algorithm *topo_select_on(const struct topo_tuning *tuning, enum topo_operation operation,
                                            const struct topo_tree *tree, const struct topo_layout *layout,
                                            size_t bytes);

#endif
