/* Transfer matrices of DVM operations (docs/REFERENCES.md, Predictor 9): bytes
 * between every two processors of the whole machine, from where elements are
 * before and where they are needed. */
#ifndef TOPO_PREDICT_DVM_DVM_TRAFFIC_H
#define TOPO_PREDICT_DVM_DVM_TRAFFIC_H

#include <stdint.h>

#include "topo-predict-dvm/transfer.h"
#include "topo-predict-dvm/dvm_map.h"

/* bytes[from * processors + to]; `machine` gives distances ("nearest holder"). */
struct topo_dvm_traffic {
    const struct topo_transfer_machine *machine;
    int processors;
    int64_t *bytes;
};

/* All zero. Free with topo_dvm_traffic_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_dvm_traffic_new(const struct topo_transfer_machine *machine, struct topo_dvm_traffic *traffic);
void topo_dvm_traffic_free(struct topo_dvm_traffic *traffic);

/* realign, redistribute: the array lay as `before` and shall lie as `after` (both
 * aligned to distributed templates): each processor gets what it needs of each
 * piece from the nearest processor that has that piece. Errors: TOPO_NOMEM. */
enum topo_status topo_dvm_move_array(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *before,
                                     const struct topo_dvm_array *after);

/* Edges of an array's parts for the neighbours' shadows; low[k] and high[k] are
 * the widths of the shadow below and above a part along dimension k. With
 * `corners` the boxes at the diagonals too (where more than one dimension is
 * divided). Errors: TOPO_INVALID (a shadow wider than a part). */
enum topo_status topo_dvm_move_edges(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *array,
                                     const long *low, const long *high, bool corners, struct topo_error *error);

/* Remote access: the elements of `read` to every processor of the array's system
 * that has none of a piece of them, from the nearest one that has. Errors: TOPO_NOMEM. */
enum topo_status topo_dvm_move_copies(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *array,
                                      const struct topo_dvm_box *read);

/* The same to the processors of `readers`. */
enum topo_status topo_dvm_move_copies_to(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *array,
                                         const struct topo_dvm_box *read, const struct topo_dvm_grid *readers);

/* To each processor that has iterations of the loop the elements that they read: dimension k of the array at place
 * coeff[k] i + constant[k] for iteration i along axis[k] where axis[k] > 0 and coeff[k] is not 0, at those of `read`
 * elsewhere; each from the nearest processor that has them. Errors: TOPO_NOMEM. */
enum topo_status topo_dvm_move_reads(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *array,
                                     const struct topo_dvm_array *loop, const struct topo_dvm_box *read,
                                     const struct topo_dvm_align *rule);

/* Adds what `more`, of the same machine, traffic. */
void topo_dvm_traffic_add(struct topo_dvm_traffic *traffic, const struct topo_dvm_traffic *more);

/* arrcpy_ between distributed arrays: element i of `read` becomes element i of
 * `write` (same shape without dimensions of one element), on the processors that
 * have it. Errors: TOPO_NOMEM, TOPO_INVALID (shapes differ). */
enum topo_status topo_dvm_move_section(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *from,
                                       const struct topo_dvm_box *read, const struct topo_dvm_array *to,
                                       const struct topo_dvm_box *write, struct topo_error *error);

#endif
