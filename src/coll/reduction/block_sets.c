#include "coll/reduction/block_sets.h"

#include "base/copy.h"

static size_t first_of(const struct topo_block_sets *sets, int block)
{
    int nodes = sets->plan->nodes;
    size_t shares = topo_halving_shares(sets->count * sets->bytes, nodes);
    return sets->count * topo_halving_shares_before(shares, block, nodes) / shares;
}

static char *span_at(const struct topo_block_sets *sets, const struct topo_block_span *span)
{
    return sets->vector + first_of(sets, span->first) * sets->bytes;
}

static size_t span_count(const struct topo_block_sets *sets, const struct topo_block_span *span)
{
    return first_of(sets, span->first + span->count) - first_of(sets, span->first);
}

static const struct topo_block_span *spans_of(const struct topo_block_sets *sets, const struct topo_block_set *set)
{
    return sets->plan->span + set->first;
}

size_t topo_block_set_count(const struct topo_block_sets *sets, const struct topo_block_set *set)
{
    size_t count = 0;
    for (const struct topo_block_span *span = spans_of(sets, set); span < spans_of(sets, set) + set->count; span++)
        count += span_count(sets, span);
    return count;
}

void topo_block_set_pack(const struct topo_block_sets *sets, const struct topo_block_set *set, char *packed, bool back)
{
    for (const struct topo_block_span *span = spans_of(sets, set); span < spans_of(sets, set) + set->count; span++)
        topo_copy_packed(span_at(sets, span), &packed, span_count(sets, span) * sets->bytes, back);
}

char *topo_block_set_place(struct topo_block_sets *sets, const struct topo_block_set *set)
{
    if (!topo_block_set_is_packed(set))
        return span_at(sets, spans_of(sets, set));
    char *place = sets->packed + sets->packed_at;
    sets->packed_at += topo_block_set_count(sets, set) * sets->bytes;
    return place;
}
