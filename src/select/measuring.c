#include "select/measuring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pairs ---------------------------------------------------------------------------------------------------------
 */

/* The unit of `level` in place i of the tree order; level -1: the root, level `levels`: the rank. */
static int unit_at(const struct topo_tree *tree, int level, int i)
{
    if (level < 0)
        return 0;
    return level < tree->levels ? topo_tree_unit(tree, level, topo_tree_rank(tree, i)) : i;
}

/* The place behind the unit of `level` that place i is in. */
static int unit_end(const struct topo_tree *tree, int level, int i)
{
    int unit = unit_at(tree, level, i);
    while (i < tree->ranks && unit_at(tree, level, i) == unit)
        i++;
    return i;
}

/* Two units of one parent: places [begin, middle) and [middle, end). */
struct neighbours {
    int begin, middle, end;
    bool new_parent; /* they are the first of theirs */
};

/* The next two units behind neighbours->end; false: there are no more. */
static bool next_neighbours(const struct topo_tree *tree, int shared, struct neighbours *at)
{
    bool fresh = at->end == 0;
    for (int begin = at->end; begin < tree->ranks;) {
        int middle = unit_end(tree, shared, begin);
        fresh = fresh || unit_at(tree, shared - 1, begin) != unit_at(tree, shared - 1, begin - 1);
        if (middle < tree->ranks && unit_at(tree, shared - 1, middle) == unit_at(tree, shared - 1, begin)) {
            *at = (struct neighbours){begin, middle, unit_end(tree, shared, middle), fresh};
            return true;
        }
        begin = middle; /* a unit alone */
    }
    return false;
}

static int pairs_of(const struct neighbours *at)
{
    int first = at->middle - at->begin, second = at->end - at->middle;
    return first < second ? first : second;
}

struct topo_pairing topo_pairing_of(const struct topo_tree *tree, int shared)
{
    struct topo_pairing pairing = {.first = -1, .second = -1};
    struct neighbours at = {0};
    int here = 0;
    while (next_neighbours(tree, shared, &at)) {
        int pairs = pairs_of(&at);
        if (pairing.pairs == 0) {
            pairing.first = topo_tree_rank(tree, at.begin);
            pairing.second = topo_tree_rank(tree, at.middle);
        }
        here = (at.new_parent ? 0 : here) + pairs;
        pairing.pairs += pairs;
        pairing.of_unit = pairs > pairing.of_unit ? pairs : pairing.of_unit;
        pairing.of_parent = here > pairing.of_parent ? here : pairing.of_parent;
    }
    return pairing;
}

int topo_pairing_partner(const struct topo_tree *tree, int shared, int rank)
{
    struct neighbours at = {0};
    while (next_neighbours(tree, shared, &at))
        for (int i = 0; i < pairs_of(&at); i++) {
            int one = topo_tree_rank(tree, at.begin + i), other = topo_tree_rank(tree, at.middle + i);
            if (one == rank || other == rank)
                return one == rank ? other : one;
        }
    return -1;
}

/* ---- probes --------------------------------------------------------------------------------------------------------
 */

enum { MIDDLE = TOPO_CROWD_MIDDLE, LONG = TOPO_CROWD_LONG, ROUGH = 4096, PINGS = 3, LOOKS = 100, QUARTER = 4 };

/* Seconds that a probe is to take, as far as that can be steered. */
static const double ping_time = 8e-4, crowd_time = 2e-3, link_time = 8e-3, local_time = 1e-3;
/* One of which a single batch would take longer is left out. */
static const double longest_batch = 3e-3;

/* One that is not to run. */
static const struct topo_probe passed_over = {.limit = INFINITY};

static struct topo_probe ping(struct topo_findings *found, int shared, size_t bytes)
{
    struct topo_level_findings *level = &found->level[shared];
    return (struct topo_probe){.kind = TOPO_PROBE_PING,
                               .shared = shared,
                               .messages = 1,
                               .bytes = bytes,
                               .times = 60,
                               .limit = ping_time,
                               .into = {bytes == 1 ? &level->shortest : &level->longest}};
}

