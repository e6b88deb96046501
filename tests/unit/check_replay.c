/* Replays of small traces whose times are worked out by hand. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "machine/synthetic.h"
#include "predict/mpi/replay.h"
#include "trace/write.h"
#include "predict/mpi/traced.h"
#include "damage.h"

static unsigned char buffer[4][4096];
static size_t written[4];
static struct topo_trace_run run;
static struct topo_trace_rank ranks[4];
static struct topo_notes notes;

static bool no_more(struct topo_trace_writer *one, size_t bytes)
{
    (void)one;
    (void)bytes;
    return false;
}

/* Rank r computes (r + 1) us, gathers 1024 bytes (interval "gather"), is in a barrier, computes 1 us. With
 * `pairs` the gather is on ranks (0, 1) and (2, 3); with `exchange` it is an exchange, 1024 bytes to the next rank. */
static bool pairs, exchange;
static uint64_t exchanged = 1024;
static void make_run(int skip_barrier_of)
{
    static const int world[] = {0, 1, 2, 3};
    run = (struct topo_trace_run){.ranks = 4, .rank = ranks};
    for (int r = 0; r < 4; r++) {
        struct topo_trace_job job = {.id = 1, .rank = r, .ranks = 4, .host = "h", .program = "p", .version = "0"};
        struct topo_trace_writer writer = {.reserve = no_more, .window = buffer[r], .room = sizeof buffer[r]};
        memset(buffer[r], 0, sizeof buffer[r]);
        topo_trace_write_magic(&writer);
        topo_trace_write_job(&writer, &job);
        topo_trace_write_string(&writer, 1, "gather");
        topo_trace_write_group(&writer, 1, r, world, 4);
        topo_trace_write_group(&writer, 2, r % 2, world + r / 2 * 2, 2);
        uint64_t to[4] = {0};
        to[(r + 1) % 4] = exchanged;
        topo_trace_write_vector(&writer, 1, to, 4);
        topo_trace_write_begin(&writer, (struct topo_trace_gap){0, 0}, 1, 0, 0);
        topo_trace_write_collective(
            &writer, &(struct topo_trace_collective){.gap = {5000000, (uint64_t)(r + 1) * 1000},
                                                     .op = exchange ? TOPO_TRACE_OP_ALLTOALLV : TOPO_TRACE_OP_ALLGATHER,
                                                     .group = pairs ? 2 : 1,
                                                     .vector = exchange,
                                                     .bytes = 1024,
                                                     .nanoseconds = 1});
        topo_trace_write_end(&writer, (struct topo_trace_gap){0, 0});
        if (r != skip_barrier_of)
            topo_trace_write_collective(
                &writer, &(struct topo_trace_collective){
                             .op = TOPO_TRACE_OP_BARRIER, .group = 1, .nanoseconds = (uint64_t)(7 + r) * 1000});
        topo_trace_write_finish(&writer, (struct topo_trace_gap){1000, 1000});
        topo_trace_rank_free(&ranks[r]);
        ck_assert(topo_trace_parse(buffer[r], written[r] = writer.written, "t", &ranks[r], &notes) == TOPO_OK);
    }
}

static struct topo_tree *machine_of(const char *text, struct topo_params *params, struct topo_replay_machine *machine)
{
    struct topo_tree *tree = NULL;
    ck_assert(topo_synthetic_tree(text, 0, &tree, NULL) == TOPO_OK);
    topo_params_default(params);
    for (int kind = 0; kind <= TOPO_LEVEL_KINDS; kind++)
        params->link[kind] = (struct topo_link){.alpha = 1e-6};
    params->link[TOPO_LEVEL_NODE] = (struct topo_link){.alpha = 8e-6, .beta = 1e-6 / 1024};
    params->overhead = params->copy = 0;
    *machine = (struct topo_replay_machine){.tree = tree, .params = params, .speed = 2};
    machine->choice[TOPO_OPERATION_allgather].algorithm = TOPO_ALGORITHM_allgather_ring;
    return tree;
}

static void is(double seconds, double us, const char *what)
{
    ck_assert_msg(fabs(seconds * 1e6 - us) < 0.01, "%s: %g us, by hand %g", what, seconds * 1e6, us);
}

/* 2 x 2 ranks, ring: a block crosses between nodes twice, 8 + 1 us each, and goes 1 us inside one. Twice as fast cores: clocks 0.5, 1, 1.5, 2. The last rank is not waited
 * for: with rank 0 a quarter of the work begins, and the others come before that is done. */
