#include "coll/alltoallv/exchange.h"

#include "base/memory.h"

/* What asking costs, about one short all-reduce, is shared by this many calls in the end. */
enum { INTERVAL_MAX = 32 };

struct topo_exchange *topo_exchange_of(struct topo_comm *state)
{
    if (!state->exchange) {
        state->exchange = topo_calloc(1, sizeof *state->exchange);
        if (state->exchange)
            state->exchange->interval = 1;
    }
    return state->exchange;
}

void topo_exchange_free(struct topo_exchange *exchange)
{
    topo_free(exchange);
}

bool topo_exchange_due(struct topo_exchange *exchange, bool always)
{
    return ++exchange->calls > exchange->interval || always;
}

int topo_exchange_ask(const struct topo_comm *state, uint64_t own)
{
    struct topo_exchange *exchange = state->exchange;
    int code = PMPI_Allreduce(&own, &exchange->total, 1, MPI_UINT64_T, MPI_SUM, state->private_comm);
    exchange->known = true;
    exchange->calls = 0;
    if (exchange->interval < INTERVAL_MAX)
        exchange->interval *= 2;
    return code;
}

void topo_exchange_told(struct topo_exchange *exchange, uint64_t total)
{
    exchange->known = true;
    exchange->total = total;
    exchange->calls = 0;
    exchange->interval = 1;
}

size_t topo_exchange_mean(const struct topo_exchange *exchange, int ranks)
{
    uint64_t pairs = (uint64_t)ranks * (uint64_t)ranks;
    return exchange->known ? (size_t)((exchange->total + pairs - 1) / pairs) : 0;
}
