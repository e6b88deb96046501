/* Predictor.par: the machine of a DVM prediction (docs/REFERENCES.md, Predictor 4).
 *
 *   // comment
 *   type = network;            or transputer
 *   start time = 75;           microseconds a message
 *   send byte time = 0.2;      microseconds a byte
 *   power = 1.00;              traced times are multiplied by this
 *   topology = {2, 2};         optional */
#ifndef TOPO_PREDICT_DVM_DVM_PAR_H
#define TOPO_PREDICT_DVM_DVM_PAR_H

#include <stdbool.h>

#include <stdbool.h>

#include "base/status.h"
#include "topo-predict-dvm/transfer.h"
#include "base/notes.h"

/* machine.start and machine.byte in seconds; machine.dimensions 0: no topology given. */
struct topo_dvm_par {
    struct topo_transfer_machine machine;
    double power;
};

/* network, 75 us, 0.2 us, power 1, no topology: the example of Predictor 4. */
void topo_dvm_par_default(struct topo_dvm_par *par);

/* Reads statements in any order; what a file does not give keeps its value.
 * Errors are noted with name:line and what is allowed; TOPO_PARSE then, and the
 * statement in question has no effect. */
enum topo_status topo_dvm_par_parse(const char *text, const char *name, struct topo_dvm_par *par,
                                    struct topo_notes *notes);

/* Reads "2x2" or "{2, 2}" or "2,2" into the machine's grid; false when it is none
 * or has more than 2^20 processors. */
bool topo_dvm_par_topology(const char *text, struct topo_transfer_machine *machine);

#endif
