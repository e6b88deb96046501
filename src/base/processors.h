/* The processors of the node that this process runs on, and the kernel they belong to. */
#ifndef TOPO_BASE_PROCESSORS_H
#define TOPO_BASE_PROCESSORS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* Processors of this node; or as many as tests set, on all ranks alike (0: none did). */
extern int topo_processors_pretended;
int topo_processors(void);

/* The processors that this thread may run on. Returns how many; 0, and none in the set: not known. */
int topo_processors_usable(cpu_set_t *set);

/* May it run on some of the node's processors only? */
bool topo_bound(void);

/* What a rank says of the kernel that runs it, which containers may share, and of the processors that it may use. Of
 * all ranks' words their bits together (MPI_BOR) say what they have in common. */
enum { TOPO_PROCESSORS_WORDS = 2 + sizeof(cpu_set_t) / sizeof(uint64_t) };
void topo_processors_say(uint64_t words[TOPO_PROCESSORS_WORDS]);

/* Who shares processors. */
struct topo_sharing {
    int processors; /* of a node or, not of_node, of all, that ranks have to share; 0: each has one of its own */
    bool of_node;
};

/* Those of all nodes. */
static inline double topo_sharing_processors(const struct topo_sharing *sharing, int nodes)
{
    return sharing->of_node ? (double)sharing->processors * nodes : sharing->processors;
}

/* Of `ranks` ranks, up to node_ranks on a node, whose words were put together: they share processors where there are
 * fewer of those that some rank may use. Nodes of one kernel have them in common; others are taken to number them
 * alike. */
struct topo_sharing topo_sharing_of(const uint64_t together[TOPO_PROCESSORS_WORDS], int ranks, int node_ranks);

#endif
