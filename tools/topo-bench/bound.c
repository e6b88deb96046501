#include "topo-bench/bound.h"

#include "base/memory.h"

/* Sums of one level: per unit, and over all of its links together. */
struct level_sums {
    double *in, *out; /* [units] */
    double all;       /* bytes that pass into units of this level, however they are spread ... */
    bool *takes_part; /* [units] ... over these */
};

struct bench_traffic {
    const struct topo_tree *tree;
    int *members; /* [largest number of units] scratch: ranks of the communicator per unit */
    struct level_sums level[TOPO_LEVELS_MAX];
};

enum topo_status bench_traffic_new(const struct topo_tree *tree, struct bench_traffic **traffic,
                                   struct topo_error *error)
{
    struct bench_traffic *t = topo_calloc(1, sizeof *t);
    if (!t)
        goto nomem;
    t->tree = tree;
    t->members = topo_calloc((size_t)tree->ranks, sizeof *t->members);
    if (!t->members)
        goto nomem;
    for (int l = 0; l < tree->levels; l++) {
        size_t units = (size_t)tree->units[l];
        t->level[l].in = topo_calloc(units, sizeof(double));
        t->level[l].out = topo_calloc(units, sizeof(double));
        t->level[l].takes_part = topo_calloc(units, sizeof(bool));
        if (!t->level[l].in || !t->level[l].out || !t->level[l].takes_part)
            goto nomem;
    }
    *traffic = t;
    return TOPO_OK;
nomem:
    bench_traffic_free(t);
    return topo_fail(error, TOPO_NOMEM, "out of memory for the bound of %d ranks", tree->ranks);
}

void bench_traffic_free(struct bench_traffic *traffic)
{
    if (!traffic)
        return;
    for (int l = 0; l < traffic->tree->levels; l++)
        topo_free_all(traffic->level[l].in, traffic->level[l].out, traffic->level[l].takes_part);
    topo_free_all(traffic->members, traffic);
}

static int unit_of(const struct topo_tree *tree, int level, int rank)
{
    return topo_tree_unit(tree, level, rank);
}

/* Fills members[] and returns how many units hold any. */
static int count_members(struct bench_traffic *traffic, int level, const int *ranks, int count)
{
    int units = 0;
    for (int u = 0; u < traffic->tree->units[level]; u++)
        traffic->members[u] = 0;
    for (int i = 0; i < count; i++)
        units += traffic->members[unit_of(traffic->tree, level, ranks[i])]++ == 0;
    return units;
}

static double length_of(const struct bench_lengths *lengths, int from, int to)
{
    return lengths->of ? lengths->of(from, to, lengths->context) : lengths->equal;
}

void bench_traffic_allgather(struct bench_traffic *traffic, const int *ranks, int count,
                             const struct bench_lengths *lengths)
{
    for (int l = 0; l < traffic->tree->levels; l++) {
        if (count_members(traffic, l, ranks, count) < 2)
            continue;
        for (int i = 0; i < count; i++) {
            int unit = unit_of(traffic->tree, l, ranks[i]);
            double block = length_of(lengths, i, i);
            traffic->level[l].out[unit] += block;
            for (int u = 0; u < traffic->tree->units[l]; u++)
                traffic->level[l].in[u] += traffic->members[u] && u != unit ? block : 0;
        }
    }
}

/* Sums between all units: each takes in and gives what all need, or the parts of its ranks and those of the others. */
static void combined(struct bench_traffic *traffic, const int *ranks, int count, double bytes, bool parts)
{
    for (int l = 0; l < traffic->tree->levels; l++) {
        struct level_sums *sums = &traffic->level[l];
        int units = count_members(traffic, l, ranks, count);
        if (units < 2)
            continue;
        sums->all += (units - 1) * bytes * (parts ? count : 2);
        for (int u = 0; u < traffic->tree->units[l]; u++) {
            int members = traffic->members[u];
            if (!members)
                continue;
            sums->takes_part[u] = true;
            sums->in[u] += bytes * (parts ? members : 1);
            sums->out[u] += bytes * (parts ? count - members : 1);
        }
    }
}

void bench_traffic_allreduce(struct bench_traffic *traffic, const int *ranks, int count,
                             const struct bench_lengths *lengths)
{
    combined(traffic, ranks, count, lengths->equal, false);
}

void bench_traffic_reduce_scatter(struct bench_traffic *traffic, const int *ranks, int count,
                                  const struct bench_lengths *lengths)
{
    combined(traffic, ranks, count, lengths->equal, true);
}

