/* The list of message sizes a measurement goes through. */
#ifndef TOPO_BENCH_SIZES_H
#define TOPO_BENCH_SIZES_H

#include <stddef.h>

#include "base/status.h"

struct bench_sizes {
    size_t *bytes; /* ascending, each once; topo_free() by bench_sizes_free() */
    int count;
};

/* Reads "8,64,1K..1M,4M..1G:4": sizes of 1 to 1G bytes (K, M, G are powers of
 * 1024), and ranges that multiply by FACTOR (2 when not given, 2..1024) from
 * their first size as long as they do not pass the last. Free with
 * bench_sizes_free() in every case. Errors: TOPO_PARSE naming the term and what
 * is allowed, TOPO_NOMEM. */
enum topo_status bench_sizes_read(const char *text, struct bench_sizes *sizes, struct topo_error *error);
void bench_sizes_free(struct bench_sizes *sizes);

/* Reads what follows the '@' of "cyclic@64K": 0 (synchronously), a size, or a range as in a list of sizes. Free and
 * errors as above. */
enum topo_status bench_packets_read(const char *text, struct bench_sizes *packets, struct topo_error *error);

#endif
