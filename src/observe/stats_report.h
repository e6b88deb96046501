/* TOPOMPI_STATS=json: what was counted, as one JSON value. Between stats.c and stats_json.c. */
#ifndef TOPO_OBSERVE_STATS_REPORT_H
#define TOPO_OBSERVE_STATS_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "catalog/algorithm.h"

/* Calls of one operation and size by one algorithm. */
struct topo_stats_cell {
    long calls, modelled, measured; /* all, and those whose native time the model knows or was measured */
    double seconds, modelled_native, measured_native;
    double measured_ours; /* of the calls whose native time was measured: what is compared with that */
};

/* Of all calls. */
struct topo_stats_total {
    long calls, ours;
    double seconds, elapsed;               /* in the calls; from MPI_Init to MPI_Finalize */
    double measured_native, measured_ours; /* calls of ours whose native time was measured in this run */
};

/* Begins the value: the job, the library, whether all is native because TOPOMPI=off. */
void topo_stats_json_begin(bool off, struct topo_text *out);

/* One row; calls of at most `bytes`. With `with_model` the model's native time, too. */
void topo_stats_json_row(const struct topo_algorithm *algorithm, size_t bytes, const struct topo_stats_cell *cell,
                         bool with_model, bool first, struct topo_text *out);

/* The collectives that are not taken over, number 0 and on: its calls by rank 0, and in *name its name; -1 behind the
 * last. */
long topo_stats_passed_calls(int number, const char **name);

/* The totals; the value ends with a line feed. Times are whole nanoseconds: no locale writes them in another way. */
void topo_stats_json_end(const struct topo_stats_total *total, struct topo_text *out);

#endif
