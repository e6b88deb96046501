/* Meetings at receivers against looking at every moment, and on Wang's example worked out by hand. */
#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "schedule/contention.h"
#include "schedule/css.h"
#include "schedule/random.h"

/* What is sent in moments in which another sender sends to the same receiver, moment by moment. */
static int64_t counted(const struct topo_schedule *schedule)
{
    int64_t longest = 0, sum = 0, *sent = topo_calloc((size_t)schedule->senders, sizeof *sent);
    int64_t pieces = schedule->first[schedule->steps];
    for (int64_t p = 0; p < pieces; p++) {
        int64_t now = sent[schedule->piece[p].sender] += schedule->piece[p].weight;
        longest = now > longest ? now : longest;
    }
    for (int64_t moment = 0; moment < longest; moment++) {
        int *senders = topo_calloc((size_t)schedule->receivers, sizeof *senders);
        for (int i = 0; i < schedule->senders; i++) {
            int64_t end = 0;
            for (int64_t p = 0; p < pieces; p++) {
                if (schedule->piece[p].sender != i)
                    continue;
                end += schedule->piece[p].weight;
                if (end > moment) {
                    senders[schedule->piece[p].receiver]++;
                    break;
                }
            }
        }
        for (int j = 0; j < schedule->receivers; j++)
            sum += senders[j] > 1 ? senders[j] : 0;
        topo_free(senders);
    }
    topo_free(sent);
    return sum;
}

START_TEST(moment_by_moment)
{
    struct topo_random_spec spec;
    struct topo_matrix *matrix;
    struct topo_schedule *schedule;
    char text[80];
    int64_t contention;
    snprintf(text, sizeof text, "N=%d,E=%d,seed=%d,total=%d", 3 + _i % 6, 7 + _i % 3, _i, 150 + 11 * _i);
    ck_assert(topo_random_parse(text, &spec, NULL) == TOPO_OK);
    ck_assert(topo_matrix_random(&spec, &matrix, NULL) == TOPO_OK);
    for (int way = 0; way < 2; way++) {
        ck_assert((way ? topo_schedule_drc : topo_schedule_direct)(matrix, &schedule, NULL) == TOPO_OK);
        ck_assert(topo_schedule_contention(schedule, &contention, NULL) == TOPO_OK);
        ck_assert_int_eq(contention, counted(schedule));
        UNIT_OUT_OF_MEMORY(topo_schedule_contention(schedule, &contention, NULL));
        topo_schedule_free(schedule);
    }
    topo_matrix_free(matrix);
}
END_TEST

/* cyclic(3) to cyclic(4) on five, element by element, when nobody waits:
 *     Q0 000111223344    Q1 112223334400    Q2 223344400011    Q3 334400111222    Q4 444001122333
 * In the 3rd, 5th, 6th, 7th, 8th and 10th moment two senders send to one receiver (4, 0, 1, 1, 2, 3); CSS's never do.
 */
START_TEST(as_worked_out_by_hand)
{
    static const int com[5][5] = {{3, 3, 2, 2, 2}, {2, 2, 3, 3, 2}, {3, 2, 2, 2, 3}, {2, 3, 3, 2, 2}, {2, 2, 2, 3, 3}};
    static const struct topo_meeting expected[] = {{0, 2, 4, 5}, {1, 2, 5, 6},  {1, 2, 6, 7},
                                                   {2, 2, 7, 8}, {3, 2, 9, 10}, {4, 2, 2, 3}};
    struct topo_message message[25];
    struct topo_matrix *matrix;
    struct topo_schedule *schedule;
    struct topo_meeting *meeting;
    struct topo_css_result css;
    int64_t start[25], ready[5], count, contention;
    for (int e = 0; e < 25; e++)
        message[e] = (struct topo_message){e / 5, e % 5, com[e / 5][e % 5]};
    ck_assert(topo_matrix_new(5, 5, message, 25, &matrix, NULL) == TOPO_OK);
    ck_assert(topo_schedule_direct(matrix, &schedule, NULL) == TOPO_OK);
    ck_assert(topo_schedule_meetings(schedule, start, ready, &meeting, &count, NULL) == TOPO_OK);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(ready[i], 12);
    int at = 0;
    for (int64_t i = 0; i < count; i++) {
        ck_assert_msg(at < 6 && meeting[i].receiver == expected[at].receiver && meeting[i].from == expected[at].from &&
                          meeting[i].to == expected[at].to && meeting[i].senders == 2,
                      "meeting %d: %d senders at receiver %d, %d to %d", (int)i, meeting[i].senders,
                      meeting[i].receiver, (int)meeting[i].from, (int)meeting[i].to);
        at++;
    }
    ck_assert_int_eq(at, 6);
    ck_assert(topo_schedule_contention(schedule, &contention, NULL) == TOPO_OK);
    ck_assert_int_eq(contention, 12);
    topo_free(meeting);
    topo_schedule_free(schedule);
    ck_assert(topo_schedule_css(matrix, &(struct topo_shift){0, 0}, &schedule, &css, NULL) == TOPO_OK);
    ck_assert(topo_schedule_contention(schedule, &contention, NULL) == TOPO_OK);
    ck_assert_int_eq(contention, 0);
    topo_schedule_free(schedule);
    topo_matrix_free(matrix);
}
END_TEST

UNIT_MAIN("contention", {moment_by_moment, 20}, {as_worked_out_by_hand})
