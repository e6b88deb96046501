/* MPI_Scan: one call as the algorithms see it, and the table of algorithms. */
#ifndef TOPO_COLL_SCAN_SCAN_H
#define TOPO_COLL_SCAN_SCAN_H

#include "coll/call/operations.h"
#include "coll/reduction/vector.h"
#include "comm/comm.h"

struct topo_scan {
    struct topo_comm *comm;
    struct topo_vector vector; /* its channel is set */
};

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. There are elements to add. */
#define SCAN(name, ...) int topo_scan_##name(const struct topo_scan *call);
#include "catalog/algorithms.def"

#endif
