#include "sim/world.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "sim/shm.h"

enum { NODES_MOST = 1 << 17, REGIONS_MOST = 1 << 16, NAME_BYTES = 96, FIRST_DESCRIPTOR = 1 << 24 };
/* Addresses for shared memory, one after the other: whether one is shared is a comparison. */
static const size_t arena_bytes = (size_t)1 << 42;

static struct node {
    const void *key;
    struct sim_rank *first;
} nodes[NODES_MOST];

static struct region {
    char name[NAME_BYTES];
    char *base;
    size_t bytes;
    int users; /* mappings */
} regions[REGIONS_MOST];
static int region_count;
static char *arena, *arena_next;

static struct node *node_of(const void *key)
{
    size_t at = (size_t)((uintptr_t)key / 64 * 2654435761u) % NODES_MOST;
    while (nodes[at].key && nodes[at].key != key)
        at = (at + 1) % NODES_MOST;
    nodes[at].key = key;
    return &nodes[at];
}

/* The ranks of a node are a circle. */
struct sim_rank *sim_join(int number, const void *key)
{
    struct sim_rank *rank = calloc(1, sizeof *rank);
    struct node *node = node_of(key);
    if (!rank)
        abort();
    rank->number = number;
    rank->next = node->first ? node->first->next : rank;
    if (node->first)
        node->first->next = rank;
    else
        node->first = rank;
    return rank;
}

struct sim_rank *sim_wake_one(const struct sim_rank *self)
{
    for (struct sim_rank *rank = self->next; rank != self; rank = rank->next) {
        if (!rank->waits || (rank->counter && (int32_t)(atomic_load(rank->counter) - rank->target) < 0))
            continue;
        rank->waits = false;
        return rank;
    }
    return NULL;
}

/* -- memory that nodes share: the calls of src/node/segment.c
 * ----------------------------------------------------------
 */

static void *take(size_t bytes)
{
    if (!arena) {
        arena = mmap(NULL, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena == MAP_FAILED)
            abort();
        arena_next = arena;
    }
    return arena_next + bytes < arena + arena_bytes ? arena_next : NULL;
}

bool sim_is_shared(const void *at)
{
    return arena && (const char *)at >= arena && (const char *)at < arena_next;
}

static struct region *region_at(int descriptor)
{
    int at = descriptor - FIRST_DESCRIPTOR;
    return at >= 0 && at < region_count ? &regions[at] : NULL;
}

int sim_shm_open(const char *name, int flags, mode_t mode)
{
    (void)mode;
    for (int i = region_count - 1; i >= 0; i--)
        if (!strcmp(regions[i].name, name))
            return flags & O_CREAT ? -1 : FIRST_DESCRIPTOR + i;
    if (!(flags & O_CREAT) || region_count == REGIONS_MOST)
        return -1;
    snprintf(regions[region_count].name, NAME_BYTES, "%s", name);
    return FIRST_DESCRIPTOR + region_count++;
}

int sim_fchmod(int descriptor, mode_t mode)
{
    (void)mode;
    return region_at(descriptor) ? 0 : -1;
}

int sim_ftruncate(int descriptor, off_t bytes)
{
    enum { GAP = 4096 };
    struct region *region = region_at(descriptor);
    if (!region || region->base || !(region->base = take((size_t)bytes + GAP)))
        return -1;
    region->bytes = (size_t)bytes;
    arena_next += ((size_t)bytes + 2 * GAP - 1) / GAP * GAP;
    return 0;
}

int sim_posix_fallocate(int descriptor, off_t at, off_t bytes)
{
    struct region *region = region_at(descriptor);
    return region && (size_t)(at + bytes) <= region->bytes ? 0 : EINVAL;
}

void *sim_mmap(void *at, size_t bytes, int access, int flags, int descriptor, off_t offset)
{
    struct region *region = region_at(descriptor);
    (void)at;
    (void)access;
    (void)flags;
    if (!region || offset != 0 || bytes > region->bytes ||
        (region->users == 0 && !sim_map_folded(region->base, region->bytes)))
        return MAP_FAILED;
    region->users++;
    return region->base;
}

int sim_munmap(void *base, size_t bytes)
{
    for (int i = region_count - 1; i >= 0; i--) {
        if (regions[i].base != base || regions[i].users == 0)
            continue;
        if (--regions[i].users == 0)
            mmap(base, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        return 0;
    }
    return -1;
}

int sim_shm_unlink(const char *name)
{
    for (int i = region_count - 1; i >= 0; i--)
        if (!strcmp(regions[i].name, name)) {
            regions[i].name[0] = '\0';
            return 0;
        }
    return -1;
}

int sim_close(int descriptor)
{
    return region_at(descriptor) ? 0 : -1;
}

/* There is as much as is asked for. */
int sim_statvfs(const char *path, struct statvfs *space)
{
    (void)path;
    *space = (struct statvfs){.f_frsize = 1, .f_bavail = (fsblkcnt_t)arena_bytes};
    return 0;
}
