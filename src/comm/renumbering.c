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

/* A renumbering for `tree` without numbers, one user, not yet in the list; NULL when memory is out. */
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
    if (!renumbering->key) {
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

/* Makes pi's inverse of its table; then both may be rules. False: memory is out. */
static bool invert(struct topo_renumbering *renumbering)
{
    if (!make_room(&renumbering->pi_inverse, renumbering->ranks))
        return false;
    for (int i = 0; i < renumbering->ranks; i++)
        renumbering->pi_inverse.table[renumbering->pi.table[i]] = i;
    topo_numbers_shorten(&renumbering->pi);
    topo_numbers_shorten(&renumbering->pi_inverse);
    return true;
}

/* Rank 0: builds the mapping. */
static enum topo_status build(struct topo_renumbering *renumbering, const struct topo_tree *tree)
{
    struct topo_mapping *mapping = NULL;
    enum topo_partitioner partitioner = (enum topo_partitioner)topo_job.options.value[TOPO_OPTION_PARTITIONER].choice;
    struct topo_error error = {""};
    enum topo_status status = topo_mapping_build(tree, renumbering->graph, partitioner, &mapping, &error);
    if (status == TOPO_UNSUPPORTED) {
        topo_say("%s=%s: %s; auto is taken", topo_option_info(TOPO_OPTION_PARTITIONER)->name,
                 topo_job.options.value[TOPO_OPTION_PARTITIONER].text, error.text);
        status = topo_mapping_build(tree, renumbering->graph, TOPO_PARTITIONER_AUTO, &mapping, NULL);
    }
    if (status == TOPO_OK && !make_room(&renumbering->pi, tree->ranks))
        status = TOPO_NOMEM;
    if (status == TOPO_OK)
        memcpy(renumbering->pi.table, mapping->pi, (size_t)tree->ranks * sizeof *mapping->pi);
    topo_mapping_free(mapping);
    return status == TOPO_OK && !invert(renumbering) ? TOPO_NOMEM : status;
}

/* Rank 0: the whole renumbering, remembered; a known one of an equal tree, or made. */
static enum topo_status build_whole(const struct topo_tree *tree, enum topo_graph_kind graph,
                                    struct topo_renumbering **whole)
{
    struct topo_renumbering *made = new_renumbering(tree, graph);
    *whole = made ? find(made, false) : NULL;
    enum topo_status status = !made ? TOPO_NOMEM : *whole ? TOPO_OK : build(made, tree);
    if (made && !*whole && status == TOPO_OK) {
        remember(made);
        *whole = made;
    } else if (made) {
        free_renumbering(made);
    }
    return status;
}

/* Rank 0's lists travel as the rules that they follow, else as pi's table, of which each rank makes the inverse: where
 * there are rules no other rank needs more than O(log n) integers, not even while it is made. The first message has the
 * status, how many integers there are, and as many of them as there is room for. */
enum { STATUS, LENGTH, BEGIN, FIRST = 64, PART = 4096 };

/* Rank 0: its lists as integers; NULL: memory is out. */
static int *packed(const struct topo_renumbering *whole, int first[FIRST])
{
    const size_t pi = topo_numbers_packed(&whole->pi);
    const size_t length = pi + (whole->pi.table ? 0 : topo_numbers_packed(&whole->pi_inverse));
    int *ints = topo_alloc(length, sizeof *ints);
    if (!ints)
        return NULL;
    topo_numbers_pack(&whole->pi, ints);
    if (!whole->pi.table)
        topo_numbers_pack(&whole->pi_inverse, ints + pi);
    first[LENGTH] = (int)length;
    memcpy(first + BEGIN, ints, (length < FIRST - BEGIN ? length : FIRST - BEGIN) * sizeof *ints);
    return ints;
}

/* Rank 0's first[] and *ints, to all; the others free what they get. NULL: memory was out there, and it took part all
 * the same. Returns an MPI error code. */
static int share(const struct topo_channel *channel, int first[FIRST], int **ints)
{
    int unread[PART], code = topo_channel_bcast(first, FIRST * sizeof *first, channel);
    const size_t length = code == MPI_SUCCESS && first[STATUS] == TOPO_OK ? (size_t)first[LENGTH] : 0;
    if (channel->rank != 0 && length > 0 && (*ints = topo_alloc(length, sizeof **ints)))
        memcpy(*ints, first + BEGIN, (length < FIRST - BEGIN ? length : FIRST - BEGIN) * sizeof **ints);
    for (size_t at = FIRST - BEGIN; at < length && code == MPI_SUCCESS; at += PART) {
        const size_t part = length - at < PART ? length - at : PART;
        code = topo_channel_bcast(*ints ? *ints + at : unread, part * sizeof **ints, channel);
    }
    return code;
}

static enum topo_status unpack(const int *ints, size_t length, struct topo_renumbering *renumbering)
{
    const int n = renumbering->ranks;
    bool out_of_memory = false;
    const size_t pi = topo_numbers_unpack(ints, length, n, n, &renumbering->pi, &out_of_memory);
    if (pi == 0)
        return out_of_memory ? TOPO_NOMEM : TOPO_INTERNAL;
    if (renumbering->pi.table)
        return invert(renumbering) ? TOPO_OK : TOPO_NOMEM;
    if (topo_numbers_unpack(ints + pi, length - pi, n, n, &renumbering->pi_inverse, &out_of_memory) == 0)
        return out_of_memory ? TOPO_NOMEM : TOPO_INTERNAL;
    return TOPO_OK;
}

/* Not rank 0: what came, or one that is known and equal. */
static enum topo_status take(const struct topo_tree *tree, enum topo_graph_kind graph, const int *ints, size_t length,
                             struct topo_renumbering **whole)
{
    struct topo_renumbering *made = new_renumbering(tree, graph);
    enum topo_status status = made && ints ? unpack(ints, length, made) : TOPO_NOMEM;
    *whole = status == TOPO_OK ? find(made, true) : NULL;
    if (status == TOPO_OK && !*whole) {
        remember(made);
        *whole = made;
    } else if (made) {
        free_renumbering(made);
    }
    return status;
}

static enum topo_status get_whole(const struct topo_channel *channel, const struct topo_tree *tree,
                                  enum topo_graph_kind graph, struct topo_renumbering **out)
{
    struct topo_renumbering *whole = NULL;
    int first[FIRST] = {0}, *ints = NULL;
    enum topo_status status = TOPO_OK;
    if (channel->rank == 0) {
        status = build_whole(tree, graph, &whole);
        if (status == TOPO_OK && !(ints = packed(whole, first)))
            status = TOPO_NOMEM;
        first[STATUS] = (int)status;
    }
    int code = share(channel, first, &ints);
    if (channel->rank != 0)
        status = (enum topo_status)first[STATUS];
    if (channel->rank != 0 && code == MPI_SUCCESS && status == TOPO_OK)
        status = take(tree, graph, ints, (size_t)first[LENGTH], &whole);
    topo_free(ints);
    /* One failure anywhere, rank 0's mapping included, is everyone's. */
    status = topo_channel_worst(code == MPI_SUCCESS ? status : TOPO_MPI, channel);
    if (status == TOPO_OK)
        *out = whole;
    else
        topo_renumbering_release(whole);
    return status;
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
