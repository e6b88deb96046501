/* Descriptors of memory without a name, from one process of a node to others: datagrams between sockets whose names
 * are in no file system (unix(7), abstract sockets; SCM_RIGHTS). Nobody waits: what was sent lies with the receiver
 * before the message that tells it so leaves. Processes that are in different network namespaces do not find each
 * other, and know at once. */
#ifndef TOPO_NODE_DESCRIPTORS_H
#define TOPO_NODE_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

/* Opens this process's socket, under the number of the job and its rank there. False: there is none, and nobody can
 * send to it. topo_descriptors_stop() closes it, with what was not received. */
bool topo_descriptors_start(uint64_t job, int rank);
void topo_descriptors_stop(void);

/* Sends a copy of `descriptor` to `count` ranks of the job, each of which receives it by `secret`, a random number that
 * it is told by MPI. 0, or an errno: then some may have got it, and need not receive it. */
int topo_descriptor_send(int descriptor, uint64_t secret, const int *ranks, int count);

/* The descriptor that was sent with `secret`, which the caller closes, or -1. Several threads may be here. */
int topo_descriptor_receive(uint64_t secret);

#endif
