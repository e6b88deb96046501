/* What a predictor says on a terminal while it reads and predicts. */
#ifndef TOPO_PREDICT_PROGRESS_H
#define TOPO_PREDICT_PROGRESS_H

#include <stdbool.h>

#include "base/watch.h"

enum predict_shown { PREDICT_HIDDEN, PREDICT_LATE, PREDICT_SHOWN }; /* LATE: work that takes longer than a moment */

struct predict_progress {
    const char *tool;
    enum predict_shown shown;
    const char *what; /* the work of this stage, which has `steps` of one kind */
    int step, steps;
    double started, last; /* seconds: of the stage, of the line; 0: no line stands there */
    struct topo_watch watch;
};

/* A stage begins, "reading" in one step or "prediction" in several; shown from now on as `progress->shown` says. */
void predict_progress_stage(struct predict_progress *progress, const char *what, int steps);

/* Who is to be told of the stage's step number `step`, from 0. */
const struct topo_watch *predict_progress_step(struct predict_progress *progress, int step);

/* The stage is through: its line goes. */
void predict_progress_end(struct predict_progress *progress);

#endif
