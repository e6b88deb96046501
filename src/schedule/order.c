#include "schedule/order.h"

#include <string.h>

#include "base/memory.h"

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

/* Diagonal by diagonal, senders ascending: (j - i) mod the larger side. */
static void order_by_diagonal(const struct topo_matrix *matrix, int64_t *start, int64_t *order)
{
    int side = matrix->senders > matrix->receivers ? matrix->senders : matrix->receivers;
    memset(start, 0, ((size_t)side + 1) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t e = 0; e < matrix->messages; e++) {
            int diagonal = matrix->receiver[e] - matrix->sender[e];
            diagonal += diagonal < 0 ? side : 0;
            if (pass)
                order[start[diagonal]++] = e;
            else
                start[diagonal + 1]++;
        }
        for (int d = 0; !pass && d < side; d++)
            start[d + 1] += start[d];
    }
}

bool topo_order_by_weight(const struct topo_matrix *matrix, int64_t *order)
{
    int side = matrix->senders > matrix->receivers ? matrix->senders : matrix->receivers;
    TOPO_SCOPED int64_t *start = topo_alloc((size_t)(side > DIGITS ? side : DIGITS) + 1, sizeof *start);
    TOPO_SCOPED int64_t *spare = topo_alloc((size_t)matrix->messages, sizeof *spare);
    int64_t *from = order, *to = spare, largest = 0;
    bool done = start && spare;
    if (!done)
        return done;
    order_by_diagonal(matrix, start, order);
    for (int64_t e = 0; e < matrix->messages; e++)
        if (matrix->weight[e] > largest)
            largest = matrix->weight[e];
    /* Radix sort, lowest digit first, on what a weight lacks to the largest. */
    for (int shift = 0; shift < 64 && (uint64_t)largest >> shift; shift += DIGIT) {
        memset(start, 0, (DIGITS + 1) * sizeof *start);
        for (int64_t k = 0; k < matrix->messages; k++)
            start[(((uint64_t)(largest - matrix->weight[from[k]]) >> shift) & (DIGITS - 1)) + 1]++;
        for (int d = 0; d < DIGITS; d++)
            start[d + 1] += start[d];
        for (int64_t k = 0; k < matrix->messages; k++)
            to[start[((uint64_t)(largest - matrix->weight[from[k]]) >> shift) & (DIGITS - 1)]++] = from[k];
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order)
        memcpy(order, from, (size_t)matrix->messages * sizeof *order);
    return done;
}

/* The steps in which a vertex takes part, as bits. */
struct busy {
    uint64_t *word;
    int words, full; /* the first `full` words have no free bit */
    int64_t left;    /* messages not placed yet */
};

static bool occupy(struct busy *vertex, int step)
{
    int at = step / 64;
    if (--vertex->left == 0)
        return true; /* nobody will ask again */
    if (at >= vertex->words) {
        int words = at + 1 > 2 * vertex->words ? at + 1 : 2 * vertex->words;
        uint64_t *grown = topo_realloc(vertex->word, (size_t)words, sizeof *grown);
        if (!grown)
            return false;
        memset(grown + vertex->words, 0, (size_t)(words - vertex->words) * sizeof *grown);
        vertex->word = grown;
        vertex->words = words;
    }
    vertex->word[at] |= (uint64_t)1 << step % 64;
    while (vertex->full < vertex->words && !~vertex->word[vertex->full])
        vertex->full++;
    return true;
}

static int first_free(const struct busy *a, const struct busy *b)
{
    for (int at = a->full > b->full ? a->full : b->full;; at++) {
        uint64_t taken = (at < a->words ? a->word[at] : 0) | (at < b->words ? b->word[at] : 0);
        if (~taken)
            return at * 64 + __builtin_ctzll(~taken);
    }
}

static struct busy *busy_new(const struct topo_ends *ends)
{
    struct busy *busy = topo_calloc((size_t)ends->senders + (size_t)ends->receivers, sizeof *busy);
    for (int64_t e = 0; busy && e < ends->count; e++) {
        busy[ends->sender[e]].left++;
        busy[ends->senders + ends->receiver[e]].left++;
    }
    return busy;
}

static void busy_free(const struct topo_ends *ends, struct busy *busy)
{
    for (int v = 0; busy && v < ends->senders + ends->receivers; v++)
        topo_free(busy[v].word);
    topo_free(busy);
}

bool topo_first_fit(const struct topo_ends *ends, const int64_t *order, int *step_of, int *steps)
{
    struct busy *busy = busy_new(ends);
    bool done = busy;
    *steps = 0;
    for (int64_t k = 0; done && k < ends->count; k++) {
        int64_t e = order[k];
        struct busy *sender = &busy[ends->sender[e]], *receiver = &busy[ends->senders + ends->receiver[e]];
        int step = first_free(sender, receiver);
        step_of[e] = step;
        if (step >= *steps)
            *steps = step + 1;
        done = occupy(sender, step) && occupy(receiver, step);
    }
    busy_free(ends, busy);
    return done;
}
