/* Memory: every allocation of the library goes through these, so that tests can
 * make the k-th one fail (OOM cases) and overflow is checked in one place. */
#ifndef TOPO_BASE_MEMORY_H
#define TOPO_BASE_MEMORY_H

#include <stddef.h>

/* `count` elements of `size` bytes, zeroed. NULL when out of memory or when the
 * product overflows. count == 0 gives a valid pointer. Free with topo_free(). */
void *topo_calloc(size_t count, size_t size);

/* Like topo_calloc(), contents undefined. */
void *topo_alloc(size_t count, size_t size);

/* Grows or shrinks; on failure NULL and the old block stays valid. */
void *topo_realloc(void *block, size_t count, size_t size);

/* A copy of `text`; NULL when out of memory. Free with topo_free(). */
char *topo_strdup(const char *text);

/* NULL is harmless. */
void topo_free(void *block);

/* Tests only: after `after` further successful allocations every one fails;
 * a negative value switches the failing off. */
void topo_memory_fail_after(long after);

#endif