START_TEST(by_hand)
{
    struct topo_params params;
    struct topo_replay_machine machine;
    struct topo_intervals intervals;
    struct topo_tree *tree = machine_of("node:2 core:2", &params, &machine);
    make_run(-1);
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_OK);
    const struct topo_interval *root = intervals.root, *gather = root->children[0];
    is(root->execution, 0.5 + 19 + 9 + 0.5, "the whole program; the barrier: 1 us inside the nodes, 8 between them");
    is(gather->execution, 0.5 + 19, "the interval");
    is(gather->times[0].kind[TOPO_COMM_REMOTE].comm, 19 - 1.5, "allgather by the model, behind the last rank's entry");
    is(gather->times[0].kind[TOPO_COMM_REMOTE].synch, 1.5, "rank 0 waits for rank 3");
    is(gather->times[3].kind[TOPO_COMM_REMOTE].synch, 0, "rank 3 waits for nobody");
    is(root->times[2].cpu, 1.5 + 0.5, "computation at twice the speed");
    ck_assert(root->operations[TOPO_COMM_REMOTE] == 1 && root->operations[TOPO_COMM_REDUCTION] == 1);
    ck_assert_int_eq(gather->entries, 1);
    topo_intervals_free(&intervals);
    machine.choice[TOPO_OPERATION_allgather].algorithm = TOPO_ALGORITHM_allgather_recursive_doubling;
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_OK);
    is(intervals.root->execution, 0.5 + (1 + 8 + 4) + 9 + 0.5,
       "recursive doubling: 1 in the node, 8 + 2 ranks x 2 blocks");
    topo_intervals_free(&intervals);
    machine.choice[TOPO_OPERATION_allgather].algorithm = TOPO_ALGORITHM_allgather_leader;
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_OK);
    is(intervals.root->execution, 2 + (1 + 8 + 2 + 1) + 9 + 0.5, "leader: the nodes' ranks meet before anything moves");
    topo_intervals_free(&intervals);
    topo_tree_free(tree);
}
END_TEST

START_TEST(what_cannot_be)
{
    struct topo_params params;
    struct topo_replay_machine machine;
    struct topo_intervals intervals;
    struct topo_tree *tree = machine_of("node:2 core:2", &params, &machine);
    make_run(2);
    topo_notes_free(&notes);
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_PARSE);
    ck_assert_msg(strstr(notes.list[0].text, "rank 0 waits in a collective"), "%s", notes.list[0].text);
    is(intervals.root->times[0].execution, 0.5 + 19, "up to there");
    topo_intervals_free(&intervals);
    run.missing = 1;
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_PARSE && !intervals.root);
    run.missing = 0;
    topo_tree_free(tree);
    pairs = true;
    make_run(-1);
    pairs = false;
    tree = machine_of("node:3 core:1", &params, &machine);
    topo_notes_free(&notes);
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_INVALID && !intervals.root);
    ck_assert_msg(strstr(notes.list[0].text, "for 3 instead of 4 ranks"), "%s", notes.list[0].text);
    topo_tree_free(tree);
}
END_TEST

/* One core: 0.5 + 1 + 1.5 + 2 us of work in turn; who has the core keeps it until it has to wait. */
START_TEST(ranks_share_cores)
{
    struct topo_params params;
    struct topo_replay_machine machine;
    struct topo_intervals intervals;
    struct topo_tree *tree = machine_of("node:2 core:2", &params, &machine);
    params.cores = 1;
    params.cores_kind = TOPO_LEVEL_KINDS;
    make_run(-1);
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_OK);
    is(intervals.root->execution, 5 + 17 + 9 + 4 * 0.5,
       "one after the other; the last one's block takes 8 + 1 + 8 us at least");
    is(intervals.root->children[0]->times[0].cpu, 0.5, "rank 0 has it first");
    is(intervals.root->children[0]->times[3].cpu, 2, "rank 3 last, and then for itself");
    is(intervals.root->times[0].insufficient_user, 0, "rank 0 is first again in the end");
    is(intervals.root->times[3].insufficient_user, 3 + 3 * 0.5, "rank 3 waits for three others both times");
    is(intervals.root->productive_cpu, 5 + 4 * 0.5, "the work stays the same");
    topo_intervals_free(&intervals);
    params.cores_kind = TOPO_LEVEL_NODE;
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_OK);
    is(intervals.root->execution, 3.5 + 17 + 9 + 2 * 0.5, "a core a node: 1.5 + 2 us on the second one");
    topo_intervals_free(&intervals);
    topo_tree_free(tree);
}
END_TEST

/* From 4 to 8 ranks; rank i is like rank i / 2. */
START_TEST(more_ranks)
{
    static const struct replay_scaling_rule weak = {"gather", REPLAY_SCALING_WEAK};
    struct topo_params params;
    struct topo_replay_machine machine;
    struct topo_intervals intervals;
    struct topo_tree *tree = machine_of("node:4 core:2", &params, &machine);
    make_run(-1);
    /* Half the work at twice the speed; a ring in which half a block crosses between nodes 4 times; a barrier of three steps. */
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_OK);
    is(intervals.root->execution, 0.25 + 4 * 8.5 + 3 + (1 + 8 + 8) + 0.25, "strong");
    topo_intervals_free(&intervals);
    machine.scaling = (struct replay_scaling_rules){&weak, 1, REPLAY_SCALING_STRONG};
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_OK);
    is(intervals.root->execution, 0.5 + 4 * 9 + 3 + (1 + 8 + 8) + 0.25, "weak in the interval, strong outside");
    topo_intervals_free(&intervals);
    topo_tree_free(tree);
}
END_TEST

