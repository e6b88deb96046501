/* The trace of one rank of an MPI program, as docs/TRACE-FORMAT.md tells it:
 * written by observe/trace.c through trace/write.h, read by
 * trace/read.h; this header is what both share. */
#ifndef TOPO_TRACE_FORMAT_H
#define TOPO_TRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define TOPO_TRACE_MAGIC "TOPOTRC1"
enum { TOPO_TRACE_MAGIC_BYTES = 8 };

/* Name of rank R's file in the folder of a trace. */
#define TOPO_TRACE_FILE "rank-%06d.topotrace"

/* A record: its type (never 0: the unwritten rest of a file is zeros), the length
 * of its payload, the payload. Readers pass over types they do not know. */
enum topo_trace_record {
    TOPO_TRACE_JOB = 'J',
    TOPO_TRACE_STRING = 'S',
    TOPO_TRACE_GROUP = 'G',
    TOPO_TRACE_VECTOR = 'V',
    TOPO_TRACE_BEGIN = 'B',
    TOPO_TRACE_END = 'E',
    TOPO_TRACE_COLLECTIVE = 'C',
    TOPO_TRACE_P2P = 'P',
    TOPO_TRACE_LOST = 'L',
    TOPO_TRACE_FINISH = 'F',
};

/* Collective operations: id, number in files, word, kind of communication in
 * reports (predict/interval.h). Numbers are never reused. */
#define TOPO_TRACE_OP_MAP(X) \
    X(BARRIER, 1, "barrier", REDUCTION) \
    X(BCAST, 2, "bcast", REMOTE) \
    X(REDUCE, 3, "reduce", REDUCTION) \
    X(ALLREDUCE, 4, "allreduce", REDUCTION) \
    X(GATHER, 5, "gather", REMOTE) \
    X(GATHERV, 6, "gatherv", REMOTE) \
    X(SCATTER, 7, "scatter", REMOTE) \
    X(SCATTERV, 8, "scatterv", REMOTE) \
    X(ALLGATHER, 9, "allgather", REMOTE) \
    X(ALLGATHERV, 10, "allgatherv", REMOTE) \
    X(ALLTOALL, 11, "alltoall", REDISTRIBUTION) \
    X(ALLTOALLV, 12, "alltoallv", REDISTRIBUTION) \
    X(ALLTOALLW, 13, "alltoallw", REDISTRIBUTION) \
    X(REDUCE_SCATTER, 14, "reduce_scatter", REDUCTION) \
    X(REDUCE_SCATTER_BLOCK, 15, "reduce_scatter_block", REDUCTION) \
    X(SCAN, 16, "scan", REDUCTION) \
    X(EXSCAN, 17, "exscan", REDUCTION)

enum topo_trace_op {
    TOPO_TRACE_OP_NONE,
#define X(id, number, word, kind) TOPO_TRACE_OP_##id = number,
    TOPO_TRACE_OP_MAP(X)
#undef X
        TOPO_TRACE_OPS
};

/* "allgather", ...; "unknown" for other numbers. */
const char *topo_trace_op_name(unsigned op);

/* Integers are unsigned LEB128: seven bits a byte, least significant first, the
 * top bit set on all bytes but the last. Signed ones are zigzag coded before. */
enum { TOPO_TRACE_INTEGER_BYTES = 10 }; /* at most */

static inline uint64_t topo_trace_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t topo_trace_unzigzag(uint64_t coded)
{
    return (int64_t)(coded >> 1) ^ -(int64_t)(coded & 1);
}

/* Identity of the run, first record of every file. */
struct topo_trace_job {
    uint64_t id; /* equal in all files of a run */
    int rank, ranks;
    const char *host, *program, *version;
    int cpus;         /* this process may use at once */
    int64_t started;  /* seconds since 1970 */
    int64_t to_rank0; /* nanoseconds to add to this rank's clock to get rank 0's */
    uint64_t clock;   /* this rank's clock when the trace began, nanoseconds */
};

/* Time between two events that the rank spent outside MPI and outside the calls
 * summed up in a P2P record, nanoseconds; cpu: of it on a CPU. */
struct topo_trace_gap {
    uint64_t wall, cpu;
};

struct topo_trace_collective {
    struct topo_trace_gap gap;
    unsigned op;
    unsigned algorithm; /* string; 0: the MPI library's own */
    unsigned group;
    unsigned root;        /* rank in the group; 0 where there is none */
    uint64_t bytes;       /* as docs/TRACE-FORMAT.md says for the operation */
    unsigned vector;      /* bytes to or from each rank; 0: none */
    uint64_t nanoseconds; /* in the call */
};

/* Messages to one rank since the last event. */
struct topo_trace_peer {
    int rank; /* of MPI_COMM_WORLD */
    uint64_t messages, bytes;
};

#endif
