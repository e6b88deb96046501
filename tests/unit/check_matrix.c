#include "schedule.h"

#include <string.h>

static enum topo_status build(int senders, int receivers, const struct topo_message *messages, int64_t count)
{
    struct topo_matrix *matrix = (struct topo_matrix *)&build;
    struct topo_error error = {""};
    enum topo_status status = topo_matrix_new(senders, receivers, messages, count, &matrix, &error);
    ck_assert_msg((status == TOPO_OK) == (matrix != NULL), "a matrix exactly when it is well");
    ck_assert_msg(status == TOPO_OK || error.text[0], "a message goes with a failure");
    topo_matrix_free(matrix);
    return status;
}

START_TEST(any_order_and_twice)
{
    static const struct topo_message messages[] = {{2, 1, 5}, {0, 3, 7}, {2, 0, 1}, {0, 3, 2}, {1, 1, 0}, {0, 0, 4}};
    struct topo_matrix *matrix = NULL;
    struct topo_error error = {""};
    ck_assert_int_eq(topo_matrix_new(3, 4, messages, 6, &matrix, &error), TOPO_OK);
    ck_assert_msg(topo_matrix_check(matrix, &error) == TOPO_OK, "%s", error.text);
    ck_assert_int_eq(matrix->messages, 4);
    static const int64_t expected[] = {4, 0, 0, 9, 0, 0, 0, 0, 1, 5, 0, 0};
    for (int cell = 0; cell < 12; cell++)
        ck_assert_msg(topo_matrix_at(matrix, cell / 4, cell % 4) == expected[cell], "COM(%d, %d)", cell / 4, cell % 4);
    ck_assert_msg(topo_matrix_find(matrix, 1, 1) == -1, "an empty message is not stored");
    struct topo_matrix *dense = dense_matrix(3, 4, expected);
    ck_assert_msg(topo_matrix_equal(matrix, dense), "the same from a full table");
    topo_matrix_free(dense);
    topo_matrix_free(matrix);
}
END_TEST

START_TEST(facts)
{
    struct topo_matrix *matrix = digit_matrix("1020 0003 4005");
    struct topo_matrix_facts facts;
    topo_matrix_facts(matrix, &facts);
    ck_assert_int_eq(facts.total, 15);
    ck_assert_int_eq(facts.heaviest, 9); /* row 2 */
    ck_assert_int_eq(facts.largest, 5);
    ck_assert_int_eq(facts.degree, 2);
    topo_matrix_free(matrix);
    matrix = digit_matrix("1 2 3"); /* heaviest is a column */
    topo_matrix_facts(matrix, &facts);
    ck_assert(facts.heaviest == 6 && facts.degree == 3);
    topo_matrix_free(matrix);
}
END_TEST

START_TEST(transposed)
{
    for (int seed = 0; seed < 50; seed++) {
        struct topo_matrix *matrix = seeded_matrix(seed), *there = NULL, *back = NULL;
        struct topo_error error = {""};
        ck_assert_int_eq(topo_matrix_transpose(matrix, &there, &error), TOPO_OK);
        ck_assert_msg(topo_matrix_check(there, &error) == TOPO_OK, "seed %d: %s", seed, error.text);
        for (int i = 0; i < matrix->senders; i++)
            for (int j = 0; j < matrix->receivers; j++)
                ck_assert_int_eq(topo_matrix_at(matrix, i, j), topo_matrix_at(there, j, i));
        ck_assert_int_eq(topo_matrix_transpose(there, &back, &error), TOPO_OK);
        ck_assert_msg(topo_matrix_equal(matrix, back), "seed %d: twice is the same", seed);
        topo_matrix_free(matrix);
        topo_matrix_free(there);
        topo_matrix_free(back);
    }
}
END_TEST

START_TEST(refuses)
{
    static const struct topo_message outside[] = {{0, 4, 1}}, below[] = {{-1, 0, 1}}, negative[] = {{0, 0, -1}},
                                     much[] = {{0, 0, INT64_MAX}, {1, 1, 1}}, most[] = {{0, 0, INT64_MAX}};
    ck_assert_int_eq(build(3, 4, outside, 1), TOPO_INVALID);
    ck_assert_int_eq(build(3, 4, below, 1), TOPO_INVALID);
    ck_assert_int_eq(build(3, 4, negative, 1), TOPO_INVALID);
    ck_assert_int_eq(build(3, 4, much, 2), TOPO_INVALID);
    ck_assert_int_eq(build(3, 4, most, 1), TOPO_OK);
    ck_assert_int_eq(build(0, 4, NULL, 0), TOPO_INVALID);
    ck_assert_int_eq(build(4, 0, NULL, 0), TOPO_INVALID);
    ck_assert_int_eq(build(1, 1, NULL, 0), TOPO_OK);
    topo_matrix_free(NULL);
}
END_TEST

START_TEST(checker_sees)
{
    struct topo_matrix *matrix = digit_matrix("123 456 789");
    struct topo_error error = {""};
    matrix->weight[4] = 0;
    ck_assert_msg(topo_matrix_check(matrix, &error) == TOPO_INTERNAL && error.text[0], "a weight of nothing");
    matrix->weight[4] = 5;
    matrix->receiver[4] = 0;
    ck_assert_msg(topo_matrix_check(matrix, &error) == TOPO_INTERNAL, "a pair twice");
    matrix->receiver[4] = 1;
    matrix->incoming[0] = 1;
    ck_assert_msg(topo_matrix_check(matrix, &error) == TOPO_INTERNAL, "a wrong column");
    matrix->incoming[0] = 0;
    ck_assert_int_eq(topo_matrix_check(matrix, &error), TOPO_OK);
    topo_matrix_free(matrix);
}
END_TEST

START_TEST(out_of_memory)
{
    static const struct topo_random_spec spec = {8, 20, 1000, 1};
    static const int64_t weights[] = {1, 2, 0, 3};
    struct topo_matrix *matrix = NULL, *other = NULL;
    UNIT_OUT_OF_MEMORY(topo_matrix_random(&spec, &matrix, NULL), ck_assert((status == TOPO_OK) == (matrix != NULL)));
    UNIT_OUT_OF_MEMORY(topo_matrix_transpose(matrix, &other, NULL), ck_assert((status == TOPO_OK) == (other != NULL));
                       topo_matrix_free(other));
    UNIT_OUT_OF_MEMORY(topo_matrix_dense(2, 2, weights, &other, NULL),
                       ck_assert((status == TOPO_OK) == (other != NULL));
                       topo_matrix_free(other));
    topo_matrix_free(matrix);
}
END_TEST

UNIT_MAIN("matrix", {any_order_and_twice}, {facts}, {transposed}, {refuses}, {checker_sees}, {out_of_memory})