START_TEST(exchanges)
{
    struct topo_params params;
    struct topo_replay_machine machine;
    struct topo_intervals intervals;
    struct topo_tree *tree = machine_of("node:2 core:2", &params, &machine);
    exchange = true;
    make_run(-1);
    exchange = false;
    ck_assert(topo_replay(&run, &machine, &intervals, &notes) == TOPO_OK);
    is(intervals.root->children[0]->execution, 0.5 + 8 + 1, "one message of 1 us through each node's link");
    is(intervals.root->children[0]->times[3].kind[TOPO_COMM_REDISTRIBUTION].comm, 9 - 1.5, "an exchange redistributes");
    topo_intervals_free(&intervals);
    topo_tree_free(tree);
}
END_TEST

/* Under every algorithm, on as many ranks, on more and on one: nothing at all, and more than there can be. */
START_TEST(extremes)
{
    static const char *const machines[] = {"node:2 core:2", "node:4 core:2", "node:1 core:1"};
    static const uint64_t sizes[] = {0, UINT64_MAX};
    struct topo_params params;
    struct topo_replay_machine machine;
    struct topo_intervals intervals;
    for (size_t i = 0; i < 2 * 3; i++) {
        struct topo_tree *tree = machine_of(machines[i / 2], &params, &machine);
        exchange = true;
        exchanged = sizes[i % 2];
        make_run(-1);
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
            if (topo_algorithm(id)->operation != TOPO_OPERATION_alltoallv)
                continue;
            machine.choice[TOPO_OPERATION_alltoallv].algorithm = id;
            topo_notes_free(&notes);
            ck_assert_msg(topo_replay(&run, &machine, &intervals, &notes) == TOPO_OK, "%s of %g bytes on %s: %s",
                          topo_algorithm(id)->name, (double)exchanged, machines[i / 2],
                          notes.kept ? notes.list[0].text : "");
            ck_assert(isfinite(intervals.root->execution) && intervals.root->execution > 0);
            topo_intervals_free(&intervals);
        }
        topo_tree_free(tree);
    }
    exchange = false;
    exchanged = 1024;
}
END_TEST

/* One rank's file damaged: what can still be read is played, on as many ranks and on more, or the reason told. */
START_TEST(damaged_traces)
{
    static const char *const machines[] = {"node:2 core:2", "node:4 core:2"};
    damage_seed(40 + (unsigned)_i);
    pairs = _i % 3 == 1;
    exchange = _i % 3 == 2;
    for (int round = 0; round < 3000; round++) {
        struct topo_params params;
        struct topo_replay_machine machine;
        struct topo_intervals intervals = {0};
        struct topo_tree *tree = machine_of(machines[round % 2], &params, &machine);
        params.cores = round % 3;
        machine.scaling.otherwise = (enum replay_scaling)(round % 4 % 3);
        make_run(-1);
        int victim = (int)(damage_random() % 4);
        size_t length = written[victim];
        char *copy = damaged((const char *)buffer[victim], &length);
        topo_trace_rank_free(&ranks[victim]);
        topo_notes_free(&notes);
        topo_trace_parse(copy, length, "t", &ranks[victim], &notes);
        run.missing = !ranks[victim].job.ranks || ranks[victim].job.ranks != 4 || ranks[victim].job.rank != victim;
        enum topo_status status = topo_replay(&run, &machine, &intervals, &notes);
        ck_assert_msg(status == TOPO_OK || (status != TOPO_NOMEM && notes.errors), "%s", topo_status_text(status));
        ck_assert(!intervals.root || (isfinite(intervals.root->execution) && intervals.root->execution >= 0));
        ck_assert(status != TOPO_OK || intervals.root);
        topo_intervals_free(&intervals);
        status = topo_traced(&run, &intervals, &notes);
        ck_assert_msg(status == TOPO_OK || (run.missing && status == TOPO_PARSE), "%s", topo_status_text(status));
        ck_assert(!intervals.root || isfinite(intervals.root->execution));
        topo_intervals_free(&intervals);
        topo_tree_free(tree);
        topo_free(copy);
    }
    pairs = exchange = false;
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_params params;
    struct topo_replay_machine machine;
    struct topo_intervals intervals;
    struct topo_tree *tree = machine_of("node:2 core:2", &params, &machine);
    exchange = true;
    make_run(-1);
    exchange = false;
    UNIT_OUT_OF_MEMORY(topo_replay(&run, &machine, &intervals, &notes),
                       ck_assert((status == TOPO_OK) == (intervals.root != NULL)));
    topo_intervals_free(&intervals);
    topo_tree_free(tree);
    UNIT_OUT_OF_MEMORY(topo_traced(&run, &intervals, &notes),
                       ck_assert((status == TOPO_OK) == (intervals.root != NULL)));
    topo_intervals_free(&intervals);
}
END_TEST

UNIT_MAIN("replay", {by_hand}, {what_cannot_be}, {ranks_share_cores}, {more_ranks}, {exchanges}, {extremes},
          {damaged_traces, 6}, {out_of_memory})
