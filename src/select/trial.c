#include "select/trial.h"

#include <stdlib.h>

#include "base/memory.h"

struct topo_trial {
    enum topo_operation operation;
    int size_class;
    int candidates, calls;
    const struct topo_algorithm *decided;
    const struct topo_algorithm *candidate[TOPO_ALGORITHM_COUNT];
    double seconds[TOPO_ALGORITHM_COUNT][TOPO_TRIAL_ROUNDS];
};

struct topo_trial *topo_trial_new(enum topo_operation operation, int size_class, int ranks)
{
    struct topo_trial *trial = topo_calloc(1, sizeof *trial);
    if (!trial)
        return NULL;
    trial->operation = operation;
    trial->size_class = size_class;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        if (topo_algorithm(id)->operation == operation && topo_algorithm_applies(topo_algorithm(id), ranks, NULL))
            trial->candidate[trial->candidates++] = topo_algorithm(id);
    return trial;
}

void topo_trial_free(struct topo_trial *trial)
{
    topo_free(trial);
}

bool topo_trial_is(const struct topo_trial *trial, enum topo_operation operation, int size_class)
{
    return trial->operation == operation && trial->size_class == size_class;
}

const struct topo_algorithm *topo_trial_next(const struct topo_trial *trial)
{
    return trial->decided ? trial->decided : trial->candidate[trial->calls % trial->candidates];
}

void topo_trial_record(struct topo_trial *trial, double seconds)
{
    int round = trial->calls / trial->candidates - 1; /* the round before the first is the warm-up */
    if (trial->decided || round >= TOPO_TRIAL_ROUNDS)
        return;
    if (round >= 0)
        trial->seconds[trial->calls % trial->candidates][round] = seconds;
    trial->calls++;
}

bool topo_trial_is_complete(const struct topo_trial *trial)
{
    return !trial->decided && trial->calls == trial->candidates * (TOPO_TRIAL_ROUNDS + 1);
}

int topo_trial_candidates(const struct topo_trial *trial)
{
    return trial->candidates;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void topo_trial_medians(const struct topo_trial *trial, double *medians)
{
    for (int i = 0; i < trial->candidates; i++) {
        double sorted[TOPO_TRIAL_ROUNDS];
        for (int round = 0; round < TOPO_TRIAL_ROUNDS; round++)
            sorted[round] = trial->seconds[i][round];
        qsort(sorted, TOPO_TRIAL_ROUNDS, sizeof *sorted, ascending);
        medians[i] = sorted[TOPO_TRIAL_ROUNDS / 2];
    }
}

void topo_trial_decide(struct topo_trial *trial, const double *medians)
{
    int best = 0; /* the native row comes first */
    for (int i = 1; i < trial->candidates; i++)
        if (medians[i] < medians[best])
            best = i;
    trial->decided = trial->candidate[best];
}

void topo_trial_evidence(const struct topo_trial *trial, const double *medians, struct topo_text *out)
{
    bool said[TOPO_ALGORITHM_COUNT] = {false};
    topo_text_addf(out, "# %d calls each, median us of the slowest rank:", TOPO_TRIAL_ROUNDS);
    for (int i = 0; i < trial->candidates; i++) {
        int best = -1;
        for (int j = 0; j < trial->candidates; j++)
            if (!said[j] && (best < 0 || medians[j] < medians[best]))
                best = j;
        said[best] = true;
        topo_text_addf(out, "%s %s %.1f", i ? "," : "", trial->candidate[best]->name, medians[best] * 1e6);
    }
    topo_text_add(out, "\n");
}

struct topo_rule topo_trial_rule(const struct topo_trial *trial, const struct topo_layout *layout)
{
    size_t high = (size_t)1 << trial->size_class;
    struct topo_rule rule = topo_rule_here(layout);
    rule.algorithm = trial->decided ? trial->decided : topo_algorithm_native(trial->operation);
    rule.bytes = (struct topo_range){trial->size_class ? high / 2 + 1 : 0, high};
    return rule;
}
