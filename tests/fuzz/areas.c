#include "fuzz/areas.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 256 };

void fuzz_area_make(struct fuzz_area *area, const struct fuzz_type *type, int first, int end,
                    struct fuzz_random *random)
{
    MPI_Aint low = 0, high = 0, shift = (MPI_Aint)fuzz_below(random, 4) * type->base->align;
    if (end > first) {
        low = first * type->extent + type->true_lb;
        high = (end - 1) * type->extent + type->true_lb + type->true_extent;
    }
    area->first = first;
    area->end = end;
    area->bytes = (size_t)(high - low + shift) + 2 * GUARD;
    area->block = malloc(area->bytes);
    area->base = (char *)area->block + GUARD + shift - low;
    fuzz_random_bytes(random, area->block, area->bytes);
}

void fuzz_area_copy(struct fuzz_area *area, const struct fuzz_area *of)
{
    *area = *of;
    area->block = malloc(of->bytes);
    area->base = (char *)area->block + (of->base - (char *)of->block);
    fuzz_area_restore(area, of);
}

void fuzz_area_restore(struct fuzz_area *area, const struct fuzz_area *from)
{
    memcpy(area->block, from->block, from->bytes);
}

void fuzz_area_free(struct fuzz_area *area)
{
    free(area->block);
    area->block = NULL;
}

void fuzz_area_clean(struct fuzz_area *area, const struct fuzz_type *type)
{
    const struct fuzz_base *base = type->base;
    int valued = base->first_end - base->first + base->second_end - base->second;
    if (valued == 0 || valued == base->extent)
        return;
    for (int i = area->first; i < area->end; i++)
        for (int k = 0; k < type->n; k++)
            for (int b = 0; b < base->extent; b++)
                if ((b < base->first || b >= base->first_end) && (b < base->second || b >= base->second_end))
                    area->base[i * type->extent + type->offset[k] + b] = 0;
}

void fuzz_area_clear(struct fuzz_area *area, const struct fuzz_type *type, int first)
{
    for (int i = first; i < area->end; i++)
        for (int k = 0; k < type->n; k++)
            memset(area->base + i * type->extent + type->offset[k], 0, (size_t)type->base->extent);
}

long fuzz_area_differs(const struct fuzz_area *one, const struct fuzz_area *other)
{
    if (!one->block || memcmp(one->block, other->block, one->bytes) == 0)
        return -1;
    size_t at = 0;
    while (one->block[at] == other->block[at])
        at++;
    return (long)at;
}
