#include "machine/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* After one more multiplication the upper bits depend on all of the hash. */
static size_t slot_of(const struct topo_names *names, const char *name, size_t length)
{
    uint64_t hash = topo_hash_bytes(TOPO_HASH_START, name, length);
    return (size_t)((hash * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - names->bits));
}

/* Slot that holds the name, or the free one where it belongs. */
static size_t probe(const struct topo_names *names, const char *name, size_t length)
{
    size_t mask = ((size_t)1 << names->bits) - 1, at = slot_of(names, name, length);
    while (names->slots[at] >= 0) {
        const char *here = topo_names_get(names, names->slots[at]);
        if (!strncmp(here, name, length) && !here[length])
            return at;
        at = (at + 1) & mask;
    }
    return at;
}

/* Doubles the table when it is half full. */
static bool make_slots(struct topo_names *names)
{
    if (names->slots && (size_t)names->count < (size_t)1 << (names->bits - 1))
        return true;
    int bits = names->slots ? names->bits + 1 : 6;
    int *slots = topo_alloc((size_t)1 << bits, sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, sizeof *slots << bits);
    topo_free(names->slots);
    names->slots = slots;
    names->bits = bits;
    for (int number = 0; number < names->count; number++) {
        const char *name = topo_names_get(names, number);
        names->slots[probe(names, name, strlen(name))] = number;
    }
    return true;
}

/* Makes room for one more name of `length` bytes. */
static bool make_room(struct topo_names *names, size_t length)
{
    if (!topo_grow(&names->begin, (size_t)names->count, sizeof *names->begin))
        return false;
    if (names->pool_size - names->used <= length) {
        size_t size = 2 * names->pool_size + length + 256;
        char *pool = topo_realloc(names->pool, size, 1);
        if (!pool)
            return false;
        names->pool = pool;
        names->pool_size = size;
    }
    return true;
}

int topo_names_add(struct topo_names *names, const char *name, size_t length)
{
    if (memchr(name, '\0', length) || !make_slots(names))
        return -1;
    size_t at = probe(names, name, length);
    if (names->slots[at] >= 0)
        return names->slots[at];
    if (!make_room(names, length))
        return -1;
    memcpy(names->pool + names->used, name, length);
    names->pool[names->used + length] = '\0';
    names->begin[names->count] = names->used;
    names->used += length + 1;
    names->slots[at] = names->count;
    return names->count++;
}

int topo_names_find(const struct topo_names *names, const char *name, size_t length)
{
    if (!names->slots)
        return -1;
    return names->slots[probe(names, name, length)];
}

const char *topo_names_get(const struct topo_names *names, int number)
{
    return names->pool + names->begin[number];
}

void topo_names_free(struct topo_names *names)
{
    topo_free_all(names->begin, names->pool, names->slots);
    *names = (struct topo_names){0};
}
