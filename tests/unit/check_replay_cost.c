#include "machines.h"

#include "model/cost.h"
#include "predict/mpi/replay_cost.h"
#include "schedule/scheduler.h"

enum { RANKS = 4 };

static struct topo_tree *tree;
static struct topo_params params;
static struct topo_replay_machine machine_under;
static struct topo_trace_event events[RANKS];
static struct topo_trace_rank ranks[RANKS];
static struct topo_trace_vector vectors[RANKS];
static uint64_t entries[RANKS][RANKS];
static struct replay_group group;
static const struct topo_trace_event *event_of[RANKS];
static const struct topo_trace_rank *rank_of[RANKS];
static struct replay_call call;

static void make_call(unsigned op, uint64_t bytes)
{
    static int world[] = {0, 1, 2, 3};
    tree = machine_of("node:2 core:2");
    topo_params_default(&params);
    machine_under = (struct topo_replay_machine){.tree = tree, .params = &params, .speed = 1};
    for (int i = 0; i < TOPO_OPERATION_COUNT; i++)
        machine_under.choice[i].algorithm = topo_algorithm_native((enum topo_operation)i)->id;
    group = (struct replay_group){.count = RANKS, .world = world};
    for (int r = 0; r < RANKS; r++) {
        for (int q = 0; q < RANKS; q++)
            entries[r][q] = (uint64_t)(1000 * (r + 1) * (q + 2));
        vectors[r] = (struct topo_trace_vector){RANKS, entries[r]};
        ranks[r] = (struct topo_trace_rank){.vectors = &vectors[r], .vector_count = 1};
        events[r] = (struct topo_trace_event){.kind = TOPO_TRACE_EVENT_COLLECTIVE,
                                              .call = {.op = op, .group = 1, .bytes = bytes, .vector = 1}};
        event_of[r] = &events[r];
        rank_of[r] = &ranks[r];
    }
    call = (struct replay_call){&group, event_of, rank_of, RANKS, {1, 1, 1}};
}

static struct replay_seconds ask(void)
{
    struct replay_costs *costs = replay_costs_new(&machine_under);
    struct replay_seconds seconds = replay_cost(costs, &call), again = replay_cost(costs, &call);
    ck_assert(seconds.all == again.all && seconds.last == again.last);
    replay_costs_free(costs);
    return seconds;
}

static void end_call(void)
{
    topo_tree_free(group.tree);
    topo_tree_free(tree);
    group.tree = NULL;
}

/* What the model says of the algorithm that was asked for. */
START_TEST(is_the_models)
{
    make_call(TOPO_TRACE_OP_ALLGATHER, 4096);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *row = topo_algorithm((enum topo_algorithm_id)id);
        if (row->operation != TOPO_OPERATION_allgather)
            continue;
        struct topo_cost_call asked = {.bytes = 4096};
        machine_under.choice[TOPO_OPERATION_allgather].algorithm = row->id;
        struct replay_seconds seconds = ask();
        ck_assert_double_eq(seconds.all, topo_cost(row->id, tree, &params, &asked));
        ck_assert(seconds.last > 0 && seconds.last <= seconds.all);
    }
    machine_under.choice[TOPO_OPERATION_allgather] = (struct topo_replay_choice){TOPO_REPLAY_TRACED, 0};
    for (int r = 0; r < RANKS; r++)
        events[r].name = "ring";
    double by_ring = ask().all;
    machine_under.choice[TOPO_OPERATION_allgather] =
        (struct topo_replay_choice){TOPO_REPLAY_ALGORITHM, TOPO_ALGORITHM_allgather_ring};
    ck_assert_double_eq(ask().all, by_ring);
    call.factors.block = 0.5;
    struct topo_cost_call half = {.bytes = 2048};
    ck_assert_double_eq(ask().all, topo_cost(TOPO_ALGORITHM_allgather_ring, tree, &params, &half));
    end_call();
}
END_TEST

START_TEST(exchanges)
{
    int64_t matrix[RANKS * RANKS];
    struct topo_cost_call asked = {.matrix = matrix};
    int64_t sum = 0;
    make_call(TOPO_TRACE_OP_ALLTOALLV, 0);
    for (int i = 0; i < RANKS * RANKS; i++)
        sum += matrix[i] = (int64_t)entries[i / RANKS][i % RANKS];
    asked.bytes = (size_t)(sum / RANKS / RANKS);
    machine_under.choice[TOPO_OPERATION_alltoallv].algorithm = TOPO_ALGORITHM_alltoallv_direct;
    ck_assert_double_eq(ask().all, topo_cost(TOPO_ALGORITHM_alltoallv_direct, tree, &params, &asked));
    machine_under.choice[TOPO_OPERATION_alltoallv].algorithm = TOPO_ALGORITHM_alltoallv_drc;
    ck_assert_double_eq(ask().all, topo_scheduler_seconds(TOPO_SCHEDULER_drc, tree, &params, matrix));
    double before = ask().all;
    call.factors.entry = 3;
    ck_assert_msg(ask().all > before, "longer entries take longer");
    end_call();
}
END_TEST

/* Calls that differ are not taken for each other, and there is room for many. */
START_TEST(remembered)
{
    make_call(TOPO_TRACE_OP_BCAST, 0);
    struct replay_costs *costs = replay_costs_new(&machine_under);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++) {
            for (int r = 0; r < RANKS; r++) {
                events[r].call.bytes = (uint64_t)(i / 4) * 100;
                events[r].call.root = (unsigned)(i % 4);
            }
            struct topo_cost_call asked = {.bytes = (size_t)(i / 4) * 100, .root = i % 4};
            ck_assert_double_eq(replay_cost(costs, &call).all,
                                topo_cost(TOPO_ALGORITHM_bcast_native, tree, &params, &asked));
        }
    replay_costs_free(costs);
    replay_costs_free(NULL);
    end_call();
}
END_TEST

START_TEST(out_of_memory)
{
    make_call(TOPO_TRACE_OP_ALLTOALLV, 0);
    struct replay_costs *costs = NULL;
    UNIT_OUT_OF_MEMORY((costs = replay_costs_new(&machine_under)) ? TOPO_OK : TOPO_NOMEM);
    UNIT_OUT_OF_MEMORY(replay_cost(costs, &call).all < 0 ? TOPO_NOMEM : TOPO_OK);
    replay_costs_free(costs);
    end_call();
}
END_TEST

UNIT_MAIN("replay_cost", {is_the_models}, {exchanges}, {remembered}, {out_of_memory})
