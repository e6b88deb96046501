#include "fuzz/random.h"

#include <string.h>

void fuzz_random_bytes(struct fuzz_random *random, void *block, size_t bytes)
{
    unsigned char *to = block;
    for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t), to += sizeof(uint64_t)) {
        uint64_t next = fuzz_next(random);
        memcpy(to, &next, sizeof next);
    }
    uint64_t next = fuzz_next(random);
    memcpy(to, &next, bytes);
}

void fuzz_random_order(struct fuzz_random *random, int *order, int n)
{
    for (int i = 0; i < n; i++) {
        int j = fuzz_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
