/* Lib-DVM traces, and what is predicted from them. */
#include "readers/readers.h"

#include <math.h>

#include "topo-predict-dvm/dvm_model.h"

static void check_trace(const struct topo_dvm_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct topo_dvm_call *call = &trace->calls[i];
        MUST(call->in + call->in_count <= trace->param_count && call->out + call->out_count <= trace->param_count,
             "call %zu has parameters that are not there", i);
        MUST(isfinite(call->call_time) && call->call_time >= 0 && call->return_time >= 0, "times of call %zu", i);
        MUST(call->name && *call->name && call->file && call->line >= 0 && call->trace_line > 0, "call %zu", i);
        MUST(i == 0 ? call->depth == 0 : call->depth <= trace->calls[i - 1].depth + 1, "depth of call %zu", i);
    }
    for (size_t i = 0; i < trace->param_count; i++)
        MUST(trace->params[i].name && trace->params[i].value && trace->params[i].index >= -1, "parameter %zu", i);
    MUST(trace->dimensions >= 0 && trace->dimensions <= 8, "%d dimensions", trace->dimensions);
}

static void predict(const struct topo_dvm_trace *trace, const char *topology, bool check)
{
    struct topo_dvm_par par;
    struct topo_intervals intervals;
    struct topo_notes notes = {0};
    topo_dvm_par_default(&par);
    if (topology)
        topo_dvm_par_topology(topology, &par.machine);
    enum topo_status status = topo_dvm_predict(trace, &par, &intervals, &notes);
    if (check) {
        reader_notes(status, &notes);
        if (status == TOPO_OK || status == TOPO_PARSE)
            reader_interval(intervals.root);
    }
    topo_notes_free(&notes);
    topo_intervals_free(&intervals);
}

READER(libdvm)
{
    struct topo_dvm_trace trace;
    struct topo_notes notes = {0};
    enum topo_status status = topo_dvm_parse((const char *)data, size, "f.trc", &trace, &notes);
    reader_notes(status, &notes);
    check_trace(&trace);
    predict(&trace, "2x2", true);
    predict(&trace, NULL, true);
    reader_scarce(data, size);
    predict(&trace, "2x2", false);
    topo_dvm_trace_free(&trace);
    topo_dvm_parse((const char *)data, size, "f.trc", &trace, &notes);
    reader_plenty();
    topo_dvm_trace_free(&trace);
    topo_notes_free(&notes);
    return 0;
}
