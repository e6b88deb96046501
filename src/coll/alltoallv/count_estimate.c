#include "coll/alltoallv/count_estimate.h"

#include "base/memory.h"
#include "coll/alltoallv/step_table.h"
#include "select/trial.h"

/* What asking costs, about one short all-reduce, is shared by this many calls in the end; by few where calls of means
 * from LONG on take fifty times as long, as they do between nodes. */
enum { INTERVAL_MAX = 32, INTERVAL_LONG = 4, LONG = 16 << 10 };

bool topo_rhythm_due(struct topo_rhythm *rhythm)
{
    return ++rhythm->calls > rhythm->interval;
}

void topo_rhythm_asked(struct topo_rhythm *rhythm, bool changed)
{
    bool at_last = changed && !rhythm->changed;
    rhythm->calls = 0;
    rhythm->changed = changed;
    rhythm->interval = at_last || !rhythm->interval      ? 1
                       : rhythm->interval < INTERVAL_MAX ? 2 * rhythm->interval
                                                         : INTERVAL_MAX;
}

struct topo_exchange *topo_exchange_of(struct topo_comm *state)
{
    if (!state->exchange) {
        state->exchange = topo_calloc(1, sizeof *state->exchange);
        if (state->exchange)
            state->exchange->rhythm.interval = 1;
    }
    return state->exchange;
}

void topo_exchange_free(struct topo_exchange *exchange)
{
    if (!exchange)
        return;
    topo_free(exchange->peers);
    topo_orders_free(exchange->orders);
    topo_free(exchange);
}

bool topo_exchange_due(struct topo_exchange *exchange, bool always)
{
    return topo_rhythm_due(&exchange->rhythm) || always;
}

int topo_exchange_ask(const struct topo_comm *state, uint64_t own)
{
    struct topo_exchange *exchange = state->exchange;
    int before = topo_size_class(topo_exchange_mean(exchange, state->ranks));
    int code = PMPI_Allreduce(&own, &exchange->total, 1, MPI_UINT64_T, MPI_SUM, state->channel.user);
    exchange->known = true;
    size_t mean = topo_exchange_mean(exchange, state->ranks);
    topo_rhythm_asked(&exchange->rhythm, topo_size_class(mean) != before);
    if (state->layout.nodes > 1 && mean >= LONG && exchange->rhythm.interval > INTERVAL_LONG)
        exchange->rhythm.interval = INTERVAL_LONG;
    return code;
}

void topo_exchange_told(struct topo_exchange *exchange, uint64_t total)
{
    exchange->known = true;
    exchange->total = total;
    exchange->rhythm = (struct topo_rhythm){.interval = 1};
}

size_t topo_exchange_mean(const struct topo_exchange *exchange, int ranks)
{
    uint64_t pairs = (uint64_t)ranks * (uint64_t)ranks;
    return exchange->known ? (size_t)((exchange->total + pairs - 1) / pairs) : 0;
}
