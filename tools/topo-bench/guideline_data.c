/* What goes through the calls of a guideline, and whether it comes out right. */
#include "topo-bench/guideline_call.h"
#include "topo-bench/pattern.h"

/* Element `index` of what a rank sends. */
static double value(int rank, size_t index, uint64_t round)
{
    return (double)(bench_pattern_word((uint64_t)rank, round, index) & 15) - 5;
}

/* Of the first `ranks` ranks. */
static double sum(int ranks, size_t index, uint64_t round)
{
    double all = 0;
    for (int rank = 0; rank < ranks; rank++)
        all += value(rank, index, round);
    return all;
}

static void write_values(double *to, size_t count, int rank, uint64_t round)
{
    for (size_t i = 0; i < count; i++)
        to[i] = value(rank, i, round);
}

/* In place what a call takes lies where it puts its result. */
static void fill_in_place(const struct bench_caller *caller, double *to, uint64_t round)
{
    size_t count = caller->count, whole = count * (size_t)caller->ranks;
    if (caller->outcome == BENCH_OUTCOME_BLOCKS)
        write_values(to + (size_t)caller->rank * count, count, caller->rank, round);
    else
        write_values(
            to, caller->outcome == BENCH_OUTCOME_PARTS || caller->outcome == BENCH_OUTCOME_SUM_PART ? whole : count,
            caller->rank, round);
}

void bench_caller_fill(struct bench_caller *caller, uint64_t round)
{
    const struct bench_buffers *buffers = caller->buffers;
    for (int time = 0; time <= caller->form->again && caller->comm != MPI_COMM_NULL; time++) {
        size_t set = (size_t)((buffers->next + time) % buffers->sets);
        double *send = buffers->memory[BENCH_SEND] + set * buffers->extent[BENCH_SEND];
        double *receive = buffers->memory[BENCH_RECEIVE] + set * buffers->extent[BENCH_RECEIVE];
        write_values(send, buffers->extent[BENCH_SEND], caller->rank, round);
        bench_pattern_spoil(receive, buffers->extent[BENCH_RECEIVE] * sizeof *receive);
        if (caller->form->in_place)
            fill_in_place(caller, receive, round);
        /* What the root broadcasts lies where the others receive it. */
        if (caller->outcome == BENCH_OUTCOME_BLOCK_OF_ROOT && caller->rank == caller->root)
            write_values(receive, buffers->extent[BENCH_RECEIVE], caller->rank, round);
    }
}

/* Element i of what this rank has to find. */
static double wanted(const struct bench_caller *caller, size_t i, uint64_t round)
{
    size_t own = (size_t)caller->rank * caller->count;
    int sender = (int)(i / caller->count);
    switch (caller->outcome) {
    case BENCH_OUTCOME_SUM_PART: return sum(caller->ranks, own + i, round);
    case BENCH_OUTCOME_SUM_TO_RANK: return sum(caller->rank + 1, i, round);
    case BENCH_OUTCOME_SUM_BEFORE_RANK: return sum(caller->rank, i, round);
    case BENCH_OUTCOME_BLOCKS:
    case BENCH_OUTCOME_BLOCKS_ON_ROOT: return value(sender, i % caller->count, round);
    case BENCH_OUTCOME_BLOCK_OF_ROOT: return value(caller->root, i, round);
    case BENCH_OUTCOME_PART_OF_ROOT: return value(caller->root, own + i, round);
    case BENCH_OUTCOME_PARTS: return value(sender, own + i % caller->count, round);
    default: return sum(caller->ranks, i, round);
    }
}

size_t bench_caller_wrong(const struct bench_caller *caller, uint64_t round)
{
    const struct bench_buffers *buffers = caller->buffers;
    enum bench_outcome outcome = caller->outcome;
    bool root_alone = outcome == BENCH_OUTCOME_SUM_ON_ROOT || outcome == BENCH_OUTCOME_BLOCKS_ON_ROOT;
    bool whole =
        outcome == BENCH_OUTCOME_BLOCKS || outcome == BENCH_OUTCOME_BLOCKS_ON_ROOT || outcome == BENCH_OUTCOME_PARTS;
    if (caller->comm == MPI_COMM_NULL || outcome == BENCH_OUTCOME_NOTHING ||
        (root_alone && caller->rank != caller->root) || (outcome == BENCH_OUTCOME_SUM_BEFORE_RANK && caller->rank == 0))
        return 0;
    size_t set = (size_t)((buffers->next + buffers->sets - 1) % buffers->sets), wrong = 0;
    const double *receive = buffers->memory[BENCH_RECEIVE] + set * buffers->extent[BENCH_RECEIVE];
    for (size_t i = 0; i < (whole ? caller->count * (size_t)caller->ranks : caller->count); i++)
        wrong += receive[i] != wanted(caller, i, round);
    return wrong;
}
