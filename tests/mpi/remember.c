#include "mpi/remember.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct memory {
    struct memory *next;
    size_t key_bytes, bytes;
    int code;
    unsigned char data[]; /* the key, then the block */
};

static struct memory *buckets[BUCKETS];

static struct memory **bucket_of(const unsigned char *key, size_t bytes)
{
    unsigned hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ key[i]) * 16777619u;
    return &buckets[hash % BUCKETS];
}

static bool is_world(MPI_Comm comm)
{
    int result;
    PMPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    return result == MPI_IDENT || result == MPI_CONGRUENT;
}

bool test_recall(const void *key, size_t key_bytes, MPI_Comm comm, void *block, size_t bytes, int *code)
{
    if (!is_world(comm))
        return false;
    for (struct memory *m = *bucket_of(key, key_bytes); m; m = m->next)
        if (m->key_bytes == key_bytes && m->bytes == bytes && !memcmp(m->data, key, key_bytes)) {
            memcpy(block, m->data + key_bytes, bytes);
            *code = m->code;
            return true;
        }
    return false;
}

void test_remember(const void *key, size_t key_bytes, MPI_Comm comm, const void *block, size_t bytes, int code)
{
    struct memory **bucket = bucket_of(key, key_bytes);
    if (!is_world(comm))
        return;
    struct memory *m = malloc(sizeof *m + key_bytes + bytes);
    *m = (struct memory){.next = *bucket, .key_bytes = key_bytes, .bytes = bytes, .code = code};
    memcpy(m->data, key, key_bytes);
    memcpy(m->data + key_bytes, block, bytes);
    *bucket = m;
}
