#include "comm/renumbering.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "job/channel_calls.h"
#include "job/collect.h"
#include "job/job.h"
#include "renumber/mapping.h"

struct topo_renumbering {
    struct topo_renumbering *next;
    int users;
    enum topo_graph_kind graph;
    int ranks;
    struct topo_numbers pi, pi_inverse; /* [ranks]; NEIGHBOURS: empty */
    int number;                         /* NEIGHBOURS: of this rank */
    int pairs;                          /* NEIGHBOURS: in pair[] */
    int *pair;                          /* [2 * pairs] a number, and who plays it */
    int *key;                           /* the tree it was built for, packed */
    size_t key_ints;
};

enum { KEPT_UNUSED = 16 };

/* Most recently used first. The lock is held for look-ups only, never across a message. */
static struct topo_renumbering *renumberings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const struct topo_numbers *topo_renumbering_pi_inverse(const struct topo_renumbering *renumbering)
{
    return &renumbering->pi_inverse;
}

int topo_renumbering_number(const struct topo_renumbering *renumbering, int rank)
{
    return renumbering->pi.count ? topo_numbers_at(&renumbering->pi, rank) : renumbering->number;
}

int topo_renumbering_rank_at(const struct topo_renumbering *renumbering, int number)
{
    int i = 0;
    if (renumbering->pi_inverse.count)
        return topo_numbers_at(&renumbering->pi_inverse, number);
    while (i < renumbering->pairs - 1 && renumbering->pair[2 * i] != number)
        i++;
    return renumbering->pair[2 * i + 1];
}

size_t topo_renumbering_bytes(const struct topo_renumbering *renumbering)
{
    return sizeof *renumbering + topo_numbers_bytes(&renumbering->pi) + topo_numbers_bytes(&renumbering->pi_inverse) +
           ((renumbering->key ? renumbering->key_ints : 0) + 2 * (size_t)renumbering->pairs) * sizeof(int);
}

static void free_renumbering(struct topo_renumbering *renumbering)
{
    topo_numbers_free(&renumbering->pi);
    topo_numbers_free(&renumbering->pi_inverse);
    topo_free_all(renumbering->key, renumbering->pair, renumbering);
}

/* Room for `count` numbers; false: memory is out. */
static bool make_room(struct topo_numbers *numbers, int count)
{
    int *table = topo_alloc((size_t)count, sizeof *table);
    if (table)
        topo_numbers_take(numbers, table, count);
    return table != NULL;
}

/* A renumbering for `tree` with room for both tables, one user, not yet in the list; NULL when memory is out. */
static struct topo_renumbering *new_renumbering(const struct topo_tree *tree, enum topo_graph_kind graph)
{
    struct topo_renumbering *renumbering = topo_calloc(1, sizeof *renumbering);
    if (!renumbering)
        return NULL;
    renumbering->users = 1;
    renumbering->graph = graph;
    renumbering->ranks = tree->ranks;
    renumbering->key_ints = topo_tree_packed_ints(tree);
    renumbering->key = topo_alloc(renumbering->key_ints, sizeof *renumbering->key);
    if (!renumbering->key || !make_room(&renumbering->pi, tree->ranks) ||
        !make_room(&renumbering->pi_inverse, tree->ranks)) {
        free_renumbering(renumbering);
        return NULL;
    }
    topo_tree_pack(tree, renumbering->key);
    return renumbering;
}

/* True when both were made for the same graph and tree and, if `with_pi`, hold the same numbers. */
static bool equal(const struct topo_renumbering *a, const struct topo_renumbering *b, bool with_pi)
{
    return a->graph == b->graph && a->key_ints == b->key_ints &&
           !memcmp(a->key, b->key, a->key_ints * sizeof *a->key) && (!with_pi || topo_numbers_equal(&a->pi, &b->pi));
}

/* The remembered renumbering equal to `renumbering`, with one user more and moved to the front; NULL when there is
 * none. */