/* Once through the link of rank 0's unit and once through each other one, the opposite way. */
static void one_rank_with_all(struct bench_traffic *traffic, const int *ranks, int count, double bytes, bool sends)
{
    for (int l = 0; l < traffic->tree->levels; l++) {
        if (count_members(traffic, l, ranks, count) < 2)
            continue;
        int root = unit_of(traffic->tree, l, ranks[0]);
        for (int u = 0; u < traffic->tree->units[l]; u++) {
            double *direction = (u == root) == sends ? traffic->level[l].out : traffic->level[l].in;
            direction[u] += traffic->members[u] ? bytes : 0;
        }
    }
}

void bench_traffic_bcast(struct bench_traffic *traffic, const int *ranks, int count,
                         const struct bench_lengths *lengths)
{
    one_rank_with_all(traffic, ranks, count, lengths->equal, true);
}

void bench_traffic_reduce(struct bench_traffic *traffic, const int *ranks, int count,
                          const struct bench_lengths *lengths)
{
    one_rank_with_all(traffic, ranks, count, lengths->equal, false);
}

/* A block of each rank out of its unit and into that of rank 0, or the other way round. */
static void blocks_of_one_rank(struct bench_traffic *traffic, const int *ranks, int count,
                               const struct bench_lengths *lengths, bool sends)
{
    for (int l = 0; l < traffic->tree->levels; l++) {
        const int root = unit_of(traffic->tree, l, ranks[0]);
        struct level_sums *sums = &traffic->level[l];
        for (int i = 0; i < count; i++) {
            const int unit = unit_of(traffic->tree, l, ranks[i]);
            const double block = unit == root ? 0 : length_of(lengths, i, i);
            sums->out[sends ? root : unit] += block;
            sums->in[sends ? unit : root] += block;
        }
    }
}

void bench_traffic_gather(struct bench_traffic *traffic, const int *ranks, int count,
                          const struct bench_lengths *lengths)
{
    blocks_of_one_rank(traffic, ranks, count, lengths, false);
}

void bench_traffic_scatter(struct bench_traffic *traffic, const int *ranks, int count,
                           const struct bench_lengths *lengths)
{
    blocks_of_one_rank(traffic, ranks, count, lengths, true);
}

/* A vector through each unit's link that has a rank of another unit before one of its own, as ranks go up, or down. */
static void once_after_others(struct bench_traffic *traffic, int level, const int *ranks, int count, double bytes,
                              bool down)
{
    const int first = unit_of(traffic->tree, level, ranks[down ? count - 1 : 0]);
    bool others = false;
    if (count_members(traffic, level, ranks, count) < 2)
        return;
    for (int i = 0; i < count; i++) {
        const int unit = unit_of(traffic->tree, level, ranks[down ? count - 1 - i : i]);
        others |= unit != first;
        if (!others || !traffic->members[unit])
            continue;
        (down ? traffic->level[level].out : traffic->level[level].in)[unit] += bytes;
        traffic->members[unit] = 0;
    }
}

void bench_traffic_scan(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_lengths *lengths)
{
    for (int l = 0; l < traffic->tree->levels; l++)
        for (int down = 0; down < 2; down++)
            once_after_others(traffic, l, ranks, count, lengths->equal, down);
}

void bench_traffic_alltoall(struct bench_traffic *traffic, const int *ranks, int count,
                            const struct bench_lengths *lengths)
{
    const struct topo_tree *tree = traffic->tree;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            double b = length_of(lengths, i, j);
            for (int l = topo_tree_shared_levels(tree, ranks[i], ranks[j]); l < tree->levels; l++) {
                traffic->level[l].out[unit_of(tree, l, ranks[i])] += b;
                traffic->level[l].in[unit_of(tree, l, ranks[j])] += b;
            }
        }
    }
}

double bench_traffic_in(const struct bench_traffic *traffic, int level, int unit)
{
    return traffic->level[level].in[unit];
}

double bench_traffic_out(const struct bench_traffic *traffic, int level, int unit)
{
    return traffic->level[level].out[unit];
}

/* The most bytes that must pass one link of the level in one direction. */
static double busiest(const struct bench_traffic *traffic, int level)
{
    const struct level_sums *sums = &traffic->level[level];
    double most = 0;
    int links = 0;
    for (int u = 0; u < traffic->tree->units[level]; u++) {
        most = sums->in[u] > most ? sums->in[u] : most;
        most = sums->out[u] > most ? sums->out[u] : most;
        links += sums->takes_part[u];
    }
    return links && sums->all / links > most ? sums->all / links : most;
}

double bench_traffic_seconds(const struct bench_traffic *traffic, const double *rate, int *level)
{
    double longest = 0;
    if (level)
        *level = -1;
    for (int l = 0; l < traffic->tree->levels; l++) {
        double seconds = rate[l] > 0 ? busiest(traffic, l) / rate[l] : 0;
        if (seconds <= longest)
            continue;
        longest = seconds;
        if (level)
            *level = l;
    }
    return longest;
}
