#include "renumber/partition.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "renumber/metis.h"
#include "renumber/refine.h"

/* Seeds METIS is started with, as many as METIS_WORK allows: its cuts differ by a
 * few per cent on small graphs, where another start costs little. -1 is its default. */
static const int seeds[] = {-1, 0};
enum { SEEDS = sizeof seeds / sizeof *seeds };
enum { METIS_WORK = 4096 }; /* edge ends for all starts after the first */

/* Refinement may visit each edge so many times, and in any case so many edges
 * (a few milliseconds). */
enum { REFINE_ROUNDS = 96, REFINE_LEAST = 2000000 };

/* Above so many edge ends METIS's start alone is refined: a closed form never
 * comes near it there, and the second refinement would take as long as METIS. */
enum { REFINE_BOTH = 1000000 };

struct search {
    const struct topo_graph *graph;
    int parts;
    const int *sizes;
    int64_t bound;
    int *part;      /* [vertices] the best so far */
    int64_t cut;    /* of it; -1 = none yet */
    int *trial;     /* [vertices] */
    int *unrefined; /* [vertices] the best closed form */
    int64_t unrefined_cut;
    int unrefined_form;
};

void topo_partition_bit_reversed(int n, int *order)
{
    int bits = topo_graph_steps(n), count = 0;
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

/* Keeps trial[] when it is the best so far. */
static void consider(struct search *search)
{
    int64_t cut = topo_partition_cut(search->graph, search->trial);
    if (search->cut >= 0 && cut >= search->cut)
        return;
    search->cut = cut;
    memcpy(search->part, search->trial, (size_t)search->graph->vertices * sizeof *search->part);
}

static bool done(const struct search *search)
{
    return search->cut >= 0 && search->cut <= search->bound;
}

static enum topo_status refine_trial(struct search *search, struct topo_error *error)
{
    int64_t effort = REFINE_ROUNDS * search->graph->row[search->graph->vertices] + REFINE_LEAST;
    enum topo_status status = topo_partition_refine(search->graph, search->parts, search->trial, effort, error);
    if (status == TOPO_OK)
        consider(search);
    return status;
}

enum closed_form { FORM_BIT_REVERSED, FORM_MODULO, FORM_BLOCKS, FORMS };

/* Fills trial[] with a closed form; false when it does not exist for these sizes. */
static bool closed_form(struct search *search, enum closed_form form, const int *by_size)
{
    int n = search->graph->vertices, parts = search->parts;
    bool equal = search->sizes[by_size[0]] == search->sizes[by_size[parts - 1]];
    if (form != FORM_BIT_REVERSED && !equal)
        return false;
    if (form == FORM_BIT_REVERSED) {
        /* Larger parts first, so that powers of two lie where they are classes. */
        int *order = search->unrefined; /* free at this time */
        topo_partition_bit_reversed(n, order);
        for (int i = 0, at = 0; i < parts; i++)
            for (int k = 0; k < search->sizes[by_size[i]]; k++)
                search->trial[order[at++]] = by_size[i];
        return true;
    }
    for (int v = 0; v < n; v++)
        search->trial[v] = form == FORM_MODULO ? v % parts : v / (n / parts);
    return true;
}

/* The closed forms as they are. The best one stays in unrefined[]. */
static void closed_forms(struct search *search, const int *by_size)
{
    size_t bytes = (size_t)search->graph->vertices * sizeof *search->trial;
    search->unrefined_form = -1;
    for (int form = 0; form < FORMS && !done(search); form++) {
        if (!closed_form(search, form, by_size))
            continue;
        int64_t cut = topo_partition_cut(search->graph, search->trial);
        if (search->unrefined_form < 0 || cut < search->unrefined_cut) {
            search->unrefined_form = form;
            search->unrefined_cut = cut;
        }
        consider(search);
    }
    if (done(search))
        return;
    closed_form(search, search->unrefined_form, by_size);
    memcpy(search->unrefined, search->trial, bytes);
}

/* METIS's partitions, exact and refined. TOPO_UNSUPPORTED when there is none. */
static enum topo_status metis_starts(struct search *search, struct topo_error *error)
{
    int64_t edges = search->graph->row[search->graph->vertices];
    for (int i = 0; i < SEEDS && !done(search); i++) {
        if (i > 0 && (i + 1) * edges > METIS_WORK)
            break;
        enum topo_status status =
            topo_metis_partition(search->graph, search->parts, search->sizes, seeds[i], search->trial, error);
        if (status == TOPO_OK)
            status = topo_partition_repair(search->graph, search->parts, search->sizes, search->trial, error);
        if (status == TOPO_OK)
            status = refine_trial(search, error);
        if (status != TOPO_OK)
            return status;
    }
    return TOPO_OK;
}

static enum topo_status refine_closed_forms(struct search *search, const int *by_size, bool all,
                                            struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    memcpy(search->trial, search->unrefined, (size_t)search->graph->vertices * sizeof *search->trial);
    if (!done(search))
        status = refine_trial(search, error);
    for (int form = 0; all && form < FORMS && status == TOPO_OK && !done(search); form++)
        if (form != search->unrefined_form && closed_form(search, form, by_size))
            status = refine_trial(search, error);
    return status;
}

/* Parts by descending size, then by number (counting sort). */
static enum topo_status sort_by_size(const struct search *search, int *by_size)
{
    int n = search->graph->vertices;
    int *start = topo_calloc((size_t)n + 2, sizeof *start);
    if (!start)
        return TOPO_NOMEM;
    for (int p = 0; p < search->parts; p++)
        start[n - search->sizes[p] + 1]++;
    for (int i = 1; i <= n; i++)
        start[i] += start[i - 1];
    for (int p = 0; p < search->parts; p++)
        by_size[start[n - search->sizes[p]]++] = p;
    topo_free(start);
    return TOPO_OK;
}

/* Renames parts of equal size so that they ascend by their lowest vertex. */
static void rename_parts(struct search *search, const int *by_size, int *rank_of, int *name)
{
    /* Parts of one size are a run in by_size[]; rank_of[p] is the start of p's
     * run until a vertex of p is seen, then the name it got there. */
    int parts = search->parts, n = search->graph->vertices;
    int *next = rank_of; /* [parts]: by the run's first place, the names given out */
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
static enum topo_status run_search(struct search *search, const int *by_size, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    closed_forms(search, by_size);
    if (done(search) || search->parts == 1 || search->sizes[by_size[0]] == 1)
        return TOPO_OK; /* one part, or parts of one vertex: all partitions have the same cut */
    status = metis_starts(search, error);
    if (status == TOPO_UNSUPPORTED || (status == TOPO_OK && search->graph->row[search->graph->vertices] < REFINE_BOTH))
        status = refine_closed_forms(search, by_size, status == TOPO_UNSUPPORTED, error);
    return status;
}

enum topo_status topo_partition(const struct topo_graph *graph, int parts, const int *sizes, const int *start,
                                int64_t bound, int *part, struct topo_error *error)
{
    struct search search = {.graph = graph, .parts = parts, .sizes = sizes, .bound = bound, .part = part, .cut = -1};
    size_t n = (size_t)graph->vertices;
    int *by_size = NULL, *scratch = NULL;
    enum topo_status status = check_sizes(&search, error);
    if (status != TOPO_OK)
        return status;
    if (start && topo_partition_cut(graph, start) <= bound) {
        memcpy(part, start, n * sizeof *part);
        return TOPO_OK;
    }
    by_size = topo_alloc((size_t)parts, sizeof *by_size);
    scratch = topo_alloc((size_t)parts * 2, sizeof *scratch);
    search.trial = topo_alloc(n, sizeof *search.trial);
    search.unrefined = topo_alloc(n, sizeof *search.unrefined);
    if (!by_size || !scratch || !search.trial || !search.unrefined || sort_by_size(&search, by_size) != TOPO_OK) {
        status = topo_fail(error, TOPO_NOMEM, "partition of %d vertices: out of memory", graph->vertices);
        goto out;
    }
    status = run_search(&search, by_size, error);
    if (status != TOPO_OK)
        goto out;
    if (start && topo_partition_cut(graph, start) <= search.cut)
        memcpy(part, start, n * sizeof *part);
    else
        rename_parts(&search, by_size, scratch, scratch + parts);
out:
    topo_free(by_size);
    topo_free(scratch);
    topo_free(search.trial);
    topo_free(search.unrefined);
    return status;
}
