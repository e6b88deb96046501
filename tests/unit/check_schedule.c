/* The checker must see every way to be wrong: a right schedule is spoilt in each of them. */
#include "schedule.h"

#include <string.h>

static struct topo_matrix *matrix;
static struct topo_schedule *schedule;

/* 0: 0-0 (5), 1-1 (4);  1: 0-1 (3), 1-0 (first 2 of 6);  2: 1-0 (last 4 of 6) */
static void setup(void)
{
    static const struct topo_part parts[] = {{3, 4, 0}, {0, 5, 0}, {2, 4, 5}, {1, 3, 3}, {2, 1, 3}, {2, 1, 3}};
    struct topo_error error = {""};
    matrix = digit_matrix("53 64");
    ck_assert_msg(topo_schedule_new(matrix, parts, 6, 6, &schedule, &error) == TOPO_OK, "%s", error.text);
}

static void teardown(void)
{
    topo_schedule_free(schedule);
    topo_matrix_free(matrix);
}

static void sees(const char *what)
{
    struct topo_error error = {""};
    ck_assert_msg(topo_schedule_check(schedule, matrix, TOPO_RULE_MATCHING, &error) == TOPO_INTERNAL, "%s is seen",
                  what);
    ck_assert_msg(error.text[0], "%s with a message", what);
}

START_TEST(made_as_stated)
{
    struct topo_schedule_figures figures = right(schedule, matrix, TOPO_RULE_MATCHING, "parts", 0);
    ck_assert_msg(figures.steps == 3 && figures.pieces == 5, "empty steps are left out, parts of one step joined");
    ck_assert_int_eq(figures.duration, 5 + 3 + 4);
    ck_assert_int_eq(figures.bound, 11); /* column 0 */
    ck_assert_int_eq(figures.uneven, 2);
    ck_assert(schedule->piece[3].offset == 0 && schedule->piece[3].weight == 2 && schedule->piece[4].offset == 2);
}
END_TEST

START_TEST(spoilt)
{
    schedule->piece[4].offset = 1;
    sees("a part sent twice");
    schedule->piece[4].offset = 2;
    schedule->piece[4].weight = 3;
    sees("a missing byte");
    schedule->piece[4].weight = 5;
    sees("a byte too many");
    schedule->piece[4].weight = 4;
    schedule->piece[1].receiver = 0;
    sees("a receiver twice");
    schedule->piece[1].receiver = 1;
    schedule->piece[1].sender = 0;
    sees("a sender twice");
    schedule->piece[1].sender = 2;
    sees("a sender that does not exist");
    schedule->piece[1].sender = -1;
    sees("a sender below zero");
    schedule->piece[1].sender = 1;
    schedule->steps = 2;
    sees("a missing step");
    schedule->steps = 3;
    struct topo_piece last = schedule->piece[0];
    schedule->piece[0] = schedule->piece[1];
    schedule->piece[1] = last;
    sees("a wrong order");
    schedule->piece[1] = schedule->piece[0];
    schedule->piece[0] = last;
    schedule->first[1] = 0;
    sees("an empty step");
    schedule->first[1] = 2;
    right(schedule, matrix, TOPO_RULE_MATCHING, "restored", 0);
}
END_TEST

START_TEST(rules)
{
    static const struct topo_part one_sender[] = {{0, 5, 0}, {1, 3, 0}, {2, 6, 1}, {3, 4, 1}},
                                  one_receiver[] = {{0, 5, 0}, {2, 6, 0}, {1, 3, 1}, {3, 4, 1}};
    struct topo_error error = {""};
    topo_schedule_free(schedule);
    ck_assert_int_eq(topo_schedule_new(matrix, one_sender, 4, 2, &schedule, &error), TOPO_OK);
    sees("several messages of one sender");
    struct topo_schedule_figures figures = right(schedule, matrix, TOPO_RULE_RECEIVER, "one sender", 0);
    ck_assert_msg(figures.duration == 18 && figures.conflicts == 0, "a sender's messages add up to its load");
    topo_schedule_free(schedule);
    ck_assert_int_eq(topo_schedule_new(matrix, one_receiver, 4, 2, &schedule, &error), TOPO_OK);
    ck_assert_int_eq(topo_schedule_check(schedule, matrix, TOPO_RULE_RECEIVER, &error), TOPO_INTERNAL);
    figures = right(schedule, matrix, TOPO_RULE_NONE, "one receiver", 0);
    ck_assert_msg(figures.duration == 18 && figures.conflicts == 2, "meeting at a receiver is a conflict");
}
END_TEST

START_TEST(other_size)
{
    struct topo_matrix *other = digit_matrix("530 640");
    ck_assert_int_eq(topo_schedule_check(schedule, other, TOPO_RULE_NONE, NULL), TOPO_INTERNAL);
    topo_matrix_free(other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("schedule");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_add_test(all, made_as_stated);
    tcase_add_test(all, spoilt);
    tcase_add_test(all, rules);
    tcase_add_test(all, other_size);
    suite_add_tcase(suite, all);
    return unit_main(suite);
}
