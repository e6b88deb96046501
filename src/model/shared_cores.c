#include "model/shared_cores.h"

#include <math.h>

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
