/* The trace of one rank of an MPI program, as topompi-trace(5) tells it:
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

/* Collective operations; unknown numbers are read too, as those of a later version. */
enum topo_trace_op {
    TOPO_TRACE_OP_NONE,
#define TRACE_COLLECTIVE(NAME, name, number, communication) TOPO_TRACE_OP_##NAME = number,
#include "trace/collectives.def"
};

/* Integers are unsigned LEB128: seven bits a byte, least significant first, the
 * top bit set on all bytes but the last. Signed ones are zigzag coded before. */
enum { TOPO_TRACE_INTEGER_BYTES = 10 }; /* at most */

/* The code of a signed number: 0, 1, 2, 3, ... for 0, -1, 1, -2, ..., so that what is near to 0 takes few bytes. */
static inline uint64_t topo_trace_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

/* The signed number of a code. */
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
    uint64_t bytes;       /* as topompi-trace(5) says for the operation */
    unsigned vector;      /* bytes to or from each rank; 0: none */
    uint64_t nanoseconds; /* in the call */
};

/* Messages to one rank since the last event. */
struct topo_trace_peer {
    int rank; /* of MPI_COMM_WORLD */
    uint64_t messages, bytes;
};

#endif
