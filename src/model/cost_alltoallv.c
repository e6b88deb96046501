/* Costs of the exchanges: call->matrix, or call->bytes from every rank to every other. */
#include "model/cost_parts.h"

double topo_cost_bytes(const struct topo_cost_input *in, int from, int to)
{
    const int64_t *matrix = in->call->matrix;
    return matrix ? (double)matrix[(size_t)from * (size_t)in->tree->ranks + (size_t)to] : (double)in->call->bytes;
}

double topo_cost_linear(const struct topo_cost_input *in)
{
    if (!in->call->matrix) {
        if (in->call->bytes > 0 && !topo_load_all_pairs(in->load, (double)in->call->bytes))
            return -1;
        return topo_load_step(in->load);
    }
    for (int from = 0; from < in->tree->ranks; from++)
        for (int to = 0; to < in->tree->ranks; to++)
            if (topo_cost_bytes(in, from, to) > 0)
                topo_load_message(in->load, from, to, topo_cost_bytes(in, from, to));
    return topo_load_step(in->load);
}

/* Rank i to rank i + step, all at once. */
static double shift(const struct topo_cost_input *in, int step)
{
    int n = in->tree->ranks;
    for (int from = 0; from < n; from++)
        topo_load_message(in->load, from, (from + step) % n, topo_cost_bytes(in, from, (from + step) % n));
    return topo_load_step(in->load);
}

/* Equal messages of many ranks: how long a step takes hardly changes from one to the next, and is the same backwards,
 * so some are looked at and those between two lie between them. Where ranks are dealt round the nodes, each of so many
 * steps stays inside them, and the sum is some percent off (tests/unit/check_cost prints it). */
static double pairwise_of_many(const struct topo_cost_input *in)
{
    int n = in->tree->ranks, at = 1;
    double seconds = shift(in, 0), last = shift(in, 1);
    seconds += 2 * last;
    while (at < n / 2) {
        int next = at + 1 + at / 8 < n / 2 ? at + 1 + at / 8 : n / 2;
        double here = shift(in, next);
        seconds += (last + here) * (next - at - 1) + 2 * here;
        at = next;
        last = here;
    }
    return n % 2 == 0 ? seconds - last : seconds;
}

double topo_cost_pairwise(const struct topo_cost_input *in)
{
    enum { MANY = 512 };
    int n = in->tree->ranks;
    double seconds = 0;
    if (n > MANY && !in->call->matrix)
        return pairwise_of_many(in);
    for (int step = 0; step < n; step++)
        seconds += shift(in, step);
    return seconds;
}

double topo_cost_alltoallv_native(const struct topo_cost_input *in)
{
    return topo_tuned_alltoallv(in->tree->ranks) == TOPO_TUNED_LINEAR ? topo_cost_linear(in) : topo_cost_pairwise(in);
}

/* Half of all blocks in each of log2 n steps. */
static double bruck(const struct topo_cost_input *in)
{
    int n = in->tree->ranks;
    double seconds = 0, m = (double)in->call->bytes;
    for (int distance = 1; distance < n; distance *= 2) {
        int blocks = 0;
        for (int i = 0; i < n; i++)
            blocks += (i & distance) != 0;
        for (int i = 0; i < n; i++)
            topo_load_message(in->load, i, (i + distance) % n, m * blocks);
        topo_load_work(in->load, in->params->copy * m * blocks);
        seconds += topo_load_step(in->load);
    }
    return seconds;
}

double topo_cost_alltoall_native(const struct topo_cost_input *in)
{
    switch (topo_tuned_alltoall(in->tree->ranks, in->call->bytes)) {
    case TOPO_TUNED_BRUCK: return bruck(in);
    case TOPO_TUNED_PAIRWISE: return topo_cost_pairwise(in);
    default: return topo_cost_linear(in);
    }
}

double topo_cost_alltoall_direct(const struct topo_cost_input *in)
{
    return topo_cost_linear(in);
}

double topo_cost_alltoallv_direct(const struct topo_cost_input *in)
{
    return topo_cost_linear(in);
}
