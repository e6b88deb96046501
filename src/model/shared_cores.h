/* Ranks that share cores, where each core has as many of them but nothing says which. */
#ifndef TOPO_MODEL_SHARED_CORES_H
#define TOPO_MODEL_SHARED_CORES_H

/* Seconds of a processor that the ranks take; all zero at first. */
struct topo_shared_cores {
    int ranks;
    double sum, squares, largest, packets;
};

/* One more rank: its own seconds, and those of its packets, which any of the cores may take. */
void topo_shared_cores_add(struct topo_shared_cores *shared, double seconds, double packets);

/* Seconds of the busiest of `cores` cores. Where few ranks do the work, as the first ones of the nodes, some cores have
 * more of them: the expected largest of the sums over ranks drawn at random, or the busiest rank alone. Packets go
 * where there is time: they come by soft interrupts. */
double topo_shared_cores_busiest(const struct topo_shared_cores *shared, int cores);

#endif
