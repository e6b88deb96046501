#include "renumber/partition.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "renumber/chains.h"
#include "renumber/metis.h"
#include "renumber/refine.h"

/* Refinement may visit each edge so many times, and so many edges whatever the
 * graph (a few milliseconds) or at most (a second). */
enum { REFINE_PASSES = 96, REFINE_LEAST = 2000000, REFINE_MOST = 100000000 };

/* Up to so many edge ends the best partition is disturbed, by a few exchanges anywhere, and refined again: where sizes
 * differ so many times, else while fewer edges were visited: up to 100 ranks in about as long as all the rest takes. */
enum {
    KICK_EDGES = 16384,
    KICKS = 16,
    KICKS_EQUAL = 64,
    KICK_SWAPS = 5,
    KICK_EFFORT = 55000,
    KICK_EFFORT_MORE = 275000
};
enum { FEW_VERTICES = 100 };

/* Parts of one size have closed forms and refinements as good as METIS's, unless they are few. There, and where sizes
 * differ, METIS is asked, too, which takes about as long as all the rest: up to so many parts, with more than
 * FEW_VERTICES up to so many, and up to KICK_EDGES. Where sizes differ up to so many edge ends, some 5,000 ranks: some
 * partitions of uneven nodes are better then. */
enum { METIS_PARTS = 4, METIS_PARTS_MORE = 16, METIS_EDGES = 131072 };

/* Above so many edge ends one partition alone is refined: partitions are near each
 * other there, and a second refinement would take as long as all the rest. */
enum { REFINE_ALL = 1000000 };

/* Forms are ranked by the edges of so many vertices at most. */
enum { SAMPLE = 8192 };

/* What is refined: the best of each way to cut chains, and the best other closed form. */
enum { CANDIDATES = TOPO_CHAIN_FORMS + 1 };

enum closed_form { FORM_BIT_REVERSED, FORM_MODULO, FORM_BLOCKS, FORMS };

struct candidate {
    int64_t cut; /* as sampled; -1: there is none */
    int form;    /* enum topo_chain_form, or, where step is 0, enum closed_form */
    int step;    /* of the chains */
};

struct search {
    const struct topo_graph *graph;
    int parts;
    const int *sizes;
    int64_t bound;
    int64_t visited; /* edges, by refinements */
    int *part;       /* [vertices] the best so far */
    int64_t cut;     /* of it; -1 = none yet */
    int *trial;      /* [vertices] */
    int *by_size;    /* [parts] parts by descending size, then by number */
    int *scratch;    /* [2 * parts] */
    struct topo_chains chains;
    struct candidate candidate[CANDIDATES];
};

void topo_partition_bit_reversed(int n, int *order)
{
    int bits = topo_graph_steps(TOPO_GRAPH_BRUCK, n), count = 0;
    unsigned reversed = 0;
    for (unsigned i = 0; i < 1u << bits; i++) {
        if (reversed < (unsigned)n)
            order[count++] = (int)reversed;
        /* Adds 1 from the top bit downwards. */
        unsigned bit = bits ? 1u << (bits - 1) : 0;
        while (reversed & bit) {
            reversed ^= bit;
            bit >>= 1;
        }
        reversed |= bit;
    }
}

/* Keeps trial[] when it is the best so far; its cut. */
static int64_t consider(struct search *search)
{
    int64_t cut = topo_partition_cut(search->graph, search->trial);
    if (search->cut < 0 || cut < search->cut) {
        search->cut = cut;
        memcpy(search->part, search->trial, (size_t)search->graph->vertices * sizeof *search->part);
    }
    return cut;
}

static bool done(const struct search *search)
{
    return search->cut >= 0 && search->cut <= search->bound;
}

static bool is_small(const struct search *search)
{
    return search->graph->row[search->graph->vertices] <= REFINE_ALL;
}

