#include "unit.h"

#include <stdint.h>
#include <string.h>

START_TEST(products_that_overflow)
{
    ck_assert_ptr_null(topo_alloc(SIZE_MAX / 2, 3));
    ck_assert_ptr_null(topo_calloc(SIZE_MAX / 2, 3));
    void *block = topo_alloc(4, 4);
    memcpy(block, "still the same.", 16);
    ck_assert_ptr_null(topo_realloc(block, SIZE_MAX, 2));
    ck_assert_str_eq(block, "still the same.");
    topo_free(block);
}
END_TEST

START_TEST(nothing_is_a_block_too)
{
    void *blocks[] = {topo_alloc(0, 8), topo_alloc(8, 0), topo_calloc(0, 0), topo_realloc(NULL, 0, 1)};
    for (int i = 0; i < 4; i++) {
        ck_assert_ptr_nonnull(blocks[i]);
        topo_free(blocks[i]);
    }
    topo_free(NULL);
}
END_TEST

START_TEST(contents)
{
    char *zero = topo_calloc(1000, 3), *copy = topo_strdup("text");
    for (int i = 0; i < 3000; i++)
        ck_assert_int_eq(zero[i], 0);
    ck_assert_str_eq(copy, "text");
    copy = topo_realloc(copy, 100000, 1);
    ck_assert_str_eq(copy, "text");
    topo_free(zero);
    topo_free(copy);
}
END_TEST

START_TEST(fails_when_asked)
{
    for (long after = 0; after < 4; after++) {
        void *block[5];
        topo_memory_fail_after(after);
        block[0] = topo_alloc(1, 1);
        block[1] = topo_calloc(1, 1);
        block[2] = topo_realloc(NULL, 1, 1);
        block[3] = topo_strdup("");
        topo_memory_fail_after(-1);
        block[4] = topo_alloc(1, 1);
        for (int i = 0; i < 5; i++) {
            ck_assert_msg((block[i] != NULL) == (i < after || i == 4), "%ld may succeed, number %d", after, i);
            topo_free(block[i]);
        }
    }
}
END_TEST

UNIT_MAIN("memory", {products_that_overflow}, {nothing_is_a_block_too}, {contents}, {fails_when_asked})
