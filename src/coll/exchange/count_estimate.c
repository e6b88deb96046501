#include "coll/exchange/count_estimate.h"

#include "base/memory.h"
#include "coll/call/state.h"
#include "select/trial.h"

/* What asking costs, about one short all-reduce, is shared by this many calls in the end; by few where calls of means
 * from LONG on take fifty times as long, as they do between nodes. */
enum { INTERVAL_MAX = 32, INTERVAL_LONG = 4, LONG = 16 << 10 };

bool topo_recheck_backoff_due(struct topo_recheck_backoff *backoff)
{
    return ++backoff->calls > backoff->interval;
}

void topo_recheck_backoff_asked(struct topo_recheck_backoff *backoff, bool changed)
{
    bool at_last = changed && !backoff->changed;
    backoff->calls = 0;
    backoff->changed = changed;
    backoff->interval = at_last || !backoff->interval      ? 1
                        : backoff->interval < INTERVAL_MAX ? 2 * backoff->interval
                                                           : INTERVAL_MAX;
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
    topo_free(estimate->peers);
    if (estimate->tables)
        estimate->free_tables(estimate->tables);
    topo_free(estimate);
}

bool topo_count_estimate_due(struct topo_count_estimate *estimate, bool always)
{
    return topo_recheck_backoff_due(&estimate->backoff) || always;
}

int topo_count_estimate_ask(const struct topo_comm *state, uint64_t own)
{
    struct topo_count_estimate *estimate = topo_coll_of(state)->estimate;
    int before = topo_size_class(topo_count_estimate_mean(estimate, state->ranks));
    int code = PMPI_Allreduce(&own, &estimate->total, 1, MPI_UINT64_T, MPI_SUM, state->channel.user);
    estimate->known = true;
    size_t mean = topo_count_estimate_mean(estimate, state->ranks);
    topo_recheck_backoff_asked(&estimate->backoff, topo_size_class(mean) != before);
    if (state->layout.nodes > 1 && mean >= LONG && estimate->backoff.interval > INTERVAL_LONG)
        estimate->backoff.interval = INTERVAL_LONG;
    return code;
}

void topo_count_estimate_set_total(struct topo_count_estimate *estimate, int ranks, uint64_t total)
{
    int before = topo_size_class(topo_count_estimate_mean(estimate, ranks));
    estimate->known = true;
    estimate->total = total;
    estimate->backoff.calls = 0;
    if (topo_size_class(topo_count_estimate_mean(estimate, ranks)) != before)
        estimate->backoff = (struct topo_recheck_backoff){.interval = 1};
}

size_t topo_count_estimate_mean(const struct topo_count_estimate *estimate, int ranks)
{
    uint64_t pairs = (uint64_t)ranks * (uint64_t)ranks;
    return estimate->known ? (size_t)((estimate->total + pairs - 1) / pairs) : 0;
}
