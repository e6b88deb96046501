#include "observe/stats.h"

#include <pthread.h>
#include <stdio.h>

#include "base/log.h"
#include "base/text.h"
#include "job/job.h"
#include "select/trial.h"

/* Size bin k holds the calls of 2^(k-1) < bytes <= 2^k; bin 0 those of 0 and 1 byte. */
enum { BINS = 65 };

static struct {
    long calls, modelled; /* all, and those whose native time the model knows */
    double seconds, native;
} counted[TOPO_ALGORITHM_COUNT][BINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool topo_stats_wanted(void)
{
    return topo_job.active && topo_job.options.value[TOPO_OPTION_STATS].flag;
}

void topo_stats_add(const struct topo_algorithm *algorithm, size_t bytes, double seconds, double native)
{
    int bin = topo_size_class(bytes);
    pthread_mutex_lock(&lock);
    counted[algorithm->id][bin].calls++;
    counted[algorithm->id][bin].seconds += seconds;
    if (native >= 0) {
        counted[algorithm->id][bin].modelled++;
        counted[algorithm->id][bin].native += native;
    }
    pthread_mutex_unlock(&lock);
}

void topo_stats_print(void)
{
    bool headed = false;
    if (!topo_stats_wanted() || topo_job.rank != 0)
        return;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (int bin = 0; bin < BINS; bin++) {
            char size[32], native[32] = "-";
            long calls = counted[id][bin].calls, modelled = counted[id][bin].modelled;
            if (!calls)
                continue;
            if (!headed)
                topo_say("%-10s %10s %10s  %-28s %14s %14s %14s", "operation", "bytes <=", "calls", "algorithm",
                         "total ms", "us a call", "native, model");
            headed = true;
            topo_format_size((size_t)1 << bin, size, sizeof size);
            if (modelled)
                snprintf(native, sizeof native, "%.2f", counted[id][bin].native * 1e6 / (double)modelled);
            topo_say("%-10s %10s %10ld  %-28s %14.3f %14.2f %14s", topo_operation_name(topo_algorithm(id)->operation),
                     size, calls, topo_algorithm(id)->name, counted[id][bin].seconds * 1e3,
                     counted[id][bin].seconds * 1e6 / (double)calls, native);
        }
}
