#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static long fail_after = -1;

void topo_memory_fail_after(long after)
{
    fail_after = after;
}

/* True when this allocation is to fail, because a test said so. */
static int must_fail(void)
{
    if (__builtin_expect(fail_after < 0, 1))
        return 0;
    if (fail_after == 0)
        return 1;
    fail_after--;
    return 0;
}

void *topo_calloc(size_t count, size_t size)
{
    if (must_fail())
        return NULL;
    return calloc(count ? count : 1, size ? size : 1);
}

void *topo_alloc(size_t count, size_t size)
{
    return topo_realloc(NULL, count, size);
}

void *topo_realloc(void *block, size_t count, size_t size)
{
    if (must_fail() || (size && count > SIZE_MAX / size))
        return NULL;
    size_t bytes = count * size;
    return realloc(block, bytes ? bytes : 1);
}

bool topo_grow(void *array, size_t count, size_t size)
{
    void *block;
    if (count & (count - 1))
        return true;
    memcpy(&block, array, sizeof block);
    block = topo_realloc(block, count ? 2 * count : 1, size);
    if (block)
        memcpy(array, &block, sizeof block);
    return block;
}

bool topo_grow_room(void *array, int count, int *room, size_t size)
{
    if (count < *room)
        return true;
    if (!topo_grow(array, (size_t)count, size))
        return false;
    *room = count > 0 ? 2 * count : 1;
    return true;
}

char *topo_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = topo_alloc(bytes, 1);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

void topo_free(void *block)
{
    free(block);
}

void topo_free_blocks(void *const *block, size_t count)
{
    for (size_t i = 0; i < count; i++)
        topo_free(block[i]);
}

void topo_free_scoped(void *variable)
{
    void *block;
    memcpy(&block, variable, sizeof block);
    topo_free(block);
}
