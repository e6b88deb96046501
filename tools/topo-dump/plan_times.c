#include "topo-dump/plan.h"

static void add(void *context, int rank, int task, const struct topo_step *step, double begin, double end)
{
    struct dump_plan_times *times = context;
    const int at = times->first[rank] + task;
    if (times->count == times->room) {
        times->failed |= !topo_grow(&times->position, (size_t)times->count, sizeof *times->position);
        times->room = times->count > 0 ? 2 * times->count : 1;
    }
    if (times->failed || step->count == 0)
        return;
    times->position[times->count++] = (struct dump_plan_position){rank, task, *step, begin, end};
    times->begin[at] = times->end[at] < 0 || begin < times->begin[at] ? begin : times->begin[at];
    times->end[at] = end > times->end[at] ? end : times->end[at];
}

void dump_plan_time(const struct topo_plan_input *call, struct dump_plan_times *times)
{
    const struct topo_price_watch watch = {add, times};
    struct topo_params params;
    int tasks = 0;
    topo_params_default(&params);
    times->seconds = -1;
    times->first = topo_alloc((size_t)times->tree->ranks, sizeof *times->first);
    for (int rank = 0; rank < times->tree->ranks && times->first; rank++) {
        times->first[rank] = tasks;
        tasks += times->plan[rank].tasks;
    }
    times->begin = topo_alloc((size_t)tasks + 1, sizeof *times->begin);
    times->end = topo_alloc((size_t)tasks + 1, sizeof *times->end);
    if (!times->first || !times->begin || !times->end)
        return;
    for (int i = 0; i < tasks; i++)
        times->end[i] = -1;
    times->seconds = topo_price_watched(times->tree, &params, times->plan, call, &watch);
    if (times->failed)
        times->seconds = -1;
}

void dump_plan_times_free(struct dump_plan_times *times)
{
    topo_free_all(times->position, times->first, times->begin, times->end);
}

bool dump_plan_task(const struct dump_plan_times *times, int rank, int task, double *begin, double *end)
{
    if (times->seconds < 0 || times->end[times->first[rank] + task] < 0)
        return false;
    *begin = times->begin[times->first[rank] + task];
    *end = times->end[times->first[rank] + task];
    return true;
}
