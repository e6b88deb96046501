/* Costs of the allgather family (docs/REFERENCES.md, Mapping 4 and 5): m = bytes of one rank's block. */
#include "model/cost_parts.h"
#include "renumber/graph.h"

/* The steps of recursive doubling or Bruck; order[v] (NULL: v) is the rank that plays v. */
static double graph_steps(const struct topo_cost_input *in, enum topo_graph_kind kind, const struct topo_numbers *order)
{
    int n = in->tree->ranks, steps = topo_graph_steps(kind, n);
    double seconds = 0, m = (double)in->call->bytes;
    for (int step = 0; step < steps; step++) {
        for (int v = 0; v < n; v++) {
            int to;
            double bytes = m * (double)topo_graph_send(kind, n, v, step, &to);
            topo_load_message(in->load, topo_cost_rank_at(order, v), topo_cost_rank_at(order, to), bytes);
        }
        seconds += topo_load_step(in->load);
    }
    return seconds;
}

/* All n blocks copied once in memory (Bruck's rotation, the reorder variants' last move). */
static double copy_all(const struct topo_cost_input *in)
{
    double bytes = (double)in->tree->ranks * (double)in->call->bytes;
    topo_load_work(in->load, bytes * in->params->copy);
    return topo_load_step(in->load);
}

/* The exch variants' first move: rank i's block goes to the rank that plays i. */
static double first_exchange(const struct topo_cost_input *in)
{
    for (int i = 0; i < in->tree->ranks; i++)
        if (topo_cost_rank_at(in->order, i) != i)
            topo_load_message(in->load, i, topo_cost_rank_at(in->order, i), (double)in->call->bytes);
    return topo_load_step(in->load);
}

/* n-1 equal steps along order (NULL: by rank). */
static double ring(const struct topo_cost_input *in, const struct topo_numbers *order)
{
    int n = in->tree->ranks;
    for (int i = 0; i < n && n > 1; i++) {
        int next = i + 1 < n ? i + 1 : 0;
        topo_load_message(in->load, topo_cost_rank_at(order, i), topo_cost_rank_at(order, next),
                          (double)in->call->bytes);
    }
    return topo_load_step(in->load) * (n - 1);
}

/* Neighbour exchange (Chen et al. 2005): n/2 steps between pairs, to the right
 * and to the left in stage; the first carries one block, the others two. n even. */
static double neighbour(const struct topo_cost_input *in)
{
    int n = in->tree->ranks;
    double seconds[2] = {0, 0}, first = 0;
    for (int stage = 0; stage < 3; stage++) {
        for (int i = 0; i < n; i++) {
            int right = (i % 2 == 0) == (stage % 2 == 0);
            topo_load_message(in->load, i, (i + (right ? 1 : n - 1)) % n, (double)in->call->bytes * (stage ? 2 : 1));
        }
        if (stage == 0)
            first = topo_load_step(in->load);
        else
            seconds[stage - 1] = topo_load_step(in->load);
    }
    int others = n / 2 - 1;
    return first + seconds[0] * ((others + 1) / 2) + seconds[1] * (others / 2);
}

double topo_cost_allgather_native(const struct topo_cost_input *in)
{
    if (in->call->han && topo_cost_han_applies(in))
        return topo_cost_han_allgather(in);
    switch (topo_tuned_allgather(in->tree->ranks, in->call->bytes)) {
    case TOPO_TUNED_RING: return ring(in, NULL);
    case TOPO_TUNED_NEIGHBOUR: return neighbour(in);
    case TOPO_TUNED_RECURSIVE_DOUBLING: return graph_steps(in, TOPO_GRAPH_RECURSIVE_DOUBLING, NULL);
    default: return graph_steps(in, TOPO_GRAPH_BRUCK, NULL) + copy_all(in);
    }
}

double topo_cost_allgather_ring(const struct topo_cost_input *in)
{
    return ring(in, in->order);
}

double topo_cost_allgather_ring_by_rank(const struct topo_cost_input *in)
{
    return ring(in, NULL);
}

double topo_cost_allgather_recursive_doubling(const struct topo_cost_input *in)
{
    return graph_steps(in, TOPO_GRAPH_RECURSIVE_DOUBLING, NULL);
}

double topo_cost_allgather_recursive_doubling_exch(const struct topo_cost_input *in)
{
    return first_exchange(in) + graph_steps(in, TOPO_GRAPH_RECURSIVE_DOUBLING, in->order);
}

double topo_cost_allgather_recursive_doubling_reorder(const struct topo_cost_input *in)
{
    return graph_steps(in, TOPO_GRAPH_RECURSIVE_DOUBLING, in->order) + copy_all(in);
}

double topo_cost_allgather_bruck(const struct topo_cost_input *in)
{
    return graph_steps(in, TOPO_GRAPH_BRUCK, NULL) + copy_all(in);
}

double topo_cost_allgather_bruck_exch(const struct topo_cost_input *in)
{
    return first_exchange(in) + graph_steps(in, TOPO_GRAPH_BRUCK, in->order) + copy_all(in);
}

double topo_cost_allgather_bruck_reorder(const struct topo_cost_input *in)
{
    return graph_steps(in, TOPO_GRAPH_BRUCK, in->order) + copy_all(in);
}
