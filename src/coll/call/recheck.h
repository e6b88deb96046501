/* When something that all ranks of a communicator count is asked about again. */
#ifndef TOPO_COLL_CALL_RECHECK_H
#define TOPO_COLL_CALL_RECHECK_H

#include <stdbool.h>

/* Asked after ever more calls as long as the answer stays as it was, or changes every time; soon when it has changed at
 * last.
 */
struct topo_recheck_backoff {
    unsigned calls;    /* since it was asked */
    unsigned interval; /* asked when so many have gone by; 0: at the first call */
    bool changed;      /* the last answer was another one */
};

/* One call more; true when it is time to ask. */
static inline bool topo_recheck_backoff_due(struct topo_recheck_backoff *backoff)
{
    return ++backoff->calls > backoff->interval;
}

/* One call more, and true, unless it is time to ask in it. */
static inline bool topo_recheck_backoff_passes(struct topo_recheck_backoff *backoff)
{
    return backoff->calls < backoff->interval && ++backoff->calls;
}

#endif
