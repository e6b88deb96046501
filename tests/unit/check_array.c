#include "schedule.h"

#include <string.h>

#include "schedule/array.h"

static struct topo_array array_of(const char *text, const char *lengths)
{
    struct topo_array array;
    struct topo_error error = {""};
    ck_assert_msg(topo_array_parse(text, &array, &error) == TOPO_OK, "%s", error.text);
    ck_assert_msg(!lengths || topo_array_lengths(lengths, &array, &error) == TOPO_OK, "%s", error.text);
    return array;
}

/* Who has element (i, j): by the definition, element by element. */
START_TEST(products)
{
    static const struct {
        const char *text, *lengths;
        int b, nq[2], np[2], y[2], x[2]; /* shift of A in both dimensions; blocks as they come out */
    } cases[] = {
        {"cyclic(3)@2 x cyclic(1)@3 -> cyclic(4)@3 x cyclic(2)@2", "30x17", 0, {2, 3}, {3, 2}, {3, 1}, {4, 2}},
        {"block@2 x block@2 -> block@4 x cyclic(2)@1", "13x9", 0, {2, 2}, {4, 1}, {7, 5}, {4, 2}},
        {"cyclic(2)@3 x cyclic(5)@2 -> cyclic(3)@2 x cyclic(1)@2", "40x11", -7, {3, 2}, {2, 2}, {2, 5}, {3, 1}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct topo_array array = array_of(cases[k].text, cases[k].lengths);
        struct topo_matrix *matrix = NULL, *slow;
        const int *nq = cases[k].nq, *np = cases[k].np, *y = cases[k].y, *x = cases[k].x;
        int64_t com[64] = {0}, wrap = 1000000 * 60;
        for (int d = 0; d < 2; d++)
            array.dimension[d].b1 = cases[k].b;
        ck_assert_int_eq(topo_array_resolve(&array, NULL), TOPO_OK);
        ck_assert_int_eq(topo_array_matrix(&array, &matrix, NULL), TOPO_OK);
        for (int64_t i = 0; i < array.dimension[0].length; i++)
            for (int64_t j = 0; j < array.dimension[1].length; j++) {
                int64_t from = i / y[0] % nq[0] * nq[1] + j / y[1] % nq[1];
                int64_t to = (i + wrap + cases[k].b) / x[0] % np[0] * np[1] + (j + wrap + cases[k].b) / x[1] % np[1];
                if (cases[k].b == 0)
                    to = i / x[0] % np[0] * np[1] + j / x[1] % np[1];
                com[from * np[0] * np[1] + to]++;
            }
        slow = dense_matrix(nq[0] * nq[1], np[0] * np[1], com);
        ck_assert_msg(topo_matrix_equal(matrix, slow), "%s", cases[k].text);
        topo_matrix_free(matrix);
        topo_matrix_free(slow);
    }
}
END_TEST

START_TEST(refuses)
{
    static const char *const texts[] = {"",
                                        "cyclic(3)@5",
                                        "block -> block@2",
                                        "cyclic(0)@5 -> block@5",
                                        "block@2 x block@2 -> block@4",
                                        "block@2 x -> block@4",
                                        "block@1 x block@1 x block@1 x block@1 x block@1 -> block@1",
                                        "block@1048576 x block@2 -> block@1 x block@1"};
    struct topo_array array;
    struct topo_matrix *matrix = NULL;
    struct topo_error error;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        error.text[0] = '\0';
        ck_assert_msg(topo_array_parse(texts[k], &array, &error) == TOPO_PARSE && strstr(error.text, "redistribution"),
                      "'%s' is refused", texts[k]);
    }
    array = array_of("block@2 x cyclic(2)@3 -> block@3 x block@2", NULL);
    ck_assert_int_eq(topo_array_lengths("5", &array, &error), TOPO_PARSE);
    ck_assert_int_eq(topo_array_lengths("5x0", &array, &error), TOPO_PARSE);
    ck_assert_int_eq(topo_array_lengths("5x6x7", &array, &error), TOPO_PARSE);
    array = array_of("block@2 x cyclic(2)@3 -> block@3 x block@2", NULL);
    ck_assert_msg(topo_array_resolve(&array, &error) == TOPO_INVALID && strstr(error.text, "length"), "%s", error.text);
    array = array_of("block@2 -> cyclic(2)@3", "10");
    array.dimension[0].b2 = -1;
    ck_assert_int_eq(topo_array_resolve(&array, &error), TOPO_INVALID);
    array = array_of("cyclic(1)@4096 x cyclic(1)@256 -> cyclic(2)@4096 x cyclic(2)@256", NULL);
    ck_assert_int_ne(topo_array_matrix(&array, &matrix, &error), TOPO_OK);
    ck_assert(!matrix);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_array array = array_of("cyclic(3)@2 x cyclic(1)@3 -> cyclic(4)@3 x cyclic(2)@2", "30x17");
    struct topo_matrix *matrix = NULL;
    UNIT_OUT_OF_MEMORY(topo_array_matrix(&array, &matrix, NULL), ck_assert((status == TOPO_OK) == (matrix != NULL));
                       topo_matrix_free(matrix));
}
END_TEST

UNIT_MAIN("array", {products}, {refuses}, {out_of_memory})
