/* Writes the records of a trace into memory that the caller provides piece by
 * piece. A record becomes visible as a whole: its type, which is 0 before, is
 * stored last, so that whatever ends the process leaves a readable file. */
#ifndef TOPO_TRACE_WRITE_H
#define TOPO_TRACE_WRITE_H

#include <stdbool.h>

#include "trace/format.h"

struct topo_trace_writer {
    /* Zeroed memory for at least `bytes` more behind what was written so far, or
     * false: the record is then dropped and counted. Sets window and room. */
    bool (*reserve)(struct topo_trace_writer *writer, size_t bytes);
    void *context;
    unsigned char *window; /* where the next record goes */
    size_t room;           /* bytes there */
    uint64_t written;      /* in all, with the magic */
    uint64_t dropped;      /* records that found no memory */
};

/* Each appends one record. The ids of strings, groups and vectors are the
 * caller's: 1, 2, ... each in its kind; a record refers only to ids defined before. */
void topo_trace_write_magic(struct topo_trace_writer *writer);
void topo_trace_write_job(struct topo_trace_writer *writer, const struct topo_trace_job *job);
void topo_trace_write_string(struct topo_trace_writer *writer, unsigned id, const char *text);

/* world[i] = rank in MPI_COMM_WORLD of member i; `own` = this rank's number in the group. */
void topo_trace_write_group(struct topo_trace_writer *writer, unsigned id, int own, const int *world, int count);
void topo_trace_write_vector(struct topo_trace_writer *writer, unsigned id, const uint64_t *bytes, int count);

/* name and file are strings (0: none). */
void topo_trace_write_begin(struct topo_trace_writer *writer, struct topo_trace_gap gap, unsigned name, unsigned file,
                            uint64_t line);
void topo_trace_write_end(struct topo_trace_writer *writer, struct topo_trace_gap gap);
void topo_trace_write_collective(struct topo_trace_writer *writer, const struct topo_trace_collective *call);

/* What was sent point to point since the last event or P2P record, and the number of such calls
 * (receiving and waiting ones too) with the time in them. */
void topo_trace_write_p2p(struct topo_trace_writer *writer, uint64_t calls, uint64_t nanoseconds,
                          const struct topo_trace_peer *peers, int count);
void topo_trace_write_lost(struct topo_trace_writer *writer);
void topo_trace_write_finish(struct topo_trace_writer *writer, struct topo_trace_gap gap);

#endif
