#include "schedule.h"

/* splitmix64 as published: the first numbers of state 1234567. */
START_TEST(the_sequence)
{
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                         4593380528125082431u, 16408922859458223821u};
    uint64_t state = 1234567;
    for (int i = 0; i < 5; i++)
        ck_assert(topo_random_next(&state) == published[i]);
}
END_TEST

START_TEST(below)
{
    uint64_t state = 5;
    long count[6] = {0};
    for (int i = 0; i < 60000; i++) {
        uint64_t number = topo_random_below(&state, 6);
        ck_assert(number < 6);
        count[number]++;
        ck_assert(topo_random_below(&state, 1) == 0);
    }
    for (int k = 0; k < 6; k++)
        ck_assert_msg(count[k] > 9500 && count[k] < 10500, "%d comes %ld of 60000 times", k, count[k]);
}
END_TEST

START_TEST(random_is_what_was_asked)
{
    static const char *const texts[] = {"N=64,E=4N,total=1M,seed=3", "N=64,E=N^2/4,total=512M", "N=16,E=N^2,total=256",
                                        "N=1,E=1,total=7",           "seed=9 N=30 E=3*N",       "N=9,E=40,total=40"};
    static const int64_t messages[] = {256, 1024, 256, 1, 90, 40},
                         totals[] = {1 << 20, 512 << 20, 256, 7, 512 << 20, 40};
    for (int k = 0; k < 6; k++) {
        struct topo_random_spec spec;
        struct topo_error error = {""};
        struct topo_matrix *matrix = NULL, *again = NULL;
        struct topo_matrix_facts facts;
        ck_assert_msg(topo_random_parse(texts[k], &spec, &error) == TOPO_OK, "%s: %s", texts[k], error.text);
        ck_assert_msg(topo_matrix_random(&spec, &matrix, &error) == TOPO_OK, "%s: %s", texts[k], error.text);
        ck_assert_msg(topo_matrix_check(matrix, &error) == TOPO_OK, "%s: %s", texts[k], error.text);
        topo_matrix_facts(matrix, &facts);
        ck_assert_msg(matrix->messages == messages[k] && facts.total == totals[k], "%s: %lld messages, %lld bytes",
                      texts[k], (long long)matrix->messages, (long long)facts.total);
        ck_assert_int_eq(topo_matrix_random(&spec, &again, &error), TOPO_OK);
        ck_assert_msg(topo_matrix_equal(matrix, again), "%s: the same again", texts[k]);
        topo_matrix_free(again);
        spec.seed++;
        ck_assert_int_eq(topo_matrix_random(&spec, &again, &error), TOPO_OK);
        ck_assert_msg(messages[k] == 1 || !topo_matrix_equal(matrix, again) || totals[k] == messages[k],
                      "%s: another one with another seed", texts[k]);
        topo_matrix_free(again);
        topo_matrix_free(matrix);
    }
}
END_TEST

START_TEST(random_refuses)
{
    static const char *const texts[] = {"",
                                        "E=4N",
                                        "N=0",
                                        "N=x",
                                        "N=4,E=",
                                        "N=4,E=N3",
                                        "N=4,E=N/0",
                                        "N=4,E=0",
                                        "N=4,total=-1",
                                        "N=4,total=0",
                                        "N=4,q=1",
                                        "N=4,seed=1.5",
                                        "N",
                                        "N=4,E=N^2/100",
                                        "N=4,E=-4",
                                        "N=4,E=4N4",
                                        "N=4,E=99999999999999999999N",
                                        "N=2000000"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct topo_random_spec spec;
        struct topo_error error = {""};
        ck_assert_msg(topo_random_parse(texts[k], &spec, &error) == TOPO_PARSE, "'%s' is refused", texts[k]);
        ck_assert_msg(error.text[0], "'%s' with a message", texts[k]);
    }
    struct topo_random_spec many = {4, 17, 100, 1}, light = {4, 16, 15, 1}, huge = {1 << 20, 1 << 30, INT64_MAX, 1};
    struct topo_matrix *matrix;
    ck_assert_msg(topo_matrix_random(&huge, &matrix, NULL) == TOPO_INVALID, "E=1024N of N=1048576: 40 GB");
    ck_assert_int_eq(topo_matrix_random(&many, &matrix, NULL), TOPO_INVALID);
    ck_assert_int_eq(topo_matrix_random(&light, &matrix, NULL), TOPO_INVALID);
}
END_TEST

UNIT_MAIN("random", {the_sequence}, {below}, {random_is_what_was_asked}, {random_refuses})
