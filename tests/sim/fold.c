/* Memory for long vectors of thousands of ranks, which are contexts of one process: with SIM_FOLD in the environment
 * all of a block behind its first MiB is the same few pages. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/world.h"

enum { PAGE = 4096 };
/* Of a block that is folded: bytes at its start that are its own, and bytes that all of them have in common. */
static const size_t own_bytes = (size_t)1 << 20, common_bytes = (size_t)8 << 20, fold_from = (size_t)2 << 20;
/* Addresses for blocks, one after the other: whether one is a block of this file is a comparison. */
static const size_t arena_bytes = (size_t)1 << 45;
static char *arena, *arena_next;

bool sim_folds(void)
{
    const char *words = getenv("SIM_FOLD");
    return words && *words;
}

bool sim_map_folded(char *at, size_t bytes)
{
    static int common = -1;
    size_t own = bytes < fold_from || !sim_folds() ? bytes : own_bytes;
    if (common < 0) {
        common = memfd_create("sim", 0);
        if (common < 0 || ftruncate(common, (off_t)common_bytes) != 0)
            abort();
    }
    if (mmap(at, own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    for (size_t done = own; done < bytes; done += common_bytes) {
        size_t some = bytes - done < common_bytes ? bytes - done : common_bytes;
        if (mmap(at + done, some, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, common, 0) == MAP_FAILED)
            return false;
    }
    return true;
}

/* A page in front says how long the block is. */
void *sim_fold(size_t bytes)
{
    size_t all = PAGE + (bytes + PAGE - 1) / PAGE * PAGE;
    if (!arena) {
        arena = mmap(NULL, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena == MAP_FAILED)
            abort();
        arena_next = arena;
    }
    char *block = arena_next;
    if (all > (size_t)(arena + arena_bytes - block) || mprotect(block, PAGE, PROT_READ | PROT_WRITE) != 0 ||
        !sim_map_folded(block + PAGE, all - PAGE))
        return NULL;
    arena_next += all;
    memcpy(block, &all, sizeof all);
    return block + PAGE;
}

void sim_unfold(void *block)
{
    size_t all;
    if (!block)
        return;
    char *start = (char *)block - PAGE;
    memcpy(&all, start, sizeof all);
    mmap(start, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void *sim_alloc(size_t bytes)
{
    return bytes >= fold_from && sim_folds() ? sim_fold(bytes) : malloc(bytes);
}

void sim_free(void *block)
{
    if (arena && (char *)block >= arena && (char *)block < arena_next)
        sim_unfold(block);
    else
        free(block);
}

/* `new unsigned char[]`: SimGrid's collectives have the vectors that they need by it, SimGrid's own tables are none.
 * Such long ones are not initialised. */
void *array_new(size_t bytes) __asm__("_Znam");
void *array_new(size_t bytes)
{
    void *block = sim_alloc(bytes);
    if (!block)
        abort();
    return block;
}

void array_delete(void *block) __asm__("_ZdaPv");
void array_delete(void *block)
{
    sim_free(block);
}
