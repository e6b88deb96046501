/* What topompi-probe-FAMILY found, and how it says so. */
#ifndef TOPO_TOOLS_PROBE_H
#define TOPO_TOOLS_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/* What one rank says of itself; sent as bytes. */
struct probe_rank {
    char host[64], mpi[64];
    char core[16];     /* for this MPI, where it lies beside the library; empty: it is not there */
    char version[32];  /* of the library; empty: it is not loaded */
    char machine[128]; /* as the library sees it; empty: it does nothing here */
    int node_rank, node_ranks;
    int shared_code;       /* of the first rank of a node: 0, or the errno of shared memory */
    long long shared_free; /* bytes free in /dev/shm; -1: unknown */
};

enum probe_operation { PROBE_ALLGATHER, PROBE_ALLREDUCE, PROBE_ALLTOALL, PROBE_BCAST, PROBE_BARRIER, PROBE_OPERATIONS };

/* As in TOPOMPI_<OPERATION>. */
const char *probe_operation_name(enum probe_operation operation);

/* What runs for such a message in MPI_COMM_WORLD; "native" without the library. */
const char *probe_algorithm(const char *operation, size_t bytes);

/* Seconds of a call: the quartiles of the rounds. */
struct probe_time {
    double low, median, high;
};

struct probe_row {
    enum probe_operation operation;
    int bytes;
    struct probe_time native, ours;
    const char *algorithm;
};

enum { PROBE_ROWS_MAX = 3 * PROBE_OPERATIONS };

struct probe_report {
    bool json;
    const char *family;            /* of the MPI library: the name of its core */
    const char *program, *unknown; /* the program that has this MPI library; one of which that is not known; or NULL */
    int ranks, nodes;
    int started;             /* processes that the launcher started together; 0: it does not say */
    struct probe_rank *rank; /* [ranks] */
    int wrong;               /* things that are not as they are to be */
    const char *machine;     /* what is said of the library's view of the machine */
    struct probe_row row[PROBE_ROWS_MAX];
    int rows;
};

/* Counts nodes and what is wrong; the same on all ranks. */
void probe_judge(struct probe_report *report);

/* Prints it on standard output; 0, or 1 where something is wrong. */
int probe_print(const struct probe_report *report);

#endif
