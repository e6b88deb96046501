/* The guidelines, a row each. Sources: docs/REFERENCES.md, Methods 4. */
#include "topo-bench/guideline.h"

#define STEP(kind, from, to, amount) \
    { \
        BENCH_STEP_##kind, BENCH_##from, BENCH_##to, BENCH_##amount \
    }
#define BY_ITSELF(kind) STEP(kind, SEND, RECEIVE, COUNT)
#define FORM(...) \
    { \
        .step = { __VA_ARGS__ } \
    }

#define MOCKUP(operation, kind, ...) \
    { \
        BENCH_MOCKUP, operation, FORM(BY_ITSELF(kind)), FORM(__VA_ARGS__) \
    }
#define SAME(kind_of_guideline, operation, kind, left_has, right_has) \
    { \
        kind_of_guideline, operation, {.step = {BY_ITSELF(kind)}, left_has}, \
        { \
            .step = {BY_ITSELF(kind)}, right_has \
        } \
    }
#define AS_IT_IS .twice = false

/* Of every operation of the library that moves data. */
#define EACH_WITH_DATA(ROW) \
    ROW("allgather", ALLGATHER), ROW("allgatherv", ALLGATHERV), ROW("allreduce", ALLREDUCE), \
        ROW("alltoall", ALLTOALL), ROW("alltoallv", ALLTOALLV), ROW("bcast", BCAST), ROW("exscan", EXSCAN), \
        ROW("gather", GATHER), ROW("gatherv", GATHERV), ROW("reduce", REDUCE), ROW("reduce_scatter", REDUCE_SCATTER), \
        ROW("reduce_scatter_block", REDUCE_SCATTER_BLOCK), ROW("scan", SCAN), ROW("scatter", SCATTER), \
        ROW("scatterv", SCATTERV)
#define EACH(ROW) EACH_WITH_DATA(ROW), ROW("barrier", BARRIER)

#define MONOTONE(operation, kind) SAME(BENCH_MONOTONE, operation, kind, AS_IT_IS, .twice = true)
#define SPLIT(operation, kind) SAME(BENCH_SPLIT, operation, kind, .twice = true, .again = true)
#define COMMUNICATOR(operation, kind) SAME(BENCH_COMMUNICATOR, operation, kind, .lower = true, AS_IT_IS)
#define ROOTS(operation, kind) \
    SAME(BENCH_ROOT, operation, kind, .root = BENCH_ROOT_MIDDLE, AS_IT_IS), \
        SAME(BENCH_ROOT, operation, kind, .root = BENCH_ROOT_LAST, AS_IT_IS)
#define PLACE(operation, kind) SAME(BENCH_PLACE, operation, kind, .in_place = true, AS_IT_IS)
#define ARRIVAL(operation, kind) SAME(BENCH_ARRIVAL, operation, kind, AS_IT_IS, AS_IT_IS)

const struct bench_guideline bench_guideline[] = {
    MOCKUP("allreduce", ALLREDUCE, BY_ITSELF(REDUCE), STEP(BCAST, SEND, RECEIVE, COUNT)),
    MOCKUP("allreduce", ALLREDUCE, STEP(REDUCE_SCATTER_BLOCK, SEND, SPARE, CHUNK),
           STEP(ALLGATHER, SPARE, RECEIVE, CHUNK)),
    MOCKUP("barrier", BARRIER, STEP(ALLREDUCE, SEND, RECEIVE, INTEGER)),
    MOCKUP("allgather", ALLGATHER, BY_ITSELF(GATHER), STEP(BCAST, SEND, RECEIVE, WHOLE)),
    MOCKUP("allgather", ALLGATHER, BY_ITSELF(ALLGATHERV)),
    MOCKUP("allgather", ALLGATHER, STEP(COPIES, SEND, SPARE, COUNT), STEP(ALLTOALL, SPARE, RECEIVE, COUNT)),
    MOCKUP("alltoall", ALLTOALL, BY_ITSELF(ALLTOALLV)),
    MOCKUP("bcast", BCAST, STEP(SCATTER, RECEIVE, SPARE, CHUNK), STEP(ALLGATHER, SPARE, RECEIVE, CHUNK)),
    MOCKUP("reduce", REDUCE, BY_ITSELF(ALLREDUCE)),
    MOCKUP("reduce_scatter_block", REDUCE_SCATTER_BLOCK, BY_ITSELF(REDUCE_SCATTER)),
    MOCKUP("reduce_scatter_block", REDUCE_SCATTER_BLOCK, STEP(ALLREDUCE, SEND, SPARE, WHOLE),
           STEP(OWN_PART, SPARE, RECEIVE, COUNT)),
    MOCKUP("gather", GATHER, BY_ITSELF(GATHERV)),
    MOCKUP("gather", GATHER, BY_ITSELF(ALLGATHER)),
    MOCKUP("scatter", SCATTER, BY_ITSELF(SCATTERV)),
    MOCKUP("scatter", SCATTER, STEP(BCAST, SEND, SEND, WHOLE), STEP(OWN_PART, SEND, RECEIVE, COUNT)),
    MOCKUP("scan", SCAN, BY_ITSELF(EXSCAN), BY_ITSELF(REDUCE_LOCAL)),
    EACH_WITH_DATA(MONOTONE),
    EACH_WITH_DATA(SPLIT),
    EACH(COMMUNICATOR),
    ROOTS("bcast", BCAST),
    ROOTS("reduce", REDUCE),
    ROOTS("gather", GATHER),
    ROOTS("scatter", SCATTER),
    PLACE("allgather", ALLGATHER),
    PLACE("allgatherv", ALLGATHERV),
    PLACE("allreduce", ALLREDUCE),
    PLACE("alltoall", ALLTOALL),
    PLACE("alltoallv", ALLTOALLV),
    PLACE("exscan", EXSCAN),
    PLACE("reduce", REDUCE),
    PLACE("reduce_scatter", REDUCE_SCATTER),
    PLACE("reduce_scatter_block", REDUCE_SCATTER_BLOCK),
    PLACE("scan", SCAN),
    EACH(ARRIVAL),
};
const int bench_guidelines = sizeof bench_guideline / sizeof *bench_guideline;

