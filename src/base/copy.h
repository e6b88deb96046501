/* Copying blocks within memory. */
#ifndef TOPO_BASE_COPY_H
#define TOPO_BASE_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* memcpy() without its slow case: where the C library copies by `rep movsb`, AMD Zen 3 processors take many times as
 * long when the target lies a few bytes after the source modulo 4 KiB, which is the usual case of a buffer from
 * malloc() filled from page-aligned shared memory. `stream` writes past the caches: for results larger than them, it
 * saves reading what is overwritten. */
void topo_copy(void *to, const void *from, size_t bytes, bool stream);

/* Copies `bytes` from *packed to `here` when `in`, else from `here` to *packed, and moves *packed behind them: for
 * blocks that lie one after the other in a message. */
static inline void topo_copy_packed(char *here, char **packed, size_t bytes, bool in)
{
    topo_copy(in ? here : *packed, in ? *packed : here, bytes, false);
    *packed += bytes;
}

/* Results of this many bytes and more are written past the caches: what a rank
 * can hope to find in its cache afterwards is less. */
enum { TOPO_COPY_STREAM = 4 << 20 };

#endif
