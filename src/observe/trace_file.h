/* The file of a trace as memory: mapped window by window. */
#ifndef TOPO_OBSERVE_TRACE_FILE_H
#define TOPO_OBSERVE_TRACE_FILE_H

#include "base/status.h"
#include "trace/write.h"

struct topo_trace_file {
    int fd;
    unsigned char *map;
    size_t map_bytes;
    uint64_t allocated; /* bytes of the file that are there */
    char path[1024];
};

/* Creates rank `rank`'s file in `folder` (made when missing; an older file is
 * replaced) and readies *writer for it. Errors: TOPO_IO with path and reason. */
enum topo_status topo_trace_file_open(const char *folder, int rank, struct topo_trace_file *file,
                                      struct topo_trace_writer *writer, struct topo_error *error);

/* Cuts the file behind what was written and closes it; harmless when it is not open. */
void topo_trace_file_close(struct topo_trace_file *file, const struct topo_trace_writer *writer);

#endif
