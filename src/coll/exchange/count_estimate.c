#include "coll/exchange/count_estimate.h"

#include "base/clock.h"
#include "base/memory.h"
#include "coll/call/state.h"
#include "job/channel_calls.h"
#include "catalog/size_class.h"

/* What asking costs is shared by this many calls in the end, by fewer where it is 1 part in SHARE of the time. It is
 * more than a short all-reduce: ranks leave a long call at different times and have to wait for each other. */
enum { INTERVAL_MOST = 1024, INTERVAL_LEAST = 4, SHARE = 200 };

void topo_recheck_backoff_asked(struct topo_recheck_backoff *backoff, bool changed, unsigned most)
{
    bool at_last = changed && !backoff->changed;
    backoff->calls = 0;
    backoff->changed = changed;
    backoff->interval = at_last || !backoff->interval ? 1 : backoff->interval < most / 2 ? 2 * backoff->interval : most;
}

struct topo_count_estimate *topo_count_estimate_of(struct topo_comm *state)
{
    if (!topo_coll_of(state)->estimate) {
        topo_coll_of(state)->estimate = topo_calloc(1, sizeof *topo_coll_of(state)->estimate);
        if (topo_coll_of(state)->estimate)
            topo_coll_of(state)->estimate->backoff.interval = 1;
    }
    return topo_coll_of(state)->estimate;
}

void topo_count_estimate_free(struct topo_count_estimate *estimate)
{
    if (!estimate)
        return;
    if (estimate->tables)
        estimate->free_tables(estimate->tables);
    topo_free(estimate);
}

/* Calls between two answers: asking took `cost`, and `time` went by from call to call; 0: unknown. */
static unsigned interval_of(uint64_t cost, uint64_t time)
{
    uint64_t calls = time ? SHARE * cost / time : INTERVAL_MOST;
    return calls < INTERVAL_LEAST ? INTERVAL_LEAST : calls < INTERVAL_MOST ? (unsigned)calls : INTERVAL_MOST;
}

int topo_count_estimate_ask(const struct topo_comm *state, uint64_t own)
{
    struct topo_count_estimate *estimate = topo_coll_of(state)->estimate;
    struct topo_recheck_backoff *backoff = &estimate->backoff;
    int before = topo_size_class(topo_count_estimate_mean(estimate, state->ranks));
    uint64_t start = topo_clock_ns(), passed = estimate->asked_at ? start - estimate->asked_at : 0;
    uint64_t all[] = {own, estimate->cost, backoff->calls ? passed / backoff->calls : 0};
    int code = topo_channel_allreduce(all, 3, TOPO_CHANNEL_SUM, &state->channel);
    estimate->known = true;
    estimate->total = all[0];
    estimate->asked_at = topo_clock_ns();
    estimate->cost = estimate->asked_at - start;
    topo_recheck_backoff_asked(backoff, topo_size_class(topo_count_estimate_mean(estimate, state->ranks)) != before,
                               interval_of(all[1], all[2]));
    return code;
}

void topo_count_estimate_set_total(struct topo_count_estimate *estimate, int ranks, uint64_t total)
{
    int before = topo_size_class(topo_count_estimate_mean(estimate, ranks));
    estimate->known = true;
    estimate->total = total;
    estimate->asked_at = 0;
    estimate->backoff.calls = 0;
    if (topo_size_class(topo_count_estimate_mean(estimate, ranks)) != before)
        estimate->backoff = (struct topo_recheck_backoff){.interval = 1};
}

size_t topo_count_estimate_mean(const struct topo_count_estimate *estimate, int ranks)
{
    uint64_t pairs = (uint64_t)ranks * (uint64_t)ranks;
    return estimate->known ? (size_t)((estimate->total + pairs - 1) / pairs) : 0;
}
