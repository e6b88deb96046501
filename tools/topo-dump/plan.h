/* Between the files of topo-dump plan: when each position of a call begins and ends by the model. */
#ifndef TOPO_DUMP_PLAN_H
#define TOPO_DUMP_PLAN_H

#include "base/text.h"
#include "model/price.h"
#include "plan/run.h"

struct dump_plan_position {
    int rank, task;
    struct topo_step step;
    double begin, end;
};

struct dump_plan_times {
    const struct topo_tree *tree;
    const struct topo_plan *plan; /* [tree->ranks] */
    struct dump_plan_position *position;
    int count, room;
    bool failed;
    int *first; /* [tree->ranks] where a rank's tasks begin in: */
    double *begin, *end;
    double seconds; /* of the call; below 0: not known */
};

/* Gets them, of a tree and plans, by the levels as shipped; free them in any case. */
void dump_plan_time(const struct topo_plan_input *call, struct dump_plan_times *times);
void dump_plan_times_free(struct dump_plan_times *times);

/* When a task begins and when it is over. False: it moves nothing, or no times are known. */
bool dump_plan_task(const struct dump_plan_times *times, int rank, int task, double *begin, double *end);

extern const char *const dump_plan_kinds[];

/* The ranks as lines, time to the right; `title` above. */
void dump_plan_svg(const struct dump_plan_times *times, const char *title, struct topo_text *out);

#endif
