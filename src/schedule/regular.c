#include "schedule/regular.h"

#include <string.h>

#include "base/memory.h"

void topo_regular_free(struct topo_regular *graph)
{
    if (!graph)
        return;
    topo_free_all(graph->row, graph->right, graph->weight, graph->message, graph);
}

struct edge {
    int left, right;
    int64_t weight, message;
};

/* The graph while it is made. Left vertices: senders, dummies, fillers; right likewise. */
struct draft {
    int senders, receivers, dummies; /* with messages only */
    int left, right;                 /* vertices so far */
    int64_t phi, count;
    struct edge *edge;
};

static int64_t units_of(int64_t weight, int64_t unit)
{
    return (weight - 1) / unit + 1;
}

/* phi and the dummy edges: together phi * k. `most` is W, `total` is P. */
static enum topo_status add_dummies(struct draft *draft, int k, int64_t most, int64_t total, struct topo_error *error)
{
    int64_t all;
    draft->phi = most > (total - 1) / k + 1 ? most : (total - 1) / k + 1;
    if (__builtin_mul_overflow(draft->phi, (int64_t)k, &all))
        return topo_fail(error, TOPO_INVALID,
                         "ggp: %d messages of %lld units at a time are too much to count; a larger unit is needed", k,
                         (long long)draft->phi);
    for (int64_t rest = all - total; rest > 0;) {
        int64_t weight = rest > most ? most : rest;
        draft->edge[draft->count++] = (struct edge){draft->left++, draft->right++, weight, -1};
        rest -= weight;
    }
    return TOPO_OK;
}

/* Fills every vertex of one side up to phi with edges to new vertices of the other (procedure "I to J"). */
static void fill_up(struct draft *draft, const int64_t *load, int vertices, bool left_side)
{
    int *made = left_side ? &draft->right : &draft->left, filler = -1;
    int64_t room = 0;
    for (int v = 0; v < vertices; v++)
        for (int64_t lacks = draft->phi - load[v]; lacks > 0;) {
            if (room == 0) {
                filler = (*made)++;
                room = draft->phi;
            }
            int64_t weight = lacks < room ? lacks : room;
            draft->edge[draft->count++] = (struct edge){left_side ? v : filler, left_side ? filler : v, weight, -1};
            lacks -= weight;
            room -= weight;
        }
}

/* Insertion into rows, then each row by decreasing weight (shell sort: rows are short). */
static void sort_row(struct topo_regular *graph, int64_t low, int64_t high)
{
    int64_t gap = 1;
    while (gap < (high - low) / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int64_t e = low + gap; e < high; e++) {
            int right = graph->right[e];
            int64_t weight = graph->weight[e], message = graph->message[e], at = e;
            for (; at - gap >= low && graph->weight[at - gap] < weight; at -= gap) {
                graph->right[at] = graph->right[at - gap];
                graph->weight[at] = graph->weight[at - gap];
                graph->message[at] = graph->message[at - gap];
            }
            graph->right[at] = right;
            graph->weight[at] = weight;
            graph->message[at] = message;
        }
}

static bool to_rows(const struct draft *draft, struct topo_regular *graph)
{
    graph->side = draft->left;
    graph->phi = draft->phi;
    graph->row = topo_calloc((size_t)draft->left + 2, sizeof *graph->row);
    graph->right = topo_alloc((size_t)draft->count, sizeof *graph->right);
    graph->weight = topo_alloc((size_t)draft->count, sizeof *graph->weight);
    graph->message = topo_alloc((size_t)draft->count, sizeof *graph->message);
    if (!graph->row || !graph->right || !graph->weight || !graph->message)
        return false;
    int64_t *next = graph->row + 1;
    for (int64_t e = 0; e < draft->count; e++)
        next[draft->edge[e].left + 1]++;
    for (int l = 0; l < draft->left; l++)
        next[l + 1] += next[l];
    for (int64_t e = 0; e < draft->count; e++) {
        int64_t at = next[draft->edge[e].left]++;
        graph->right[at] = draft->edge[e].right;
        graph->weight[at] = draft->edge[e].weight;
        graph->message[at] = draft->edge[e].message;
    }
    for (int l = 0; l < draft->left; l++)
        sort_row(graph, graph->row[l], graph->row[l + 1]);
    return true;
}