/* Number `at` of the pings of a level. Outside nodes ROUGH bytes come first, as the link may be slow; where they take
 * little longer than one, what that says is noise. */
static struct topo_probe ping_at(struct topo_findings *found, const struct topo_tree *tree, int shared, int at)
{
    const struct topo_level_findings *level = &found->level[shared];
    if (at == 0)
        return ping(found, shared, 1);
    if (shared > topo_tree_node_level(tree))
        return at == 1 ? ping(found, shared, LONG) : passed_over;
    bool clear = level->longest > 1.5 * level->shortest;
    return at == 1 ? ping(found, shared, ROUGH) : clear ? passed_over : ping(found, shared, LONG);
}

/* Seconds a byte between two ranks alone, as far as it matters how long probes take; 0: not known. Where long messages
 * seem to take as long as short ones, what they take longer is at most what these differ by. */
static double byte_alone(const struct topo_level_findings *level)
{
    double longer = level->longest - level->shortest, noise = level->shortest / 4;
    return level->bytes > 0 && level->longest > 0 ? (longer > noise ? longer : noise) / level->bytes : 0;
}

/* The start of an exchange of all pairs; at first a guess: ranks that share processors take turns. */
static double start_of(const struct topo_findings *found, const struct topo_tree *tree, int shared)
{
    double cores = topo_sharing_processors(&found->sharing, tree->units[topo_tree_node_level(tree)]);
    return found->level[shared].crowd_shortest > 0
               ? found->level[shared].crowd_shortest
               : found->level[shared].shortest * (cores > 0 ? 2 * tree->ranks / cores : 4);
}

/* Exchanges of all pairs of about `one` seconds each, so many in a batch that all batches take about `time`. */
static struct topo_probe crowd(int shared, size_t bytes, int messages, double one, double time, int most, double *into)
{
    double fit = one > 0 ? time / (TOPO_PROBE_BATCHES * one) : most;
    int times = fit < 1 ? 1 : fit > most ? most : (int)fit;
    return (struct topo_probe){.kind = TOPO_PROBE_CROWD,
                               .shared = shared,
                               .messages = messages,
                               .bytes = bytes,
                               .times = times,
                               .limit = (1 + TOPO_PROBE_BATCHES * times) * one, /* the first one is not timed */
                               .into = {into}};
}

/* The same, of messages whose bytes cost what they cost two ranks alone. */
static struct topo_probe crowd_of(struct topo_findings *found, const struct topo_tree *tree, int shared, size_t bytes,
                                  int messages, double *into)
{
    enum { MOST = 16 };
    const struct topo_level_findings *level = &found->level[shared];
    double many = shared <= topo_tree_node_level(tree) ? level->pairs_of_unit : 1;
    double one = start_of(found, tree, shared) * (bytes == 1 ? messages : 1) +
                 many * byte_alone(level) * (double)bytes * messages;
    return crowd(shared, bytes, messages, one, crowd_time, MOST, into);
}

/* So many bytes of all pairs that a batch takes its share of link_time, or a quarter of them: what more bytes take is
 * the link's, whatever the start and the last packet's way cost. Messages are short enough for MPI to send without
 * asking, or the answers would queue behind the bytes that go their way. What the quarter took says what all of them
 * will, as two ranks alone may have gone by what a link had saved up; where that is too long the quarter has to do. */
static struct topo_probe link_filled(struct topo_findings *found, const struct topo_tree *tree, int shared,
                                     bool quarter)
{
    enum { MOST = 2, LEAST_BYTES = 1024 };
    struct topo_level_findings *level = &found->level[shared];
    double each = byte_alone(level) * level->pairs_of_unit; /* seconds for a byte of every pair */
    if (each <= 0)
        return passed_over;
    double bytes = link_time / TOPO_PROBE_BATCHES / each, messages = bytes / LONG,
           start = start_of(found, tree, shared);
    messages = messages < 1 ? 1 : messages > TOPO_PROBE_MESSAGES ? TOPO_PROBE_MESSAGES : floor(messages);
    bytes = bytes / messages > LONG ? LONG : bytes / messages < LEAST_BYTES ? LEAST_BYTES : floor(bytes / messages);
    double one = start + each * bytes * messages / (quarter ? QUARTER : 1);
    if (!quarter && level->quarter > start)
        one = start + QUARTER * (level->quarter - start);
    return crowd(shared, (size_t)bytes / (quarter ? QUARTER : 1), (int)messages, one, link_time, MOST,
                 quarter ? &level->quarter : &level->both);
}

