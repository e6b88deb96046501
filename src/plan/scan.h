/* Plans of scans (plan/scan.c). A rank's vector has blocks of equal length, of which it has the first from the start,
 * its own operands. What it gets is the sum of those that its plan receives as totals, TOPO_SCAN_BEFORE on the left,
 * and of the inclusive ones its own. */
#ifndef TOPO_PLAN_SCAN_H
#define TOPO_PLAN_SCAN_H

#include "plan/forms.h"

/* From so many bytes on a plan does not go in steps: what a rank sends may wait for its receiver, and nothing else
 * waits for that. MPI keeps shorter messages. A plan's in->bytes are none of a short vector, or these. */
enum { TOPO_SCAN_LONG = 2048 };

/* Its blocks. */
enum {
    TOPO_SCAN_OWN, /* the operands of the ranks of a run up to this one, in the end; of its last rank of all before */
    TOPO_SCAN_BEFORE, /* those of the runs before */
    TOPO_SCAN_SHIFTED /* exclusive alone: those of the ranks of the run before this one */
};

/* With a rank's own operands; without. */
topo_plan_function topo_plan_scan, topo_plan_exscan;

static inline bool topo_plan_is_scan(topo_plan_function *form)
{
    return form == topo_plan_scan || form == topo_plan_exscan;
}

/* Whether a rank's plan receives a block as a total. */
bool topo_plan_scan_gets(const struct topo_plan *plan, int block);

#endif
