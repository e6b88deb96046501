/* The line on standard error that overwrites itself: what is measured, and about how long the rest takes. */
#ifndef TOPO_BENCH_PROGRESS_H
#define TOPO_BENCH_PROGRESS_H

#include <stdbool.h>

#include "base/text.h"

/* Of the whole run: sizes of all operations; `through` of them are done, the one in hand in part. */
struct bench_done {
    double seconds; /* since the measuring began */
    int sizes;
    double through;
};

/* "; 2 of 8 sizes, about 40 s left" appended to `out`; without a guess while less than a twentieth is through, since
 * first sizes are not like the others. */
void bench_progress_left(const struct bench_done *done, struct topo_text *out);

/* The run begins: so many sizes of all operations. Nothing is shown before, nor when `shown` is false. */
void bench_progress_begin(bool shown, int sizes);

/* Shows the line: "topo-bench: ", the text, how far the run is. `part`: of the size in hand, 0 .. 1. */
void bench_progress(double part, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A size is through: the line goes. */
void bench_progress_size(void);

#endif
