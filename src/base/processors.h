/* The processors of the node that this process runs on, and the kernel they belong to. */
#ifndef TOPO_BASE_PROCESSORS_H
#define TOPO_BASE_PROCESSORS_H

#include <sched.h>
#include <stdbool.h>

/* Processors of this node; or as many as tests set, on all ranks alike (0: none did). */
extern int topo_processors_pretended;
int topo_processors(void);

/* The processors that this thread may run on. Returns how many; 0, and none in the set: not known. */
int topo_processors_usable(cpu_set_t *set);

/* May it run on some of the node's processors only? */
bool topo_bound(void);

/* A number of the kernel that runs this process, which containers may share: whole, of 48 bits; 0: not known. */
double topo_kernel(void);

#endif
