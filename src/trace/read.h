/* Reads the traces of an MPI run: one file a rank in a folder (topompi-trace(5)). */
#ifndef TOPO_TRACE_READ_H
#define TOPO_TRACE_READ_H

#include <stdbool.h>

#include "base/status.h"
#include "base/notes.h"
#include "base/watch.h"
#include "trace/format.h"

enum topo_trace_event_kind { TOPO_TRACE_EVENT_BEGIN, TOPO_TRACE_EVENT_END, TOPO_TRACE_EVENT_COLLECTIVE };

/* Point-to-point calls between two events, and what they sent. */
struct topo_trace_traffic {
    uint64_t calls, nanoseconds;
    const struct topo_trace_peer *peers;
    int count;
};

/* One event. In front of it lie gap (computation) and, if traffic.calls > 0, point-to-point calls. */
struct topo_trace_event {
    enum topo_trace_event_kind kind;
    struct topo_trace_traffic traffic;
    struct topo_trace_collective call; /* gap counts for all kinds, the rest for collectives */
    const char *name, *file; /* begin: of the interval, NULL: none; collective: name = algorithm, NULL: MPI's own */
    uint64_t line;
};

/* A communicator: count members; world[i] = rank of MPI_COMM_WORLD. */
struct topo_trace_group {
    int own, count;
    const int *world;
};

struct topo_trace_vector {
    int count;
    const uint64_t *bytes;
};

struct topo_trace_rank {
    char *path;
    struct topo_trace_job job;
    struct topo_trace_event *events;
    size_t count;
    bool finished;              /* false: the program ended early */
    struct topo_trace_gap tail; /* behind the last event, known when finished */
    struct topo_trace_traffic tail_traffic;
    const struct topo_trace_group *groups;
    int group_count;
    const struct topo_trace_vector *vectors;
    int vector_count;
    struct topo_trace_memory *memory; /* what the pointers above point into */
};

/* Parses one file's content. What was read before an error is kept: TOPO_PARSE
 * then, with the path and the byte where it is noted. Free with
 * topo_trace_rank_free() in every case. */
enum topo_status topo_trace_parse(const void *content, size_t length, const char *path, struct topo_trace_rank *rank,
                                  struct topo_notes *notes);
void topo_trace_rank_free(struct topo_trace_rank *rank);

/* Group or vector by id; NULL when there is none. */
const struct topo_trace_group *topo_trace_group(const struct topo_trace_rank *rank, unsigned id);
const struct topo_trace_vector *topo_trace_vector(const struct topo_trace_rank *rank, unsigned id);

/* A whole run; rank[r].path NULL: that rank is missing. */
struct topo_trace_run {
    int ranks;
    struct topo_trace_rank *rank; /* [ranks] */
    int missing;
};

/* Reads all files of a folder. Files of another run than that of the lowest rank
 * are left out with a warning; missing ranks, cut files, unbalanced intervals
 * are noted. TOPO_PARSE: some error was noted, *run holds what could be read;
 * TOPO_IO, TOPO_NOMEM: nothing. Free with topo_trace_run_free() in every case.
 * `watch` (NULL: nobody) is told of the files. */
enum topo_status topo_trace_read(const char *folder, struct topo_trace_run *run, const struct topo_watch *watch,
                                 struct topo_notes *notes);
void topo_trace_run_free(struct topo_trace_run *run);

#endif
