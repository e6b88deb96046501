/* A hash of bytes, or of whole values, for tables and for numbers that stand for a text: FNV-1a (Fowler, Noll, Vo). Few
 * and short values leave its upper bits much alike, so who takes those multiplies or shifts once more. */
#ifndef TOPO_BASE_HASH_H
#define TOPO_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TOPO_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t topo_hash_add(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

static inline uint64_t topo_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++)
        hash = topo_hash_add(hash, byte[i]);
    return hash;
}

static inline uint64_t topo_hash_text(uint64_t hash, const char *text)
{
    return topo_hash_bytes(hash, text, strlen(text));
}

#endif
