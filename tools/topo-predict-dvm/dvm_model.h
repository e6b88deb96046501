/* Prediction of a Lib-DVM trace: models the calls in the order of the trace on a
 * machine of several processors (docs/REFERENCES.md, Predictor 5 and 6). */
#ifndef TOPO_PREDICT_DVM_DVM_MODEL_H
#define TOPO_PREDICT_DVM_DVM_MODEL_H

#include "topo-predict-dvm/dvm_par.h"
#include "predict/interval.h"
#include "topo-predict-dvm/libdvm.h"

/* Matrices of all pairs are kept (128 MiB each at this number), so the machine has a limit. */
enum { TOPO_DVM_PROCESSORS_MAX = 4096 };

/* Models `trace` on `par` (its topology, else that of the trace, else one
 * processor; a topology of fewer dimensions than the program distributes over gets
 * more of size 1). The tree is integrated. Calls that cannot be modelled are noted
 * with file:line and timed by the main rule; unknown calls are warned of once a
 * name. Free *intervals with topo_intervals_free(). TOPO_PARSE: errors were noted
 * (the tree is valid); TOPO_INVALID: no valid topology, TOPO_NOMEM: no tree. */
enum topo_status topo_dvm_predict(const struct topo_dvm_trace *trace, const struct topo_dvm_par *par,
                                  struct topo_intervals *intervals, struct topo_notes *notes);

#endif
