/* Names of algorithms with a packet length, "cyclic@64K", and what a list may say. */
#ifndef TOPO_BENCH_PACKETS_H
#define TOPO_BENCH_PACKETS_H

#include <stdbool.h>
#include <stddef.h>

#include "topo-bench/report.h"
#include "topo-bench/sizes.h"

/* Reads what follows the '@': 0 (synchronously), a size, or a range as in a list of
 * sizes. Free with bench_sizes_free() in every case. Errors: TOPO_PARSE, TOPO_NOMEM. */
enum topo_status bench_packets_read(const char *text, struct bench_sizes *packets, struct topo_error *error);

/* "cyclic@64K" -> 64K. False when the name has no packet. */
bool bench_packet_of(const char *name, size_t *packet);

/* True when the report compares packets: at least two of them that are longer than 0. */
bool bench_has_packets(const struct bench_report *report);

/* MB/s over the packet, a line for each size and algorithm; dashed: synchronously (@0). */
void bench_chart_packets(const struct bench_report *report, struct topo_text *out);

#endif
