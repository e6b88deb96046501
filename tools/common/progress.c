#include "common/progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

double cli_now(void)
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

void cli_time_left(double seconds, double share, struct topo_text *out)
{
    const double least = 0.05;
    if (share < least)
        return;
    topo_text_add(out, ", about ");
    add_time(seconds * (1 - share) / share, out);
    topo_text_add(out, " left");
}

void cli_progress(const char *tool, const char *text)
{
    fprintf(stderr, "\r%s: %s \033[K", tool, text);
    fflush(stderr);
}

void cli_progress_clear(void)
{
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
}
