#include "topo-bench/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "topo-bench/request.h"

static struct {
    bool shown;
    int sizes, through;
    double started;
} run;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* "40 s", "12 min", "2 h 10 min": no finer than such a guess is. */
static void add_time(double seconds, struct topo_text *out)
{
    long minutes = lround(seconds / 60);
    if (seconds < 90)
        topo_text_addf(out, "%.0f s", seconds < 1 ? 1 : seconds);
    else if (minutes < 90)
        topo_text_addf(out, "%ld min", minutes);
    else
        topo_text_addf(out, "%ld h %02ld min", minutes / 60, minutes % 60);
}

void bench_progress_left(const struct bench_done *done, struct topo_text *out)
{
    const double least = 0.05;
    double share = done->sizes > 0 ? done->through / done->sizes : 0;
    topo_text_addf(out, "; %d of %d sizes", (int)done->through, done->sizes);
    if (share < least)
        return;
    topo_text_add(out, ", about ");
    add_time(done->seconds * (1 - share) / share, out);
    topo_text_add(out, " left");
}

void bench_progress_begin(bool shown, int sizes)
{
    run.shown = shown;
    run.sizes = sizes;
    run.through = 0;
    run.started = now();
}

void bench_progress(double part, const char *format, ...)
{
    struct topo_text left = {0};
    va_list args;
    if (!run.shown)
        return;
    bench_progress_left(&(struct bench_done){now() - run.started, run.sizes, run.through + part}, &left);
    fprintf(stderr, "\r" BENCH_TOOL ": ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "%s \033[K", left.failed ? "" : left.text);
    fflush(stderr);
    topo_text_free(&left);
}

void bench_progress_size(void)
{
    run.through++;
    if (!run.shown)
        return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
}
