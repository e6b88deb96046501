#include "unit.h"

#include "predict/call_times.h"

START_TEST(lengths)
{
    ck_assert(topo_call_length(0) == 0 && topo_call_length(1) == 0 && topo_call_length(2) == 1);
    ck_assert(topo_call_length(1024) == 10 && topo_call_length(1025) == 11 && topo_call_length(UINT64_MAX) == 64);
}
END_TEST

START_TEST(rows_add_up_and_the_longest_is_first)
{
    static const struct topo_call_row calls[] = {{"allgather", 3, 1, 1, 2},
                                                 {"bcast", 3, 1, 5, 0},
                                                 {"alltoallv", TOPO_CALL_VECTORS, 1, 4, 0},
                                                 {"allgather", 4, 1, 1, 1},
                                                 {"allgather", 3, 2, 10, 20}};
    struct topo_call_times times = {0};
    for (int i = 0; i < 5; i++)
        ck_assert(topo_call_times_add(&times, &calls[i]));
    ck_assert_int_eq(times.count, 4);
    topo_call_times_sort(&times);
    ck_assert_str_eq(times.row[0].operation, "allgather");
    ck_assert(times.row[0].calls == 3 && times.row[0].communication == 11 && times.row[0].synchronization == 22);
    ck_assert_str_eq(times.row[1].operation, "bcast");
    ck_assert_int_eq(times.row[2].length, TOPO_CALL_VECTORS);
    ck_assert(times.row[3].length == 4 && times.row[3].calls == 1);
    topo_call_times_free(&times);
    ck_assert(!times.row && !times.count);
    topo_call_times_sort(&times);
}
END_TEST

START_TEST(no_memory)
{
    struct topo_call_times times = {0};
    UNIT_OUT_OF_MEMORY(topo_call_times_add(&times, &(struct topo_call_row){"bcast", 0, 1, 1, 1}) ? TOPO_OK : TOPO_NOMEM,
                       topo_call_times_free(&times));
}
END_TEST

UNIT_MAIN("call_times", {lengths}, {rows_add_up_and_the_longest_is_first}, {no_memory})
