/* Is the library loaded in every rank of the job? Asked without a collective:
 * a rank without the library would never answer one and the job would hang. */
#ifndef TOPO_COMM_PRESENCE_H
#define TOPO_COMM_PRESENCE_H

/* What is known of the other ranks. */
enum topo_presence {
    TOPO_PRESENCE_EVERYWHERE, /* every rank has this version */
    TOPO_PRESENCE_PARTIAL,    /* some rank has not, or another version */
    TOPO_PRESENCE_UNKNOWN     /* the launcher offers no PMIx, or only part of its data is exchanged */
};

/* Before PMPI_Init(): publishes this rank's version through PMIx. The exchange
 * of connection data in PMPI_Init() then carries it to every rank. */
void topo_presence_announce(void);

/* After PMPI_Init(): looks every rank of the job up. All ranks get the same
 * answer. When PARTIAL, *missing is the lowest rank without the library and
 * *speaker the lowest one with it. */
enum topo_presence topo_presence_find(int ranks, int *missing, int *speaker);

#endif
