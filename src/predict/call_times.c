#include "predict/call_times.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int topo_call_length(uint64_t bytes)
{
    return bytes < 2 ? 0 : 64 - __builtin_clzll((unsigned long long)bytes - 1);
}

bool topo_call_times_add(struct topo_call_times *times, const struct topo_call_row *more)
{
    int i = 0;
    while (i < times->count &&
           (times->row[i].length != more->length || strcmp(times->row[i].operation, more->operation) != 0))
        i++;
    if (i == times->count) {
        if (!topo_grow(&times->row, (size_t)i, sizeof *times->row))
            return false;
        times->row[times->count++] = *more;
        return true;
    }
    times->row[i].calls += more->calls;
    times->row[i].communication += more->communication;
    times->row[i].synchronization += more->synchronization;
    return true;
}

static int most_first(const void *a, const void *b)
{
    const struct topo_call_row *x = a, *y = b;
    double more = x->communication + x->synchronization, less = y->communication + y->synchronization;
    int name = strcmp(x->operation, y->operation);
    return more != less ? (more < less) - (more > less) : name ? name : x->length - y->length;
}

void topo_call_times_sort(struct topo_call_times *times)
{
    if (times->count)
        qsort(times->row, (size_t)times->count, sizeof *times->row, most_first);
}

void topo_call_times_free(struct topo_call_times *times)
{
    topo_free(times->row);
    *times = (struct topo_call_times){0};
}
