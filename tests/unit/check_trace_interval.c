#include "unit.h"

#include "predict/mpi/trace_interval.h"

START_TEST(kinds)
{
    static const struct {
        unsigned op;
        enum topo_comm_kind kind;
    } known[] = {{TOPO_TRACE_OP_ALLREDUCE, TOPO_COMM_REDUCTION}, {TOPO_TRACE_OP_REDUCE, TOPO_COMM_REDUCTION},
                 {TOPO_TRACE_OP_SCAN, TOPO_COMM_REDUCTION},      {TOPO_TRACE_OP_ALLGATHER, TOPO_COMM_REMOTE},
                 {TOPO_TRACE_OP_BCAST, TOPO_COMM_REMOTE},        {TOPO_TRACE_OP_ALLTOALLV, TOPO_COMM_REDISTRIBUTION},
                 {TOPO_TRACE_OP_NONE, TOPO_COMM_REMOTE},         {4711, TOPO_COMM_REMOTE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_msg(topo_trace_comm_kind(known[i].op) == known[i].kind, "operation %u is %s", known[i].op,
                      topo_comm_kind_name(topo_trace_comm_kind(known[i].op)));
}
END_TEST

START_TEST(entries_are_rank_0s)
{
    struct topo_intervals intervals;
    struct topo_trace_event solve = {.name = "solve", .file = "a.c", .line = 7}, other = solve;
    other.line = 8;
    ck_assert_int_eq(topo_intervals_new(3, &intervals, NULL), TOPO_OK);
    struct topo_interval *inner = topo_trace_open_interval(&intervals, intervals.root, 0, &solve);
    ck_assert(topo_trace_open_interval(&intervals, intervals.root, 0, &solve) == inner);
    ck_assert(topo_trace_open_interval(&intervals, intervals.root, 2, &solve) == inner);
    ck_assert(topo_trace_open_interval(&intervals, intervals.root, 2, &other) != inner);
    ck_assert(inner->entries == 2 && inner->kind == TOPO_INTERVAL_USER && inner->line == 7);
    ck_assert(inner->times[0].took_part && !inner->times[1].took_part && inner->times[2].took_part);
    topo_intervals_free(&intervals);
}
END_TEST

UNIT_MAIN("trace_interval", {kinds}, {entries_are_rank_0s})