#define OURS(name) #name, TOPO_OPERATION_##name

const struct bench_step_info bench_step_info[BENCH_STEPS] = {
    [BENCH_STEP_ALLGATHER] = {OURS(allgather), false, true, BENCH_OUTCOME_BLOCKS},
    [BENCH_STEP_ALLGATHERV] = {OURS(allgatherv), false, true, BENCH_OUTCOME_BLOCKS},
    [BENCH_STEP_ALLREDUCE] = {OURS(allreduce), false, false, BENCH_OUTCOME_SUM},
    [BENCH_STEP_ALLTOALL] = {OURS(alltoall), true, true, BENCH_OUTCOME_PARTS},
    [BENCH_STEP_ALLTOALLV] = {OURS(alltoallv), true, true, BENCH_OUTCOME_PARTS},
    [BENCH_STEP_BARRIER] = {OURS(barrier), false, false, BENCH_OUTCOME_NOTHING},
    [BENCH_STEP_BCAST] = {OURS(bcast), false, false, BENCH_OUTCOME_BLOCK_OF_ROOT},
    [BENCH_STEP_EXSCAN] = {OURS(exscan), false, false, BENCH_OUTCOME_SUM_BEFORE_RANK},
    [BENCH_STEP_GATHER] = {OURS(gather), false, true, BENCH_OUTCOME_BLOCKS_ON_ROOT},
    [BENCH_STEP_GATHERV] = {OURS(gatherv), false, true, BENCH_OUTCOME_BLOCKS_ON_ROOT},
    [BENCH_STEP_REDUCE] = {OURS(reduce), false, false, BENCH_OUTCOME_SUM_ON_ROOT},
    [BENCH_STEP_REDUCE_LOCAL] = {"reduce_local", BENCH_NOT_OURS, false, false, BENCH_OUTCOME_NOTHING},
    [BENCH_STEP_REDUCE_SCATTER] = {OURS(reduce_scatter), true, false, BENCH_OUTCOME_SUM_PART},
    [BENCH_STEP_REDUCE_SCATTER_BLOCK] = {OURS(reduce_scatter_block), true, false, BENCH_OUTCOME_SUM_PART},
    [BENCH_STEP_SCAN] = {OURS(scan), false, false, BENCH_OUTCOME_SUM_TO_RANK},
    [BENCH_STEP_SCATTER] = {OURS(scatter), true, false, BENCH_OUTCOME_PART_OF_ROOT},
    [BENCH_STEP_SCATTERV] = {OURS(scatterv), true, false, BENCH_OUTCOME_PART_OF_ROOT},
    [BENCH_STEP_COPIES] = {"", BENCH_NOT_OURS, false, true, BENCH_OUTCOME_NOTHING},
    [BENCH_STEP_OWN_PART] = {"", BENCH_NOT_OURS, true, false, BENCH_OUTCOME_NOTHING},
};
