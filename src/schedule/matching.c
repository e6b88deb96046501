#include "schedule/matching.h"

#include <string.h>

#include "base/memory.h"

bool topo_matching_start(struct topo_matching *matching, struct topo_regular *graph)
{
    size_t side = (size_t)graph->side;
    *matching = (struct topo_matching){.graph = graph};
    matching->end = topo_alloc(side, sizeof *matching->end);
    matching->edge_of_left = topo_alloc(side, sizeof *matching->edge_of_left);
    matching->left_of_right = topo_alloc(side, sizeof *matching->left_of_right);
    matching->reached_from = topo_alloc(side, sizeof *matching->reached_from);
    matching->reached_by = topo_alloc(side, sizeof *matching->reached_by);
    matching->queue = topo_alloc(side, sizeof *matching->queue);
    matching->seen = topo_calloc(side, sizeof *matching->seen);
    if (!matching->end || !matching->edge_of_left || !matching->left_of_right || !matching->reached_from ||
        !matching->reached_by || !matching->queue || !matching->seen)
        return false;
    memcpy(matching->end, graph->row + 1, side * sizeof *matching->end);
    for (int v = 0; v < graph->side; v++) {
        matching->edge_of_left[v] = -1;
        matching->left_of_right[v] = -1;
    }
    return true;
}

void topo_matching_free(struct topo_matching *matching)
{
    topo_free_all(matching->end, matching->edge_of_left, matching->left_of_right, matching->reached_from,
                  matching->reached_by, matching->queue, matching->seen);
}

/* Matches left vertex `root`, free now, by an alternating path of edges heavier
 * than `above` (the edges it takes out may be lighter). Breadth first, so the
 * path is a shortest one. */
static bool augment(struct topo_matching *matching, int root, int64_t above)
{
    struct topo_regular *graph = matching->graph;
    int head = 0, tail = 0, right = -1;
    matching->queue[tail++] = root;
    matching->stamp++;
    while (head < tail && right < 0) {
        int left = matching->queue[head++];
        for (int64_t e = graph->row[left]; e < matching->end[left]; e++) {
            int r = graph->right[e];
            if (graph->weight[e] <= above || matching->seen[r] == matching->stamp)
                continue;
            matching->seen[r] = matching->stamp;
            matching->reached_from[r] = left;
            matching->reached_by[r] = e;
            if (matching->left_of_right[r] < 0) {
                right = r;
                break;
            }
            matching->queue[tail++] = matching->left_of_right[r];
        }
    }
    if (right < 0)
        return false;
    for (;;) {
        int left = matching->reached_from[right];
        int64_t before = matching->edge_of_left[left];
        matching->edge_of_left[left] = matching->reached_by[right];
        matching->left_of_right[right] = left;
        if (left == root)
            return true;
        right = graph->right[before];
    }
}

/* Left vertex whose matched edge is lightest. */
static int lightest(const struct topo_matching *matching)
{
    int found = 0;
    for (int l = 1; l < matching->graph->side; l++)
        if (matching->graph->weight[matching->edge_of_left[l]] < matching->graph->weight[matching->edge_of_left[found]])
            found = l;
    return found;
}

int64_t topo_matching_find(struct topo_matching *matching, bool heavy)
{
    struct topo_regular *graph = matching->graph;
    if (graph->side == 0 || matching->end[0] == graph->row[0])
        return 0;
    for (int l = 0; l < graph->side; l++)
        if (matching->edge_of_left[l] < 0 && !augment(matching, l, 0))
            return -1;
    /* While the lightest edge can be exchanged for heavier ones, do so. If a
     * perfect matching of heavier edges exists, its difference with this one
     * holds such a path for each light edge, so this ends at the best. */
    for (;;) {
        int left = lightest(matching);
        int64_t edge = matching->edge_of_left[left], weight = graph->weight[edge];
        if (!heavy)
            return weight;
        matching->edge_of_left[left] = -1;
        matching->left_of_right[graph->right[edge]] = -1;
        if (!augment(matching, left, weight)) {
            matching->edge_of_left[left] = edge;
            matching->left_of_right[graph->right[edge]] = left;
            return weight;
        }
    }
}

void topo_matching_take(struct topo_matching *matching, int64_t weight)
{
    struct topo_regular *graph = matching->graph;
    for (int l = 0; l < graph->side; l++) {
        int64_t e = matching->edge_of_left[l];
        graph->weight[e] -= weight;
        if (graph->weight[e] > 0)
            continue;
        int64_t last = --matching->end[l];
        matching->left_of_right[graph->right[e]] = -1;
        matching->edge_of_left[l] = -1;
        graph->right[e] = graph->right[last];
        graph->weight[e] = graph->weight[last];
        graph->message[e] = graph->message[last];
    }
}
