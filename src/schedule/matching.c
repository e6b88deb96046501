#include "schedule/matching.h"

#include <string.h>

#include "base/memory.h"

bool topo_peel_start(struct topo_peel *peel, struct topo_regular *graph)
{
    size_t side = (size_t)graph->side;
    *peel = (struct topo_peel){.graph = graph};
    peel->end = topo_alloc(side, sizeof *peel->end);
    peel->edge_of_left = topo_alloc(side, sizeof *peel->edge_of_left);
    peel->left_of_right = topo_alloc(side, sizeof *peel->left_of_right);
    peel->reached_from = topo_alloc(side, sizeof *peel->reached_from);
    peel->reached_by = topo_alloc(side, sizeof *peel->reached_by);
    peel->queue = topo_alloc(side, sizeof *peel->queue);
    peel->seen = topo_calloc(side, sizeof *peel->seen);
    if (!peel->end || !peel->edge_of_left || !peel->left_of_right || !peel->reached_from || !peel->reached_by ||
        !peel->queue || !peel->seen)
        return false;
    memcpy(peel->end, graph->row + 1, side * sizeof *peel->end);
    for (int v = 0; v < graph->side; v++) {
        peel->edge_of_left[v] = -1;
        peel->left_of_right[v] = -1;
    }
    return true;
}

void topo_peel_free(struct topo_peel *peel)
{
    topo_free(peel->end);
    topo_free(peel->edge_of_left);
    topo_free(peel->left_of_right);
    topo_free(peel->reached_from);
    topo_free(peel->reached_by);
    topo_free(peel->queue);
    topo_free(peel->seen);
}

/* Matches left vertex `root`, free now, by an alternating path of edges heavier
 * than `above` (the edges it takes out may be lighter). Breadth first, so the
 * path is a shortest one. */
static bool augment(struct topo_peel *peel, int root, int64_t above)
{
    struct topo_regular *graph = peel->graph;
    int head = 0, tail = 0, right = -1;
    peel->queue[tail++] = root;
    peel->stamp++;
    while (head < tail && right < 0) {
        int left = peel->queue[head++];
        for (int64_t e = graph->row[left]; e < peel->end[left]; e++) {
            int r = graph->right[e];
            if (graph->weight[e] <= above || peel->seen[r] == peel->stamp)
                continue;
            peel->seen[r] = peel->stamp;
            peel->reached_from[r] = left;
            peel->reached_by[r] = e;
            if (peel->left_of_right[r] < 0) {
                right = r;
                break;
            }
            peel->queue[tail++] = peel->left_of_right[r];
        }
    }
    if (right < 0)
        return false;
    for (;;) {
        int left = peel->reached_from[right];
        int64_t before = peel->edge_of_left[left];
        peel->edge_of_left[left] = peel->reached_by[right];
        peel->left_of_right[right] = left;
        if (left == root)
            return true;
        right = graph->right[before];
    }
}

/* Left vertex whose matched edge is lightest. */
static int lightest(const struct topo_peel *peel)
{
    int found = 0;
    for (int l = 1; l < peel->graph->side; l++)
        if (peel->graph->weight[peel->edge_of_left[l]] < peel->graph->weight[peel->edge_of_left[found]])
            found = l;
    return found;
}

int64_t topo_peel_match(struct topo_peel *peel, bool heavy)
{
    struct topo_regular *graph = peel->graph;
    if (graph->side == 0 || peel->end[0] == graph->row[0])
        return 0;
    for (int l = 0; l < graph->side; l++)
        if (peel->edge_of_left[l] < 0 && !augment(peel, l, 0))
            return -1;
    /* While the lightest edge can be exchanged for heavier ones, do so. If a
     * perfect matching of heavier edges exists, its difference with this one
     * holds such a path for each light edge, so this ends at the best. */
    for (;;) {
        int left = lightest(peel);
        int64_t edge = peel->edge_of_left[left], weight = graph->weight[edge];
        if (!heavy)
            return weight;
        peel->edge_of_left[left] = -1;
        peel->left_of_right[graph->right[edge]] = -1;
        if (!augment(peel, left, weight)) {
            peel->edge_of_left[left] = edge;
            peel->left_of_right[graph->right[edge]] = left;
            return weight;
        }
    }
}

void topo_peel_take(struct topo_peel *peel, int64_t weight)
{
    struct topo_regular *graph = peel->graph;
    for (int l = 0; l < graph->side; l++) {
        int64_t e = peel->edge_of_left[l];
        graph->weight[e] -= weight;
        if (graph->weight[e] > 0)
            continue;
        int64_t last = --peel->end[l];
        peel->left_of_right[graph->right[e]] = -1;
        peel->edge_of_left[l] = -1;
        graph->right[e] = graph->right[last];
        graph->weight[e] = graph->weight[last];
        graph->message[e] = graph->message[last];
    }
}