/* number[v] = position of v among the vertices with messages. */
static int number_used(const int64_t *start, int vertices, int *number)
{
    int used = 0;
    for (int v = 0; v < vertices; v++)
        number[v] = start[v + 1] > start[v] ? used++ : -1;
    return used;
}

enum topo_status topo_regular_new(const struct topo_matrix *matrix, int k, int64_t unit, struct topo_regular **graph,
                                  struct topo_error *error)
{
    TOPO_SCOPED struct edge *edge = NULL;
    struct draft draft = {0};
    TOPO_SCOPED_BY(topo_regular_end) struct topo_regular *result = topo_calloc(1, sizeof *result);
    TOPO_SCOPED int *sender = topo_alloc((size_t)matrix->senders, sizeof *sender);
    TOPO_SCOPED int *receiver = topo_alloc((size_t)matrix->receivers, sizeof *receiver);
    TOPO_SCOPED int64_t *left_load = NULL, *right_load = NULL;
    int64_t total = 0, most = 0;
    *graph = NULL;
    if (!result || !sender || !receiver)
        goto nomem;
    draft.senders = draft.left = number_used(matrix->row, matrix->senders, sender);
    draft.receivers = draft.right = number_used(matrix->column, matrix->receivers, receiver);
    if (k > draft.senders)
        k = draft.senders;
    if (k > draft.receivers)
        k = draft.receivers;
    result->k = k;

    /* At most k dummies: phi k <= W k + k, and each but the last weighs W. Fillers
     * take two edges a vertex at most. */
    int64_t vertices = (int64_t)draft.senders + draft.receivers + 2 * ((int64_t)k + 1);
    draft.edge = edge = topo_alloc((size_t)(matrix->messages + k + 1 + 2 * vertices), sizeof *draft.edge);
    left_load = topo_calloc((size_t)draft.senders + (size_t)k + 1, sizeof *left_load);
    right_load = topo_calloc((size_t)draft.receivers + (size_t)k + 1, sizeof *right_load);
    if (!draft.edge || !left_load || !right_load)
        goto nomem;
    for (int64_t e = 0; e < matrix->messages; e++) {
        int64_t weight = units_of(matrix->weight[e], unit);
        struct edge *next = &draft.edge[draft.count++];
        *next = (struct edge){sender[matrix->sender[e]], receiver[matrix->receiver[e]], weight, e};
        left_load[next->left] += weight;
        right_load[next->right] += weight;
        total += weight;
    }
    for (int l = 0; l < draft.senders; l++)
        if (left_load[l] > most)
            most = left_load[l];
    for (int r = 0; r < draft.receivers; r++)
        if (right_load[r] > most)
            most = right_load[r];
    enum topo_status status = add_dummies(&draft, k, most, total, error);
    if (status != TOPO_OK)
        return status;
    for (int64_t e = matrix->messages; e < draft.count; e++) {
        left_load[draft.edge[e].left] = draft.edge[e].weight;
        right_load[draft.edge[e].right] = draft.edge[e].weight;
    }
    int left = draft.left, right = draft.right;
    fill_up(&draft, left_load, left, true);
    fill_up(&draft, right_load, right, false);
    if (draft.left != draft.right)
        return topo_fail(error, TOPO_INTERNAL, "ggp: a regular graph of %d and %d vertices", draft.left, draft.right);
    if (!to_rows(&draft, result))
        goto nomem;
    *graph = TOPO_KEPT(result);
    return TOPO_OK;
nomem:
    return topo_fail(error, TOPO_NOMEM, "out of memory for ggp of %lld messages", (long long)matrix->messages);
}
