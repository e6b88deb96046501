/* Memory for a buffer with guard zones before and behind, filled with random bytes, gaps too. */
#ifndef TOPO_TESTS_FUZZ_AREAS_H
#define TOPO_TESTS_FUZZ_AREAS_H

#include "fuzz/types.h"

struct fuzz_area {
    unsigned char *block; /* NULL: none */
    size_t bytes;
    int first, end; /* elements in it */
    char *base;     /* where element 0 is, or would be */
};

/* Memory for elements first … end − 1; free with fuzz_area_free(). */
void fuzz_area_make(struct fuzz_area *area, const struct fuzz_type *type, int first, int end,
                    struct fuzz_random *random);
void fuzz_area_copy(struct fuzz_area *area, const struct fuzz_area *of);
void fuzz_area_restore(struct fuzz_area *area, const struct fuzz_area *from);
void fuzz_area_free(struct fuzz_area *area);

/* Sets the padding of all elements to 0: an operation may copy a struct with it or without. */
void fuzz_area_clean(struct fuzz_area *area, const struct fuzz_type *type);

/* Sets all elements from `first` on to 0, not what lies between them. */
void fuzz_area_clear(struct fuzz_area *area, const struct fuzz_type *type, int first);

/* The first byte that differs, −1 without one. */
long fuzz_area_differs(const struct fuzz_area *one, const struct fuzz_area *other);

#endif