static struct topo_renumbering *find(const struct topo_renumbering *renumbering, bool with_pi)
{
    struct topo_renumbering *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct topo_renumbering **at = &renumberings; *at; at = &(*at)->next) {
        if (!equal(*at, renumbering, with_pi))
            continue;
        found = *at;
        *at = found->next;
        found->next = renumberings;
        renumberings = found;
        found->users++;
        break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void remember(struct topo_renumbering *renumbering)
{
    pthread_mutex_lock(&lock);
    renumbering->next = renumberings;
    renumberings = renumbering;
    pthread_mutex_unlock(&lock);
}

void topo_renumbering_release(struct topo_renumbering *renumbering)
{
    int unused = 0;
    if (!renumbering)
        return;
    if (!renumbering->pi.count) { /* nobody else has it */
        free_renumbering(renumbering);
        return;
    }
    pthread_mutex_lock(&lock);
    renumbering->users--;
    for (struct topo_renumbering **at = &renumberings; *at;) {
        struct topo_renumbering *here = *at;
        if (here->users == 0 && ++unused > KEPT_UNUSED) {
            *at = here->next;
            free_renumbering(here);
        } else {
            at = &here->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Rank 0: fills the table of pi, from a remembered renumbering or by building the mapping. */
static enum topo_status fill(struct topo_renumbering *renumbering, const struct topo_tree *tree)
{
    struct topo_mapping *mapping = NULL;
    struct topo_renumbering *known = find(renumbering, false);
    if (known) {
        for (int rank = 0; rank < renumbering->ranks; rank++)
            renumbering->pi.table[rank] = topo_numbers_at(&known->pi, rank);
        topo_renumbering_release(known);
        return TOPO_OK;
    }
    enum topo_partitioner partitioner = (enum topo_partitioner)topo_job.options.value[TOPO_OPTION_PARTITIONER].choice;
    struct topo_error error = {""};
    enum topo_status status = topo_mapping_build(tree, renumbering->graph, partitioner, &mapping, &error);
    if (status == TOPO_UNSUPPORTED) {
        topo_say("%s=%s: %s; auto is taken", topo_option_info(TOPO_OPTION_PARTITIONER)->name,
                 topo_job.options.value[TOPO_OPTION_PARTITIONER].text, error.text);
        status = topo_mapping_build(tree, renumbering->graph, TOPO_PARTITIONER_AUTO, &mapping, NULL);
    }
    if (status == TOPO_OK)
        memcpy(renumbering->pi.table, mapping->pi, (size_t)renumbering->ranks * sizeof *mapping->pi);
    topo_mapping_free(mapping);
    return status;
}

/* Fills the other table; then both may be rules. */
static void invert(struct topo_renumbering *renumbering)
{
    for (int i = 0; i < renumbering->ranks; i++)
        renumbering->pi_inverse.table[renumbering->pi.table[i]] = i;
    topo_numbers_shorten(&renumbering->pi);
    topo_numbers_shorten(&renumbering->pi_inverse);
}

static enum topo_status get_whole(const struct topo_channel *channel, const struct topo_tree *tree,
                                  enum topo_graph_kind graph, struct topo_renumbering **out)
{
    struct topo_renumbering *renumbering = new_renumbering(tree, graph);
    enum topo_status status = renumbering ? TOPO_OK : TOPO_NOMEM;
    if (channel->rank == 0 && status == TOPO_OK)
        status = fill(renumbering, tree);
    /* One failure anywhere, rank 0's mapping included, is everyone's. */
    status = topo_channel_worst(status, channel);
    if (status == TOPO_OK &&
        topo_channel_bcast(renumbering->pi.table, (size_t)tree->ranks * sizeof(int), channel) != MPI_SUCCESS)
        status = TOPO_MPI;
    if (status != TOPO_OK) {
        if (renumbering)
            free_renumbering(renumbering);
        return status;
    }
    struct topo_renumbering *known = find(renumbering, true);
    if (known) {
        free_renumbering(renumbering);
        renumbering = known;
    } else {
        invert(renumbering);
        remember(renumbering);
    }
    *out = renumbering;
    return TOPO_OK;
}

/* Which numbers `rank`, whose own is `number`, asks for: its rank as a number, then its partners. */
enum { PAIRS_MAX = 2 * 31 + 1 };

static int asked_for(enum topo_graph_kind graph, int n, int rank, int number, int asked[PAIRS_MAX])
{
    int count = 0, steps = topo_graph_steps(graph, n);
    asked[count++] = rank;
    for (int k = 0; k < steps; k++) {
        int to, distance;
        topo_graph_send(graph, n, number, k, &to);
        asked[count++] = to;
        if (graph == TOPO_GRAPH_RECURSIVE_DOUBLING)
            continue;
        distance = number - to; /* who sends to this number is as far on the other side */
        asked[count++] = ((number + distance) % n + n) % n;
    }
    return count;
}

/* Rank 0: every rank's number, then who plays the numbers that it asks for; NULL when memory is out. */
static int *make_rows(const struct topo_renumbering *whole, int row)
{
    int asked[PAIRS_MAX], *rows = topo_alloc((size_t)whole->ranks * (size_t)row, sizeof *rows);
    for (int rank = 0; rows && rank < whole->ranks; rank++) {
        const int number = topo_numbers_at(&whole->pi, rank);
        int count = asked_for(whole->graph, whole->ranks, rank, number, asked);
        int *at = rows + (size_t)rank * (size_t)row;
        *at++ = number;
        for (int i = 0; i < count; i++)
            *at++ = topo_numbers_at(&whole->pi_inverse, asked[i]);
    }
    return rows;
}

/* Rank 0: the whole renumbering, remembered. */
static enum topo_status build_whole(const struct topo_tree *tree, enum topo_graph_kind graph,
                                    struct topo_renumbering **whole)
{
    struct topo_renumbering *made = new_renumbering(tree, graph), *known = made ? find(made, false) : NULL;
    enum topo_status status = made ? TOPO_OK : TOPO_NOMEM;
    *whole = known;
    if (made && !known)
        status = fill(made, tree);
    if (!known && status == TOPO_OK) {
        invert(made);
        remember(made);
        *whole = made;
    } else if (made) {
        free_renumbering(made);
    }
    return status;
}

static enum topo_status get_neighbours(const struct topo_channel *channel, const struct topo_tree *tree,
                                       enum topo_graph_kind graph, struct topo_renumbering **out)
{
    int asked[PAIRS_MAX], answer[PAIRS_MAX + 1], n = tree->ranks, *rows = NULL;
    int pairs = asked_for(graph, n, 0, 0, asked); /* as many for each rank */
    struct topo_renumbering *made = topo_calloc(1, sizeof *made), *whole = NULL;
    enum topo_status status =
        made && (made->pair = topo_alloc(2 * (size_t)pairs, sizeof *made->pair)) ? TOPO_OK : TOPO_NOMEM;
    if (channel->rank == 0 && status == TOPO_OK) {
        status = build_whole(tree, graph, &whole);
        rows = status == TOPO_OK ? make_rows(whole, pairs + 1) : NULL;
        if (status == TOPO_OK && !rows)
            status = TOPO_NOMEM;
    }
    status = topo_channel_worst(status, channel);
    if (status == TOPO_OK) {
        int code = topo_deal(rows, answer, (size_t)(pairs + 1) * sizeof *answer, channel);
        status = code == MPI_SUCCESS ? TOPO_OK : code == MPI_ERR_NO_MEM ? TOPO_NOMEM : TOPO_MPI;
    }
    topo_free(rows);
    topo_renumbering_release(whole);
    if (status != TOPO_OK) {
        if (made)
            free_renumbering(made);
        return status;
    }
    made->graph = graph;
    made->ranks = n;
    made->number = answer[0];
    made->pairs = asked_for(graph, n, channel->rank, made->number, asked);
    for (int i = 0; i < made->pairs; i++) {
        made->pair[2 * i] = asked[i];
        made->pair[2 * i + 1] = answer[i + 1];
    }
    *out = made;
    return TOPO_OK;
}

enum topo_status topo_renumbering_get(const struct topo_channel *channel, const struct topo_tree *tree,
                                      enum topo_graph_kind graph, enum topo_renumbering_extent extent,
                                      struct topo_renumbering **out)
{
    *out = NULL;
    return (extent == TOPO_RENUMBERING_WHOLE ? get_whole : get_neighbours)(channel, tree, graph, out);
}