/* Probe number `at` of those of one level with pairs; false: it has no more. Outside nodes the link; where processors
 * are shared, what messages cost them; else, inside nodes, what the memory carries. */
static bool probe_of_crowd(struct topo_findings *found, const struct topo_tree *tree, int shared, int at,
                           struct topo_probe *probe)
{
    struct topo_level_findings *level = &found->level[shared];
    const bool outside = shared <= topo_tree_node_level(tree);
    if (!outside && !found->sharing.processors) {
        *probe = crowd_of(found, tree, shared, LONG, 1, &level->in);
        return at == 0;
    }
    switch (at + (!outside && at > 0 ? 2 : 0)) {
    case 0: *probe = crowd_of(found, tree, shared, 1, 1, &level->crowd_shortest); return true;
    case 1: *probe = link_filled(found, tree, shared, true); return true;
    case 2: *probe = level->quarter > 0 ? link_filled(found, tree, shared, false) : passed_over; return true;
    case 3: *probe = crowd_of(found, tree, shared, 1, TOPO_CROWD_SEVERAL, &level->crowd_several); break;
    case 4: *probe = crowd_of(found, tree, shared, MIDDLE, 1, &level->crowd_middle); break;
    case 5: *probe = crowd_of(found, tree, shared, LONG, 1, &level->crowd_longest); break;
    default: return false;
    }
    return found->sharing.processors > 0;
}

static bool has_pairs(struct topo_findings *found, const struct topo_tree *tree, int shared)
{
    struct topo_level_findings *level = &found->level[shared];
    if (level->pairs == 0) {
        struct topo_pairing pairing = topo_pairing_of(tree, shared);
        level->pairs = pairing.pairs;
        level->pairs_of_unit = shared <= topo_tree_node_level(tree) ? pairing.of_unit : pairing.of_parent;
    }
    return level->pairs > 0;
}

/* The level that comes at place `i` of all: the node's first, then outside it, then inside. */
static int level_at(const struct topo_tree *tree, int i)
{
    int node = topo_tree_node_level(tree);
    return i == 0 ? node : i <= node ? node - i : i;
}

/* Probe number `at`; false: there is none. */
static bool probe_at(struct topo_findings *found, const struct topo_tree *tree, int at, struct topo_probe *probe)
{
    for (int i = 0; i <= tree->levels; i++) {
        int shared = level_at(tree, i);
        if (!has_pairs(found, tree, shared))
            continue;
        if (at < PINGS) {
            *probe = ping_at(found, tree, shared, at);
            return true;
        }
        at -= PINGS;
    }
    if (at-- == 0) {
        *probe = (struct topo_probe){
            .kind = TOPO_PROBE_LOCAL, .limit = local_time, .into = {&found->copy, &found->add, &found->message}};
        return true;
    }
    for (int i = 0; i <= tree->levels; i++) {
        int shared = level_at(tree, i);
        for (int step = 0; has_pairs(found, tree, shared) && probe_of_crowd(found, tree, shared, step, probe); step++)
            if (at-- == 0)
                return true;
    }
    *probe = (struct topo_probe){.kind = TOPO_PROBE_LOOKS, .limit = 2e-3, .times = LOOKS, .into = {&found->turn}};
    return at == 0 && found->sharing.processors > 0;
}

bool topo_measuring_probe(struct topo_measuring *measuring, const struct topo_tree *tree, struct topo_probe *probe)
{
    while (probe_at(&measuring->found, tree, measuring->at, probe)) {
        if (probe->limit <= (1 + TOPO_PROBE_BATCHES) * longest_batch)
            return true;
        measuring->at++;
    }
    return false;
}

