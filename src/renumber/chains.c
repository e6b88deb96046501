#include "renumber/chains.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "renumber/partition.h"
#include "renumber/refine.h"

enum topo_status topo_chains_new(const struct topo_graph *graph, struct topo_chains *chains)
{
    size_t n = (size_t)graph->vertices;
    *chains = (struct topo_chains){0};
    chains->first = topo_alloc(n + 1, sizeof *chains->first);
    chains->vertex = topo_alloc(n, sizeof *chains->vertex);
    chains->order = topo_alloc(n, sizeof *chains->order);
    return chains->first && chains->vertex && chains->order ? TOPO_OK : TOPO_NOMEM;
}

void topo_chains_free(struct topo_chains *chains)
{
    topo_free_all(chains->first, chains->vertex, chains->order);
}

/* The vertex `step` numbers after v; -1 when the graph lacks it. */
static int next_vertex(const struct topo_graph *graph, int v, int step)
{
    int number = topo_graph_number(graph, v);
    number = number < graph->numbers - step ? number + step : number - (graph->numbers - step);
    if (!graph->number)
        return number;
    return (int)topo_search(graph->number, 0, graph->vertices, number);
}

/* Appends the chain that begins at v; taken[] marks its vertices. */
static int add_chain(const struct topo_graph *graph, int step, int v, int at, struct topo_chains *chains, int *taken)
{
    chains->first[chains->count++] = at;
    for (; v >= 0 && !taken[v]; v = next_vertex(graph, v, step)) {
        chains->vertex[at++] = v;
        taken[v] = true;
    }
    return at;
}

void topo_chains_fill(const struct topo_graph *graph, int step, struct topo_chains *chains)
{
    int n = graph->vertices, at = 0;
    int *taken = chains->order; /* free at this time */
    memset(taken, 0, (size_t)n * sizeof *taken);
    chains->count = 0;
    for (int v = 0; graph->number && v < n; v++)
        if (next_vertex(graph, v, graph->numbers - step) < 0)
            at = add_chain(graph, step, v, at, chains, taken);
    for (int v = 0; at < n; v++)
        if (!taken[v])
            at = add_chain(graph, step, v, at, chains, taken);
    chains->first[chains->count] = n;
    topo_partition_bit_reversed(chains->count, chains->order);
}

/* Where vertices are being put. */
struct filling {
    const struct topo_chains *chains;
    int parts;
    const int *sizes, *by_size;
    int *need; /* [parts + 1] vertices that a part still lacks */
    int *part; /* [vertices] `parts`: none yet */
    int at;    /* place in by_size[] */
    bool bit_reversed;
};

static int chain_at(const struct filling *filling, int i)
{
    return filling->bit_reversed ? filling->chains->order[i] : i;
}

static void put(struct filling *filling, int part, int first, int count)
{
    for (int i = first; i < first + count; i++)
        filling->part[filling->chains->vertex[i]] = part;
    filling->need[part] -= count;
}

/* Whole parts from one chain, or the whole chain into a part; the rest of it stays. */
static void put_parts(struct filling *filling, int first, int end)
{
    int begin = first;
    while (filling->at < filling->parts && first < end) {
        int part = filling->by_size[filling->at], need = filling->need[part], left = end - first;
        bool empty = need == filling->sizes[part];
        if (empty && left >= need) {
            put(filling, part, first, need);
            first += need;
        } else if (first == begin && left <= need) {
            put(filling, part, first, left);
            first = end;
        } else if (empty) {
            return;
        }
        if (first < end || !filling->need[part])
            filling->at++;
    }
}

/* What has no part yet goes into the gaps, chain by chain. */
static void put_rest(struct filling *filling)
{
    const struct topo_chains *chains = filling->chains;
    int at = 0;
    for (int c = 0; c < chains->count; c++) {
        int chain = chain_at(filling, c);
        for (int i = chains->first[chain]; i < chains->first[chain + 1]; i++) {
            if (filling->part[chains->vertex[i]] != filling->parts)
                continue;
            while (!filling->need[filling->by_size[at]])
                at++;
            put(filling, filling->by_size[at], i, 1);
        }
    }
}

enum topo_status topo_chains_place(const struct topo_graph *graph, const struct topo_chains *chains,
                                   enum topo_chain_form form, int parts, const int *sizes, const int *by_size,
                                   int *need, int *part)
{
    struct filling filling = {.chains = chains,
                              .parts = parts,
                              .sizes = sizes,
                              .by_size = by_size,
                              .need = need,
                              .part = part,
                              .bit_reversed = form == TOPO_CHAINS_CUT || form == TOPO_CHAINS_WHOLE};
    memcpy(need, sizes, (size_t)parts * sizeof *need);
    for (int v = 0; v < graph->vertices; v++)
        part[v] = parts;
    for (int c = 0; form != TOPO_CHAINS_CUT && c < chains->count; c++) {
        int chain = chain_at(&filling, c);
        put_parts(&filling, chains->first[chain], chains->first[chain + 1]);
    }
    if (form != TOPO_CHAINS_REPAIR) {
        put_rest(&filling);
        return TOPO_OK;
    }
    /* The rest is a part of its own that is to hold nothing. */
    memcpy(need, sizes, (size_t)parts * sizeof *need);
    need[parts] = 0;
    return topo_partition_repair(graph, parts + 1, need, part, NULL);
}
