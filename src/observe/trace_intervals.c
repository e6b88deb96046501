#include "base/log.h"
#include "job/job.h"
#include "observe/trace_names.h"
#include "observe/trace_parts.h"

enum { DEPTH = 256, BEGIN = 1, END = 2 }; /* the last two: sites of events */

/* Open intervals: 0 = by the public function, else the level of MPI_Pcontrol. */
static int open_intervals[DEPTH], depth;
static int beyond; /* begun by the public function inside DEPTH others: not recorded, nor is their end */

static void begin(const char *name, const char *source, int line, int level)
{
    uint64_t entered = topo_trace_enter();
    if (depth == DEPTH) {
        beyond += level == 0;
        return;
    }
    struct topo_trace_gap gap = topo_trace_gap_until(entered);
    unsigned name_id = topo_trace_name(&topo_trace_out, name), file_id = topo_trace_name(&topo_trace_out, source);
    topo_trace_write_begin(&topo_trace_out, gap, name_id, file_id, line > 0 ? (uint64_t)line : 0);
    open_intervals[depth++] = level;
    topo_trace_event_ended(topo_trace_enter(), (uint64_t)name_id << 32 | (uint64_t)BEGIN << 24);
}

static void end(void)
{
    struct topo_trace_gap gap = topo_trace_gap_until(topo_trace_enter());
    topo_trace_write_end(&topo_trace_out, gap);
    depth--;
    topo_trace_event_ended(topo_trace_enter(), (uint64_t)depth << 32 | (uint64_t)END << 24);
}

void topo_trace_interval_begin(const char *name, const char *source, int line)
{
    if (!topo_trace_on)
        return;
    pthread_mutex_lock(&topo_trace_lock);
    begin(name, source, line, 0);
    pthread_mutex_unlock(&topo_trace_lock);
}

/* Ends what MPI_Pcontrol began inside it, too. */
void topo_trace_interval_end(void)
{
    static bool said;
    if (!topo_trace_on)
        return;
    pthread_mutex_lock(&topo_trace_lock);
    if (beyond > 0) {
        beyond--;
        pthread_mutex_unlock(&topo_trace_lock);
        return;
    }
    int outer = depth - 1;
    while (outer >= 0 && open_intervals[outer] > 0)
        outer--;
    if (outer < 0 && !said)
        topo_say("topompi_interval_end() without a begin on rank %d; it is ignored", topo_job.rank);
    said = said || outer < 0;
    while (outer >= 0 && depth > outer)
        end();
    pthread_mutex_unlock(&topo_trace_lock);
}

/* MPI_Pcontrol(L), L > 0: an interval of level L begins, those of level L and
 * inside end; 0: all end; -L: those of level L and inside end. */
void topo_trace_pcontrol(int level, const void *caller)
{
    char place[TOPO_TRACE_PLACE_MAX];
    int bound = level < 0 ? -(level + 1) + 1 : level;
    if (!topo_trace_on)
        return;
    pthread_mutex_lock(&topo_trace_lock);
    while (depth > 0 && open_intervals[depth - 1] > 0 && (level == 0 || open_intervals[depth - 1] >= bound))
        end();
    if (level > 0) {
        topo_trace_place(caller, place);
        begin(place, NULL, 0, level);
    }
    pthread_mutex_unlock(&topo_trace_lock);
}