/* ---- what they found -----------------------------------------------------------------------------------------------
 */

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The second shortest: interruptions make batches long; but the first one may be helped by what links saved up. */
static double typical(const double values[TOPO_PROBE_BATCHES])
{
    double sorted[TOPO_PROBE_BATCHES];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, TOPO_PROBE_BATCHES, sizeof *sorted, ascending);
    return sorted[1];
}

/* Bytes a second; `known` where the seconds say nothing. */
static double rate_of(double bytes, double seconds, double known)
{
    return seconds > 0 ? bytes / seconds : known;
}

void topo_measuring_add(struct topo_measuring *measuring, const struct topo_tree *tree, const struct topo_probe *probe,
                        const double values[TOPO_PROBE_VALUES])
{
    struct topo_findings *found = &measuring->found;
    struct topo_level_findings *level = &found->level[probe->shared];
    double bytes = (double)probe->bytes * probe->messages, seconds;
    measuring->at++;
    switch (probe->kind) {
    case TOPO_PROBE_PING:
        *probe->into[0] = values[0];
        if (probe->bytes > 1)
            level->bytes = bytes - 1;
        break;
    case TOPO_PROBE_CROWD:
        seconds = typical(values);
        if (probe->into[0] == &level->quarter) {
            level->quarter = seconds;
            level->both = rate_of(bytes * level->pairs_of_unit, seconds - level->crowd_shortest, level->both);
        } else if (probe->into[0] == &level->both) {
            bytes -= (double)(probe->bytes / QUARTER) * probe->messages;
            level->both = rate_of(bytes * level->pairs_of_unit, seconds - level->quarter, level->both);
        } else if (probe->into[0] == &level->in) {
            /* Without what the start takes; both directions count. */
            seconds -= 2 * level->shortest;
            level->in = seconds > 0 ? 2 * bytes * level->pairs_of_unit / seconds : 0;
        } else {
            *probe->into[0] = seconds;
        }
        break;
    case TOPO_PROBE_LOCAL:
    case TOPO_PROBE_LOOKS:
        for (int i = 0; i < 3 && probe->into[i]; i++)
            *probe->into[i] = values[i];
        if (probe->kind == TOPO_PROBE_LOOKS) /* of a processor, not of the rank, which waits for its turn */
            found->turn *=
                topo_sharing_processors(&found->sharing, tree->units[topo_tree_node_level(tree)]) / tree->ranks;
        break;
    }
}

enum topo_measuring_word topo_measuring_says(struct topo_measuring *measuring, const struct topo_tree *tree,
                                             double elapsed, double spent)
{
    struct topo_probe probe;
    if (!topo_measuring_probe(measuring, tree, &probe))
        return TOPO_MEASURING_ENDS;
    if (measuring->at == 0 && elapsed < TOPO_MEASURING_LEAST)
        return TOPO_MEASURING_WAITS;
    /* Estimates are of a machine that nobody knows; what ranks that sleep come late by comes on top. */
    double estimate = spent + 1.5 * probe.limit + 3e-4;
    if (estimate > TOPO_MEASURING_MOST)
        return TOPO_MEASURING_ENDS;
    return estimate > TOPO_MEASURING_SHARE * elapsed ? TOPO_MEASURING_WAITS : TOPO_MEASURING_MEASURES;
}

bool topo_measuring_suffices(const struct topo_measuring *measuring, const struct topo_tree *tree)
{
    const struct topo_level_findings *node = &measuring->found.level[topo_tree_node_level(tree)];
    return node->shortest > 0 && (node->both > 0 || node->longest > node->shortest);
}

bool topo_measuring_asks(struct topo_measuring_pace *pace)
{
    enum { FIRST = 8 };
    if (pace->next == 0)
        pace->next = FIRST;
    if (++pace->calls < pace->next)
        return false;
    pace->next = pace->calls + pace->calls / 2;
    return true;
}
