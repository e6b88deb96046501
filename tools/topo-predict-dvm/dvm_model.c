#include "topo-predict-dvm/dvm_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "topo-predict-dvm/dvm_model_parts.h"

struct topo_times *topo_dvm_model_times(struct topo_dvm_model *model, int processor)
{
    struct topo_times *times = &model->intervals->current->times[processor];
    times->took_part = true;
    return times;
}

void topo_dvm_model_add(struct topo_dvm_model *model, int processor, double seconds, double *part)
{
    model->clock[processor] += seconds;
    topo_dvm_model_times(model, processor)->execution += seconds;
    *part += seconds;
}

void topo_dvm_model_main(struct topo_dvm_model *model, double call_time, double return_time)
{
    int n = model->current->count;
    for (int i = 0; i < n; i++) {
        int p = model->current->root[i];
        struct topo_times *times = topo_dvm_model_times(model, p);
        topo_dvm_model_add(model, p, call_time, &times->cpu);
        topo_dvm_model_add(model, p, return_time, &times->sys);
        times->insufficient_user += call_time * (n - 1) / n;
        times->insufficient_system += return_time * (n - 1) / n;
    }
}

static double latest(const struct topo_dvm_model *model)
{
    double clock = 0;
    for (int i = 0; i < model->current->count; i++)
        if (model->clock[model->current->root[i]] > clock)
            clock = model->clock[model->current->root[i]];
    return clock;
}

double topo_dvm_model_synchronize(struct topo_dvm_model *model, enum topo_comm_kind kind, double not_before)
{
    double clock = latest(model);
    if (clock < not_before)
        clock = not_before;
    for (int i = 0; i < model->current->count; i++) {
        int p = model->current->root[i];
        topo_dvm_model_add(model, p, clock - model->clock[p], &topo_dvm_model_times(model, p)->kind[kind].synch);
        model->clock[p] = clock; /* exactly, whatever the addition rounded to */
    }
    return clock;
}

void topo_dvm_model_communicate(struct topo_dvm_model *model, enum topo_comm_kind kind, double not_before,
                                double seconds)
{
    topo_dvm_model_synchronize(model, kind, not_before);
    for (int i = 0; i < model->current->count; i++) {
        int p = model->current->root[i];
        topo_dvm_model_add(model, p, seconds, &topo_dvm_model_times(model, p)->kind[kind].comm);
    }
}

void topo_dvm_model_wait(struct topo_dvm_model *model, enum topo_comm_kind kind, double start, double end)
{
    double last;
    for (int i = 0; i < model->current->count; i++) {
        int p = model->current->root[i];
        double clock = model->clock[p];
        struct topo_comm_time *times = &topo_dvm_model_times(model, p)->kind[kind];
        times->overlap += (clock < end ? clock : end) - start;
        if (clock < end)
            topo_dvm_model_add(model, p, end - clock, &times->comm);
    }
    last = latest(model);
    for (int i = 0; i < model->current->count; i++) {
        int p = model->current->root[i];
        topo_dvm_model_times(model, p)->time_variation += last - model->clock[p];
    }
}

void topo_dvm_model_warn(struct topo_dvm_model *model, const struct topo_dvm_call *call, const char *name,
                         const char *what)
{
    enum { MOST = sizeof model->warned / sizeof *model->warned };
    for (int i = 0; i < model->warned_count; i++)
        if (!strcmp(model->warned[i], name))
            return;
    if (model->warned_count < MOST)
        model->warned[model->warned_count++] = name;
    topo_note_warning(model->notes, "%s:%d: %s (%.80s:%ld)", model->trace->name, call->trace_line, what, call->file,
                      call->line);
}

bool topo_dvm_model_error(struct topo_dvm_model *model, const struct topo_dvm_call *call, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    topo_note_error(model->notes, "%s:%d: %s (%.80s:%ld): %s", model->trace->name, call->trace_line, call->name,
                    call->file, call->line, text);
    return false;
}

static bool make_root(struct topo_dvm_model *model)
{
    model->root.dimensions = model->machine.dimensions;
    memcpy(model->root.size, model->machine.size, sizeof model->root.size);
    model->root.count = model->processors;
    model->root.root = topo_alloc((size_t)model->processors, sizeof *model->root.root);
    model->clock = topo_calloc((size_t)model->processors, sizeof *model->clock);
    for (int p = 0; model->root.root && p < model->processors; p++)
        model->root.root[p] = p;
    model->current = &model->root;
    return model->root.root && model->clock;
}

/* Dimensions of the processor system that the program works with: those of the traced run, or
 * as many as it distributes a template over. */
static int program_dimensions(const struct topo_dvm_trace *trace)
{
    int dimensions = trace->dimensions;
    for (size_t i = 0; i < trace->count && !trace->dimensions; i++) {
        const struct topo_dvm_call *call = &trace->calls[i];
        long count, system;
        if ((!strcmp(call->name, "distr_") || !strcmp(call->name, "redis_")) &&
            topo_dvm_number(trace, call, TOPO_DVM_IN, "PSRef", 16, &system) && system == 0 &&
            topo_dvm_number(trace, call, TOPO_DVM_IN, "ParamCount", 10, &count) && count > dimensions &&
            count <= TOPO_DVM_DIMENSIONS_MAX)
            dimensions = (int)count;
    }
    return dimensions;
}

enum topo_status topo_dvm_predict(const struct topo_dvm_trace *trace, const struct topo_dvm_par *par,
                                  struct topo_intervals *intervals, struct topo_notes *notes)
{
    struct topo_dvm_model model = {
        .trace = trace, .machine = par->machine, .power = par->power, .notes = notes, .intervals = intervals};
    long errors = notes->errors, product = 1;
    *intervals = (struct topo_intervals){0};
    if (!model.machine.dimensions) {
        model.machine.dimensions = trace->dimensions ? trace->dimensions : 1;
        for (int d = 0; d < model.machine.dimensions; d++)
            model.machine.size[d] = trace->dimensions ? trace->size[d] : 1;
    }
    while (model.machine.dimensions < program_dimensions(trace))
        model.machine.size[model.machine.dimensions++] = 1;
    for (int d = 0; d < model.machine.dimensions; d++) {
        product *= model.machine.size[d];
        if (product > TOPO_DVM_PROCESSORS_MAX) {
            topo_note_error(notes, "%s: the topology has more than the %d processors that can be predicted",
                            trace->name, TOPO_DVM_PROCESSORS_MAX);
            return TOPO_INVALID;
        }
    }
    model.processors = (int)product;
    model.out_of_memory = !make_root(&model) || topo_intervals_new(model.processors, intervals, NULL) != TOPO_OK;
    for (size_t i = 0; i < trace->count && !model.out_of_memory && !model.stopped; i++)
        if (trace->calls[i].depth == 0)
            topo_dvm_call(&model, &trace->calls[i]);
    if (!model.out_of_memory && intervals->current->parent)
        topo_note_error(notes, "%s: interval %s:%ld does not end", trace->name,
                        intervals->current->file ? intervals->current->file : "?", intervals->current->line);
    while (model.objects)
        topo_dvm_model_delete(&model, model.objects);
    topo_dvm_model_drop_shares(&model);
    topo_free(model.root.root);
    topo_free(model.clock);
    if (model.out_of_memory) {
        topo_intervals_free(intervals);
        topo_note_error(notes, "%s: out of memory", trace->name);
        return TOPO_NOMEM;
    }
    topo_intervals_integrate(intervals);
    return notes->errors > errors ? TOPO_PARSE : TOPO_OK;
}