static enum topo_status refine_trial(struct search *search, bool climb, struct topo_error *error)
{
    int64_t effort = REFINE_PASSES * search->graph->row[search->graph->vertices] + REFINE_LEAST;
    effort = effort < REFINE_MOST ? effort : REFINE_MOST;
    int64_t left = effort;
    enum topo_status status = topo_partition_refine(search->graph, search->parts, search->trial, climb, &left, error);
    search->visited += effort - left;
    return status;
}

/* -- closed forms ---------------------------------------------------------- */

/* Whether all parts are of one size. */
static bool is_equal(const struct search *search)
{
    return search->sizes[search->by_size[0]] == search->sizes[search->by_size[search->parts - 1]];
}

/* Fills trial[] with a closed form; false when it does not exist for these sizes. */
static bool closed_form(struct search *search, enum closed_form form)
{
    int n = search->graph->vertices, parts = search->parts;
    if (form != FORM_BIT_REVERSED && !is_equal(search))
        return false;
    if (form == FORM_BIT_REVERSED) {
        /* Larger parts first, so that powers of two lie where they are classes. */
        int *order = search->chains.vertex; /* free at this time */
        topo_partition_bit_reversed(n, order);
        for (int i = 0, at = 0; i < parts; i++)
            for (int k = 0; k < search->sizes[search->by_size[i]]; k++)
                search->trial[order[at++]] = search->by_size[i];
        return true;
    }
    for (int v = 0; v < n; v++)
        search->trial[v] = form == FORM_MODULO ? v % parts : v / (n / parts);
    return true;
}

/* Fills trial[] from chains[], which are those of the step. */
static enum topo_status place_chains(struct search *search, enum topo_chain_form form)
{
    return topo_chains_place(search->graph, &search->chains, form, search->parts, search->sizes, search->by_size,
                             search->scratch, search->trial);
}

/* Ranks trial[] among those of one candidate. */
static void propose(struct search *search, int candidate, int form, int step)
{
    struct candidate *best = &search->candidate[candidate];
    int stride = search->graph->vertices / SAMPLE + 1;
    int64_t cut = stride == 1 ? consider(search) : topo_partition_cut_of(search->graph, search->trial, stride);
    if (best->cut < 0 || cut < best->cut)
        *best = (struct candidate){cut, form, step};
}

/* Fills trial[] with a candidate. */
static enum topo_status replay(struct search *search, const struct candidate *candidate)
{
    if (!candidate->step) {
        closed_form(search, candidate->form);
        return TOPO_OK;
    }
    topo_chains_fill(search->graph, candidate->step, &search->chains);
    return place_chains(search, candidate->form);
}

/* Finds the candidates; part[] becomes the best of them. */
static enum topo_status closed_forms(struct search *search)
{
    enum topo_status status = TOPO_OK;
    for (int i = 0; i < CANDIDATES; i++)
        search->candidate[i].cut = -1;
    for (int form = 0; form < FORMS && !done(search); form++)
        if (closed_form(search, form))
            propose(search, CANDIDATES - 1, form, 0);
    for (int step = 1; step > 0 && step < search->graph->numbers && !done(search); step *= 2) {
        topo_chains_fill(search->graph, step, &search->chains);
        for (int form = 0; form < TOPO_CHAIN_FORMS && !done(search); form++) {
            /* Repairing takes longest. */
            if (form == TOPO_CHAINS_REPAIR && !is_small(search))
                continue;
            status = place_chains(search, form);
            if (status != TOPO_OK)
                return status;
            propose(search, form, form, step);
        }
    }
    for (int i = 0; i < CANDIDATES && status == TOPO_OK && search->cut < 0; i++)
        if (search->candidate[i].cut >= 0) {
            status = replay(search, &search->candidate[i]);
            consider(search);
        }
    return status;
}

static void start_from_best(struct search *search)
{
    memcpy(search->trial, search->part, (size_t)search->graph->vertices * sizeof *search->trial);
}

