#include "model/shared_cores.h"

#include <math.h>

int topo_cores_level(const struct topo_tree *tree, const struct topo_params *params)
{
    for (int level = tree->levels - 1; level >= 0 && params->cores > 0; level--)
        if (tree->kind[level] == params->cores_kind)
            return level;
    return params->cores > 0 ? TOPO_CORES_ALL : TOPO_CORES_ENOUGH;
}

bool topo_cores_are_shared(const struct topo_tree *tree, int level, int i)
{
    return level < 0 || topo_tree_unit(tree, level, topo_tree_rank(tree, i)) ==
                            topo_tree_unit(tree, level, topo_tree_rank(tree, i - 1));
}

double topo_cores_turn(const struct topo_tree *tree, const struct topo_params *params)
{
    const int level = topo_cores_level(tree, params);
    int most = 0, count = 0;
    for (int i = 0; i < tree->ranks && level != TOPO_CORES_ENOUGH; i++) {
        count = i > 0 && topo_cores_are_shared(tree, level, i) ? count + 1 : 1;
        most = count > most ? count : most;
    }
    return most > params->cores ? params->turn * ((double)most / params->cores - 1) : 0;
}

void topo_shared_cores_add(struct topo_shared_cores *shared, double seconds, double packets)
{
    shared->ranks++;
    shared->sum += seconds;
    shared->squares += seconds * seconds;
    shared->largest = seconds > shared->largest ? seconds : shared->largest;
    shared->packets += packets;
}

/* Expected largest of `count` values with the standard normal distribution. */
static double largest_of_normal(int count)
{
    static const double known[] = {0, 0, 0.564, 0.846, 1.029, 1.163, 1.267, 1.352, 1.424};
    const int most = (int)(sizeof known / sizeof *known);
    return count < most ? known[count] : sqrt(2 * log(count)) * known[most - 1] / sqrt(2 * log(most - 1));
}

double topo_shared_cores_busiest(const struct topo_shared_cores *shared, int cores)
{
    double share = (double)shared->ranks / cores, seconds = shared->sum / cores;
    double variance =
        shared->ranks > 1 ? (shared->squares - shared->sum * shared->sum / shared->ranks) / (shared->ranks - 1) : 0;
    if (share > 1 && variance > 0)
        seconds += largest_of_normal(cores) * sqrt(share * variance);
    return (seconds > shared->largest ? seconds : shared->largest) + shared->packets / cores;
}
