/* The kinds of calls of one communicator that are compared (coll/call/guard.h). */
#ifndef TOPO_COLL_CALL_KINDS_H
#define TOPO_COLL_CALL_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/algorithm.h"
#include "coll/call/history.h"
#include "select/candidates.h"
#include "select/contest.h"

/* Of a communicator, and of one size class those that differ in their size; others run as the first of their class was
 * found, or as auto says. */
enum { TOPO_KINDS = 24, TOPO_KIND_SIZES = 3 };

struct topo_kind {
    struct topo_contest contest;
    const struct topo_algorithm *form[TOPO_CONTEST_ARMS]; /* native, or what auto names; then what is tried beside it */
    const struct topo_algorithm *named, *said;            /* by auto; and what was said to be the better one */
    bool ordered; /* only forms that give the same bits; the native one does not */
    int size_class;
    size_t bytes;
};
_Static_assert((int)TOPO_CANDIDATES < (int)TOPO_CONTEST_ARMS, "each is an arm");

/* Equal on all ranks but for `agreement` and what each took itself. */
struct topo_guards {
    uint64_t agreement; /* what the last one took, in ns, all ranks together */
    int count, pasts;
    struct topo_kind kind[TOPO_KINDS];
    struct topo_kind *past; /* [pasts] kinds that may be new here, as all ranks know them from before; or NULL */
};

#endif