/* A random number of 0 .. n-1, the same everywhere. */
static int draw(uint64_t *state, int n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)((*state >> 33) % (unsigned)n);
}

/* Disturbs the best partition and refines it, again and again. */
static enum topo_status kick(struct search *search, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    int n = search->graph->vertices;
    uint64_t state = 1;
    bool equal = is_equal(search);
    int64_t most = n > FEW_VERTICES ? KICK_EFFORT_MORE : KICK_EFFORT;
    for (int i = 0; i < (equal ? KICKS_EQUAL : KICKS) && (!equal || search->visited < most); i++) {
        if (status != TOPO_OK || done(search))
            break;
        start_from_best(search);
        for (int k = 0; k < KICK_SWAPS; k++) {
            int a = draw(&state, n), b = draw(&state, n), part = search->trial[a];
            search->trial[a] = search->trial[b];
            search->trial[b] = part;
        }
        status = refine_trial(search, false, error);
        if (status == TOPO_OK)
            consider(search);
    }
    return status;
}

/* METIS's partition, exact and refined. */
static enum topo_status consider_metis(struct search *search, struct topo_error *error)
{
    enum topo_status status =
        topo_metis_partition(search->graph, search->parts, search->sizes, -1, search->trial, error);
    if (status == TOPO_OK)
        status = topo_partition_repair(search->graph, search->parts, search->sizes, search->trial, error);
    if (status == TOPO_OK)
        status = refine_trial(search, false, error);
    if (status == TOPO_OK)
        status = refine_trial(search, true, error);
    if (status == TOPO_OK)
        consider(search);
    return status;
}

static bool asks_metis(const struct search *search)
{
    int64_t ends = search->graph->row[search->graph->vertices];
    if (!is_equal(search))
        return ends <= METIS_EDGES;
    return ends <= KICK_EDGES && (search->parts <= METIS_PARTS ||
                                  (search->graph->vertices > FEW_VERTICES && search->parts <= METIS_PARTS_MORE));
}

/* Short passes for every candidate, the climbing ones, several times dearer, for the best. */
static enum topo_status refine_closed_forms(struct search *search, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    if (is_small(search)) {
        for (int i = 0; i < CANDIDATES && status == TOPO_OK && !done(search); i++) {
            bool known = search->candidate[i].cut < 0;
            for (int k = 0; k < i && !known; k++)
                known = search->candidate[k].cut == search->candidate[i].cut;
            if (known)
                continue;
            status = replay(search, &search->candidate[i]);
            if (status == TOPO_OK)
                status = refine_trial(search, false, error);
            if (status == TOPO_OK)
                consider(search);
        }
    }
    if (status != TOPO_OK || done(search))
        return status;
    start_from_best(search);
    status = refine_trial(search, is_small(search), error);
    if (status == TOPO_OK)
        consider(search);
    bool few = search->graph->row[search->graph->vertices] <= KICK_EDGES;
    if (status == TOPO_OK && !done(search) && asks_metis(search))
        status = consider_metis(search, error);
    if (status == TOPO_UNSUPPORTED) /* there is none */
        status = TOPO_OK;
    if (status == TOPO_OK && few)
        status = kick(search, error);
    return status;
}

/* Parts by descending size, then by number (counting sort). */
static enum topo_status sort_by_size(const struct search *search)
{
    int n = search->graph->vertices, *by_size = search->by_size;
    TOPO_SCOPED int *start = topo_calloc((size_t)n + 2, sizeof *start);
    if (!start)
        return TOPO_NOMEM;
    for (int p = 0; p < search->parts; p++)
        start[n - search->sizes[p] + 1]++;
    for (int i = 1; i <= n; i++)
        start[i] += start[i - 1];
    for (int p = 0; p < search->parts; p++)
        by_size[start[n - search->sizes[p]]++] = p;
    return TOPO_OK;
}

