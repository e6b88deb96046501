/* Names in a trace: written to the file once, then referred to by number. */
#ifndef TOPO_OBSERVE_TRACE_NAMES_H
#define TOPO_OBSERVE_TRACE_NAMES_H

#include "trace/write.h"

/* The id of `text` (NULL and what does not fit any more: 0). */
unsigned topo_trace_name(struct topo_trace_writer *writer, const char *text);
void topo_trace_names_free(void);

/* An address in the program as text that is the same in every run and rank: file+offset. */
enum { TOPO_TRACE_PLACE_MAX = 300 };
void topo_trace_place(const void *address, char *place);

#endif
