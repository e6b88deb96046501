#include "topo-predict/progress.h"

#include "base/memory.h"
#include "common/progress.h"

/* "prediction 2 of 5, 30 %, about 40 s left", a few times a second. */
static void tell(void *context, double share)
{
    const double moment = 0.5, pause = 0.2;
    struct predict_progress *progress = context;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text line = {0};
    double now = cli_now(), stage = (progress->step + share) / progress->steps;
    if (progress->shown == PREDICT_HIDDEN || (progress->shown == PREDICT_LATE && now - progress->started < moment) ||
        (progress->last > 0 && now - progress->last < pause))
        return;
    progress->last = now;
    topo_text_add(&line, progress->what);
    if (progress->steps > 1)
        topo_text_addf(&line, " %d of %d", progress->step + 1, progress->steps);
    topo_text_addf(&line, ", %.0f %%", 100 * stage);
    cli_time_left(now - progress->started, stage, &line);
    cli_progress(progress->tool, line.failed ? progress->what : line.text);
}

void predict_progress_stage(struct predict_progress *progress, const char *what, int steps)
{
    progress->what = what;
    progress->step = 0;
    progress->steps = steps;
    progress->started = cli_now();
    progress->last = 0;
    progress->watch = (struct topo_watch){tell, progress};
}

const struct topo_watch *predict_progress_step(struct predict_progress *progress, int step)
{
    progress->step = step;
    tell(progress, 0);
    return &progress->watch;
}

void predict_progress_end(struct predict_progress *progress)
{
    if (progress->last > 0)
        cli_progress_clear();
    progress->last = 0;
}
