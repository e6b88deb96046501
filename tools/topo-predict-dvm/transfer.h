/* Cost of a transfer matrix, of a broadcast from one processor and of a
 * reduction on the two machines of the DVM Predictor (docs/REFERENCES.md,
 * Predictor 7 and 8): a bus, where messages follow one another, and a grid
 * of processors with links between neighbours, where they travel at the same time. */
#ifndef TOPO_PREDICT_DVM_TRANSFER_H
#define TOPO_PREDICT_DVM_TRANSFER_H

#include <stdint.h>

enum topo_network { TOPO_NETWORK_BUS, TOPO_NETWORK_GRID };

enum { TOPO_GRID_DIMENSIONS_MAX = 8 };

/* Processors 0..processors-1 in row-major order of the grid (last dimension fastest). */
struct topo_transfer_machine {
    enum topo_network network;
    double start; /* seconds per message */
    double byte;  /* seconds per byte */
    int dimensions, size[TOPO_GRID_DIMENSIONS_MAX];
};

/* Product of the sizes. */
int topo_transfer_processors(const struct topo_transfer_machine *machine);

/* Steps between two processors of the grid (sum of the coordinates' differences). */
int topo_transfer_distance(const struct topo_transfer_machine *machine, int p, int q);

/* Seconds for bytes[from * processors + to]; entries of a processor to itself do
 * not count. Bus: the sum of start + byte * bytes over all pairs that send.
 * Grid: the farthest pair decides: l its distance, LB the longest message over
 * that distance; l = 1: start + byte * LB; l > 1: topo_transfer_pipelined(). */
double topo_transfer_cost(const struct topo_transfer_machine *machine, const int64_t *bytes);

/* Seconds for `bytes` over `distance` links, cut into packets of the best whole
 * size S: (distance - 1 + ceil(bytes / S)) (start + byte S). The search starts
 * at S = sqrt(bytes start / ((distance - 1) byte)) and walks downhill. */
double topo_transfer_pipelined(double start, double byte, int distance, int64_t bytes);

/* Seconds to reduce `bytes` and give every processor the result. holds[d] = the
 * number of processors along dimension d that hold iterations of the loop,
 * first[d] the first of them; divided[d] is true where the loop is divided along d.
 * Bus: (start + byte bytes) (product of holds[] over divided dimensions + N - 2).
 * Grid: (start + byte bytes) (2 distance from the centre of a section along the
 * divided dimensions to its farthest corner + distance from the sections to the
 * farthest corner of the grid). */
double topo_transfer_reduction(const struct topo_transfer_machine *machine, int64_t bytes, const _Bool *divided,
                               const int *first, const int *holds);

#endif
