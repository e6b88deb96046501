#include "topo-bench/progress.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/progress.h"
#include "topo-bench/request.h"

static struct {
    bool shown;
    int sizes, through;
    double started;
} run;

void bench_progress_left(const struct bench_done *done, struct topo_text *out)
{
    topo_text_addf(out, "; %d of %d sizes", (int)done->through, done->sizes);
    cli_time_left(done->seconds, done->sizes > 0 ? done->through / done->sizes : 0, out);
}

void bench_progress_begin(bool shown, int sizes)
{
    run.shown = shown;
    run.sizes = sizes;
    run.through = 0;
    run.started = cli_now();
}

void bench_progress(double part, const char *format, ...)
{
    struct topo_text line = {0};
    char what[200];
    va_list args;
    if (!run.shown)
        return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    topo_text_add(&line, what);
    bench_progress_left(&(struct bench_done){cli_now() - run.started, run.sizes, run.through + part}, &line);
    cli_progress(BENCH_TOOL, line.failed ? what : line.text);
    topo_text_free(&line);
}

void bench_progress_size(void)
{
    run.through++;
    if (run.shown)
        cli_progress_clear();
}