/* Renames parts of equal size so that they ascend by their lowest vertex. */
static void rename_parts(struct search *search)
{
    /* Parts of one size are a run in by_size[]; name[p] is -1 - the start of p's
     * run until a vertex of p is seen, then the name it got there. */
    int parts = search->parts, n = search->graph->vertices;
    const int *by_size = search->by_size;
    int *next = search->scratch; /* [parts]: by the run's first place, the names given out */
    int *name = search->scratch + parts;
    for (int i = 0, first = 0; i < parts; i++) {
        if (search->sizes[by_size[i]] != search->sizes[by_size[first]])
            first = i;
        name[by_size[i]] = -1 - first;
        next[i] = i;
    }
    for (int v = 0; v < n; v++) {
        int p = search->part[v];
        if (name[p] < 0)
            name[p] = by_size[next[-1 - name[p]]++];
        search->part[v] = name[p];
    }
}

static enum topo_status check_sizes(const struct search *search, struct topo_error *error)
{
    int64_t sum = 0;
    for (int p = 0; p < search->parts; p++) {
        if (search->sizes[p] < 1)
            return topo_fail(error, TOPO_INVALID, "partition: part %d is to hold %d vertices; at least 1 is needed", p,
                             search->sizes[p]);
        sum += search->sizes[p];
    }
    if (sum != search->graph->vertices)
        return topo_fail(error, TOPO_INVALID, "partition: the sizes sum up to %lld, not to %d vertices", (long long)sum,
                         search->graph->vertices);
    return TOPO_OK;
}

/* Fills part[] and cut with the best partition found. */
static enum topo_status run_search(struct search *search, enum topo_partitioner partitioner, struct topo_error *error)
{
    bool any = search->parts == 1 || search->sizes[search->by_size[0]] == 1; /* all partitions have the same cut */
    if (partitioner == TOPO_PARTITIONER_METIS && !any)
        return consider_metis(search, error);
    if (closed_forms(search) != TOPO_OK)
        return topo_fail(error, TOPO_NOMEM, "partition of %d vertices: out of memory", search->graph->vertices);
    if (any || done(search) || partitioner == TOPO_PARTITIONER_CLOSED_FORM)
        return TOPO_OK;
    return refine_closed_forms(search, error);
}

enum topo_status topo_partition(const struct topo_graph *graph, enum topo_partitioner partitioner, int parts,
                                const int *sizes, const int *start, int64_t bound, int *part, struct topo_error *error)
{
    struct search search = {.graph = graph, .parts = parts, .sizes = sizes, .bound = bound, .part = part, .cut = -1};
    size_t n = (size_t)graph->vertices;
    enum topo_status status = check_sizes(&search, error);
    if (status != TOPO_OK)
        return status;
    if (partitioner == TOPO_PARTITIONER_METIS)
        start = NULL;
    if (start && topo_partition_cut(graph, start) <= bound) {
        memcpy(part, start, n * sizeof *part);
        return TOPO_OK;
    }
    search.by_size = topo_alloc((size_t)parts, sizeof *search.by_size);
    search.scratch = topo_alloc((size_t)parts * 2, sizeof *search.scratch);
    search.trial = topo_alloc(n, sizeof *search.trial);
    if (topo_chains_new(graph, &search.chains) != TOPO_OK || !search.by_size || !search.scratch || !search.trial ||
        sort_by_size(&search) != TOPO_OK) {
        status = topo_fail(error, TOPO_NOMEM, "partition of %d vertices: out of memory", graph->vertices);
        goto out;
    }
    status = run_search(&search, partitioner, error);
    if (status != TOPO_OK)
        goto out;
    if (start && topo_partition_cut(graph, start) <= search.cut)
        memcpy(part, start, n * sizeof *part);
    else
        rename_parts(&search);
out:
    topo_chains_free(&search.chains);
    topo_free_all(search.by_size, search.scratch, search.trial);
    return status;
}
