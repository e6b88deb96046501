#include "select/trial.h"

#include <stdlib.h>

#include "base/memory.h"

struct topo_lesson {
    enum topo_operation operation;
    int size_class;
    int candidates, calls;
    const struct topo_algorithm *decided;
    const struct topo_algorithm *candidate[TOPO_ALGORITHM_COUNT];
    double seconds[TOPO_ALGORITHM_COUNT][TOPO_LESSON_ROUNDS];
};

int topo_size_class(size_t bytes)
{
    return bytes < 2 ? 0 : 64 - __builtin_clzll((unsigned long long)bytes - 1);
}

struct topo_lesson *topo_lesson_new(enum topo_operation operation, int size_class, int ranks)
{
    struct topo_lesson *lesson = topo_calloc(1, sizeof *lesson);
    if (!lesson)
        return NULL;
    lesson->operation = operation;
    lesson->size_class = size_class;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        if (topo_algorithm(id)->operation == operation && topo_algorithm_applies(topo_algorithm(id), ranks, NULL))
            lesson->candidate[lesson->candidates++] = topo_algorithm(id);
    return lesson;
}

void topo_lesson_free(struct topo_lesson *lesson)
{
    topo_free(lesson);
}

bool topo_lesson_is(const struct topo_lesson *lesson, enum topo_operation operation, int size_class)
{
    return lesson->operation == operation && lesson->size_class == size_class;
}

const struct topo_algorithm *topo_lesson_next(const struct topo_lesson *lesson)
{
    return lesson->decided ? lesson->decided : lesson->candidate[lesson->calls % lesson->candidates];
}

void topo_lesson_record(struct topo_lesson *lesson, double seconds)
{
    int round = lesson->calls / lesson->candidates - 1; /* the round before the first is the warm-up */
    if (lesson->decided || round >= TOPO_LESSON_ROUNDS)
        return;
    if (round >= 0)
        lesson->seconds[lesson->calls % lesson->candidates][round] = seconds;
    lesson->calls++;
}

bool topo_lesson_is_complete(const struct topo_lesson *lesson)
{
    return !lesson->decided && lesson->calls == lesson->candidates * (TOPO_LESSON_ROUNDS + 1);
}

int topo_lesson_candidates(const struct topo_lesson *lesson)
{
    return lesson->candidates;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void topo_lesson_medians(const struct topo_lesson *lesson, double *medians)
{
    for (int i = 0; i < lesson->candidates; i++) {
        double sorted[TOPO_LESSON_ROUNDS];
        for (int round = 0; round < TOPO_LESSON_ROUNDS; round++)
            sorted[round] = lesson->seconds[i][round];
        qsort(sorted, TOPO_LESSON_ROUNDS, sizeof *sorted, ascending);
        medians[i] = sorted[TOPO_LESSON_ROUNDS / 2];
    }
}

void topo_lesson_decide(struct topo_lesson *lesson, const double *medians)
{
    int best = 0; /* the native row comes first */
    for (int i = 1; i < lesson->candidates; i++)
        if (medians[i] < medians[best])
            best = i;
    lesson->decided = lesson->candidate[best];
}

struct topo_rule topo_lesson_rule(const struct topo_lesson *lesson, const struct topo_layout *layout)
{
    size_t high = (size_t)1 << lesson->size_class;
    return (struct topo_rule){
        .algorithm = lesson->decided ? lesson->decided : topo_algorithm_native(lesson->operation),
        .ranks = {(size_t)layout->ranks, (size_t)layout->ranks},
        .nodes = {(size_t)layout->nodes, (size_t)layout->nodes},
        .per_node = {(size_t)layout->node_ranks_max, (size_t)layout->node_ranks_max},
        .bytes = {lesson->size_class ? high / 2 + 1 : 0, high},
        .by_slot = layout->by_slot,
    };
}
