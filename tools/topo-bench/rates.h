/* Rates of links, as people write them: bits per second with a unit. */
#ifndef TOPO_BENCH_RATES_H
#define TOPO_BENCH_RATES_H

#include "base/status.h"
#include "base/text.h"
#include "machine/tree.h"

/* Bytes per second through the link of one unit of each kind of level, each way; 0: not given. */
struct bench_rates {
    double kind[TOPO_LEVEL_KINDS];
};

/* Reads a rate, "100mbit", "2.5gbit", as bytes per second; kbit, mbit, gbit,
 * tbit are powers of 1000. False when it is none. */
bool bench_rate_read(const char *text, double *bytes_per_second);

/* Writes it: "991.2 Mbit/s". */
void bench_rate_write(double bytes_per_second, struct topo_text *out);

/* Reads "node=1gbit,switch=500mbit"; the names are those of topo_level_name().
 * Errors: TOPO_PARSE naming the term and what is allowed, TOPO_NOMEM. */
enum topo_status bench_rates_read(const char *text, struct bench_rates *rates, struct topo_error *error);

/* The rate of each level of the tree, rate[tree->levels]. Errors: TOPO_INVALID
 * when a rate is given for a kind of level that the tree has not. */
enum topo_status bench_rates_of(const struct bench_rates *rates, const struct topo_tree *tree, double *rate,
                                struct topo_error *error);

#endif
