#include "patterns/circulant.h"

#include "patterns/limits.h"
#include "patterns/pipeline.h"

/* Returns the rounds of a phase. */
static int set_skips(int nodes, int *skip)
{
    int phase = 0;
    while (phase < TOPO_CIRCULANT_ROUNDS && ((int64_t)1 << phase) < nodes)
        phase++;
    skip[phase] = nodes;
    for (int k = phase; k-- > 0;)
        skip[k] = skip[k + 1] - skip[k + 1] / 2;
    return phase;
}

/* A node other than the root is a sum of different skips, the largest that fits first: the smallest of them is the
 * round in which it gets its base block, and names that block. */
static int base_block(const int *skip, int phase, int node)
{
    int k = phase;
    while (k-- > 0 && skip[k] != node)
        if (skip[k] < node)
            node -= skip[k];
    return k;
}

/* The search of a receive schedule. */
struct search {
    const int *skip;
    int phase;
    int64_t node;                                                            /* of the round after all nodes */
    int64_t bound;                                                           /* candidates are below */
    int before[TOPO_CIRCULANT_ROUNDS + 3], after[TOPO_CIRCULANT_ROUNDS + 3]; /* blocks not taken: a list, falling */
    int *found;                                                              /* by round */
    int k;                                                                   /* the round that is looked for */
};

/* Entries of the list: block e is e + 1, its end is 0, its beginning phase + 2. */
static void take(struct search *search, int entry)
{
    search->after[search->before[entry]] = search->after[entry];
    search->before[search->after[entry]] = search->before[entry];
}

/* Candidates are the sums of different skips, far ones first; here those that begin with the sum `from` and go on with
 * the skip of `entry` or of one after it. Round k gets the block that names the last skip of the first candidate
 * between node - skip[k + 1] and node - skip[k], among those whose block is not taken: it came to the partner of round
 * k, or to a node that hands on to it, when this node still lacked it. Each step finds a block or leaves one behind for
 * good, so all rounds together take O(phase). */
static void look(struct search *search, int64_t from, int entry)
{
    for (; entry > 0 && search->k < search->phase; entry = search->after[entry]) {
        int e = entry - 1;
        int64_t at = from + search->skip[e];
        if (at > search->node - search->skip[search->k] || at >= search->bound)
            continue;
        if (at <= search->node - search->skip[search->k + 1])
            look(search, at, entry);
        if (search->k == search->phase || from > search->node - search->skip[search->k + 1])
            return;
        search->bound = at;
        search->found[search->k++] = e;
        take(search, entry);
    }
}

static void find_receives(const int *skip, int phase, int node, int *receive)
{
    int base = base_block(skip, phase, node), first = phase + 2;
    struct search search = {.skip = skip,
                            .phase = phase,
                            .node = (int64_t)skip[phase] + node,
                            .bound = 2 * (int64_t)skip[phase],
                            .found = receive};
    for (int entry = 0; entry <= first; entry++) {
        search.after[entry] = entry > 0 ? entry - 1 : first;
        search.before[entry] = entry < first ? entry + 1 : 0;
    }
    take(&search, base + 1);
    look(&search, 0, search.after[first]);
    for (int k = 0; k < phase; k++)
        receive[k] = receive[k] == phase ? base : receive[k] - phase;
}

void topo_circulant_make(int nodes, int node, int64_t blocks, struct topo_circulant *to)
{
    *to = (struct topo_circulant){.nodes = nodes, .node = node, .blocks = blocks};
    to->phase = set_skips(nodes, to->skip);
    if (nodes < 2)
        return;
    to->rounds = blocks - 1 + to->phase;
    to->missing = (int)((to->phase - to->rounds % to->phase) % to->phase);
    if (node > 0)
        find_receives(to->skip, to->phase, node, to->receive);
    for (int k = 0; k < to->phase; k++) {
        int receive[TOPO_CIRCULANT_ROUNDS], partner = (int)(((int64_t)node + to->skip[k]) % nodes);
        if (partner > 0)
            find_receives(to->skip, to->phase, partner, receive);
        to->send[k] = partner > 0 ? receive[k] : 0;
    }
}

uint64_t topo_circulant_segment(uint64_t bytes, int nodes, bool oversubscribed, uint64_t given)
{
    enum { FEW = 8, LEAST = 16 << 10, LEAST_OF_MANY = 8 << 10, UNIT = 64 };
    int skip[TOPO_CIRCULANT_ROUNDS + 1], phase = set_skips(nodes, skip);
    uint64_t segment = phase > 0 ? bytes / (2 * (uint64_t)phase) : bytes;
    uint64_t least = oversubscribed ? TOPO_SEGMENT_BYTES : nodes > FEW ? LEAST_OF_MANY : LEAST;
    segment = segment < least ? least : segment < TOPO_SEGMENT_BYTES ? segment : TOPO_SEGMENT_BYTES;
    if (topo_circulant_together(bytes, oversubscribed))
        segment = topo_pipeline_segment(bytes, phase, TOPO_LATENCY_OF_PIPELINES, TOPO_SEGMENT_BYTES);
    if (given)
        segment = given;
    /* As many blocks of equal length. */
    uint64_t blocks = bytes > segment ? (bytes - 1) / segment + 1 : 1;
    return ((bytes > 0 ? (bytes - 1) / blocks : 0) / UNIT + 1) * UNIT;
}

bool topo_circulant_together(uint64_t bytes, bool oversubscribed)
{
    enum { EAGER = 64 << 10 };
    return bytes > EAGER && !oversubscribed;
}

struct topo_circulant_pace topo_circulant_pace_of(uint64_t bytes, bool oversubscribed)
{
    if (!topo_circulant_together(bytes, oversubscribed))
        return (struct topo_circulant_pace){TOPO_CIRCULANT_AHEAD_MOST, 4, TOPO_CIRCULANT_BEHIND_MOST};
    return (struct topo_circulant_pace){2, 0, 1};
}

int topo_circulant_awaited(const struct topo_circulant *circulant, uint64_t segment)
{
    enum { UNAWAITED = 8 * TOPO_SEGMENT_BYTES };
    int phases = (int)(UNAWAITED / segment) / circulant->phase + 1;
    return phases > 2 ? phases : 2;
}
