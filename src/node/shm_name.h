/* Names of the shared memory that the ranks of a node open. A region has one only until all of them have it: what a
 * process that was killed meanwhile leaves behind, the next one on the node removes. */
#ifndef TOPO_NODE_SHM_NAME_H
#define TOPO_NODE_SHM_NAME_H

#include <stdbool.h>

enum { TOPO_SHM_NAME_BYTES = 64 };

/* A new name for shm_open(): "/topompi-", this process, a random number. False when the system gives none. */
bool topo_shm_name(char name[TOPO_SHM_NAME_BYTES]);

/* As shm_open() of a new name, for reading and writing; other processes of this user may open it, whatever the umask.
 * The descriptor, which the caller closes, or -1; then the name is none. */
int topo_shm_create(const char *name);

/* Unlinks this user's names in `folder` (where shm_open() has its files) that are older than a minute and whose
 * process is no more. The age spares those of processes that cannot be seen from here, in containers that share the
 * folder: a region has a name for some milliseconds. */
void topo_shm_sweep(const char *folder);

#endif
