/* Between the files of the trace reader: the fields of a record, and what one file defines. */
#ifndef TOPO_TRACE_FIELDS_H
#define TOPO_TRACE_FIELDS_H

#include <limits.h>

#include "trace/read.h"

enum { TOPO_TRACE_RANKS_MAX = 1 << 20, TOPO_TRACE_MEMBERS_MAX = 1 << 26, TOPO_TRACE_DEPTH_MAX = 1000 };

/* Everything small that a trace needs, freed at once. */
struct topo_trace_memory {
    struct topo_trace_memory *next;
};

struct topo_trace_reader {
    struct topo_trace_rank *rank;
    struct topo_notes *notes;
    const unsigned char *start, *at, *end; /* of the payload in hand */
    const char **strings;
    int string_count;
    struct topo_trace_group *groups;
    struct topo_trace_vector *vectors;
    struct topo_trace_traffic traffic; /* in front of the next event */
    int peer_room;                     /* of traffic.peers */
    int depth;
    long members;
    bool out_of_memory, bad;
};

/* Notes what is wrong where the reader stands; false. */
bool topo_trace_complain(struct topo_trace_reader *reader, const char *what);

/* Zeroed memory that lives as long as the trace; NULL: out_of_memory is set. */
void *topo_trace_keep(struct topo_trace_reader *reader, size_t count, size_t size);

/* Room for one more element of an array that doubles when `count` is a power of two; check out_of_memory. */
void *topo_trace_grow(struct topo_trace_reader *reader, void *array, int count, size_t size);

/* Fields, one after the other; false after a complaint or when memory is out. */
bool topo_trace_get(struct topo_trace_reader *reader, uint64_t *value);
bool topo_trace_get_up_to(struct topo_trace_reader *reader, uint64_t most, uint64_t *value);
bool topo_trace_get_int(struct topo_trace_reader *reader, int most, int *value);
bool topo_trace_get_id(struct topo_trace_reader *reader, unsigned *value);
bool topo_trace_get_new_id(struct topo_trace_reader *reader, int defined); /* definitions count up from 1 */
bool topo_trace_get_text(struct topo_trace_reader *reader, const char **text);
bool topo_trace_get_gap(struct topo_trace_reader *reader, struct topo_trace_gap *gap);

/* -- define.c: the records that events refer to -- */
bool topo_trace_read_job(struct topo_trace_reader *reader);
bool topo_trace_read_string(struct topo_trace_reader *reader);
bool topo_trace_read_group(struct topo_trace_reader *reader);
bool topo_trace_read_vector(struct topo_trace_reader *reader);
const char *topo_trace_string_of(const struct topo_trace_reader *reader, unsigned id); /* NULL: none */

#endif
