#include "predict/dvm/dvm_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "predict/dvm/dvm_model_parts.h"

struct topo_times *topo_rater_times(struct topo_rater *rater, int processor)
{
    struct topo_times *times = &rater->intervals->current->times[processor];
    times->took_part = true;
    return times;
}

void topo_rater_add(struct topo_rater *rater, int processor, double seconds, double *part)
{
    rater->clock[processor] += seconds;
    topo_rater_times(rater, processor)->execution += seconds;
    *part += seconds;
}

void topo_rater_main(struct topo_rater *rater, double call_time, double return_time)
{
    int n = rater->current->count;
    for (int i = 0; i < n; i++) {
        int p = rater->current->root[i];
        struct topo_times *times = topo_rater_times(rater, p);
        topo_rater_add(rater, p, call_time, &times->cpu);
        topo_rater_add(rater, p, return_time, &times->sys);
        times->insufficient_user += call_time * (n - 1) / n;
        times->insufficient_system += return_time * (n - 1) / n;
    }
}

static double latest(const struct topo_rater *rater)
{
    double clock = 0;
    for (int i = 0; i < rater->current->count; i++)
        if (rater->clock[rater->current->root[i]] > clock)
            clock = rater->clock[rater->current->root[i]];
    return clock;
}

double topo_rater_synchronize(struct topo_rater *rater, enum topo_comm_kind kind, double not_before)
{
    double clock = latest(rater);
    if (clock < not_before)
        clock = not_before;
    for (int i = 0; i < rater->current->count; i++) {
        int p = rater->current->root[i];
        topo_rater_add(rater, p, clock - rater->clock[p], &topo_rater_times(rater, p)->kind[kind].synch);
        rater->clock[p] = clock; /* exactly, whatever the addition rounded to */
    }
    return clock;
}

void topo_rater_communicate(struct topo_rater *rater, enum topo_comm_kind kind, double not_before, double seconds)
{
    topo_rater_synchronize(rater, kind, not_before);
    for (int i = 0; i < rater->current->count; i++) {
        int p = rater->current->root[i];
        topo_rater_add(rater, p, seconds, &topo_rater_times(rater, p)->kind[kind].comm);
    }
}

void topo_rater_wait(struct topo_rater *rater, enum topo_comm_kind kind, double start, double end)
{
    double last;
    for (int i = 0; i < rater->current->count; i++) {
        int p = rater->current->root[i];
        double clock = rater->clock[p];
        struct topo_comm_time *times = &topo_rater_times(rater, p)->kind[kind];
        times->overlap += (clock < end ? clock : end) - start;
        if (clock < end)
            topo_rater_add(rater, p, end - clock, &times->comm);
    }
    last = latest(rater);
    for (int i = 0; i < rater->current->count; i++) {
        int p = rater->current->root[i];
        topo_rater_times(rater, p)->time_variation += last - rater->clock[p];
    }
}

bool topo_rater_error(struct topo_rater *rater, const struct topo_dvm_call *call, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    topo_note_error(rater->notes, "%s:%d: %s (%.80s:%ld): %s", rater->trace->name, call->trace_line, call->name,
                    call->file, call->line, text);
    return false;
}

static bool make_root(struct topo_rater *rater)
{
    rater->root.dimensions = rater->machine.dimensions;
    memcpy(rater->root.size, rater->machine.size, sizeof rater->root.size);
    rater->root.count = rater->processors;
    rater->root.root = topo_alloc((size_t)rater->processors, sizeof *rater->root.root);
    rater->clock = topo_calloc((size_t)rater->processors, sizeof *rater->clock);
    for (int p = 0; rater->root.root && p < rater->processors; p++)
        rater->root.root[p] = p;
    rater->current = &rater->root;
    return rater->root.root && rater->clock;
}

enum topo_status topo_dvm_predict(const struct topo_dvm_trace *trace, const struct topo_dvm_par *par,
                                  struct topo_intervals *intervals, struct topo_notes *notes)
{
    struct topo_rater rater = {
        .trace = trace, .machine = par->machine, .power = par->power, .notes = notes, .intervals = intervals};
    long errors = notes->errors, product = 1;
    *intervals = (struct topo_intervals){0};
    if (!rater.machine.dimensions) {
        rater.machine.dimensions = trace->dimensions ? trace->dimensions : 1;
        for (int d = 0; d < rater.machine.dimensions; d++)
            rater.machine.size[d] = trace->dimensions ? trace->size[d] : 1;
    }
    for (int d = 0; d < rater.machine.dimensions; d++) {
        product *= rater.machine.size[d];
        if (product > TOPO_DVM_PROCESSORS_MAX) {
            topo_note_error(notes, "%s: the topology has more than %d processors", trace->name,
                            TOPO_DVM_PROCESSORS_MAX);
            return TOPO_INVALID;
        }
    }
    rater.processors = (int)product;
    rater.out_of_memory = !make_root(&rater) || topo_intervals_new(rater.processors, intervals, NULL) != TOPO_OK;
    for (size_t i = 0; i < trace->count && !rater.out_of_memory && !rater.stopped; i++)
        if (trace->calls[i].depth == 0)
            topo_dvm_call(&rater, &trace->calls[i]);
    if (!rater.out_of_memory && intervals->current->parent)
        topo_note_error(notes, "%s: interval %s:%ld does not end", trace->name,
                        intervals->current->file ? intervals->current->file : "?", intervals->current->line);
    while (rater.objects)
        topo_rater_delete(&rater, rater.objects);
    topo_rater_drop_shares(&rater);
    topo_free(rater.root.root);
    topo_free(rater.clock);
    if (rater.out_of_memory) {
        topo_intervals_free(intervals);
        topo_note_error(notes, "%s: out of memory", trace->name);
        return TOPO_NOMEM;
    }
    topo_intervals_integrate(intervals);
    return notes->errors > errors ? TOPO_PARSE : TOPO_OK;
}
