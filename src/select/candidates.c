#include "select/candidates.h"

#include <string.h>

#include "model/cost.h"
#include "select/by_model.h"
#include "catalog/size_class.h"

/* To ask the model takes each rank 2 to 10 ms at so many ranks times nodes; of what has one root, and of barriers, as
 * long as at an eighth of the nodes, and at ROOTED at least. */
enum { WORK_MOST = 1 << 15, ROOTED = 8 };

static bool is_asked(enum topo_operation operation, const struct topo_layout *layout)
{
    bool rooted = topo_operation_waits(operation) == TOPO_WAITS_SOME || operation == TOPO_OPERATION_barrier;
    const int some = layout->nodes / ROOTED > ROOTED ? layout->nodes / ROOTED : ROOTED;
    return (size_t)layout->ranks * (size_t)(rooted ? some : layout->nodes) <= WORK_MOST;
}

/* Broadcasts of few bytes between ranks that share processors with all nodes: they take as long as processors change
 * hands, of which the model knows nothing. With one rank a node it would try leader, which is slower than native
 * (docs/measurements/bcast.md). */
enum { WAITS_MOST = 512 };

static bool waits_for_processors(enum topo_operation operation, const struct topo_layout *layout, size_t bytes)
{
    return operation == TOPO_OPERATION_bcast && layout->node_ranks_max == 1 && !layout->has_processors &&
           bytes < WAITS_MOST;
}

/* Models are off by more than this where they compare unlike forms with levels that nobody measured. Where each node
 * has one rank all forms go by one level, and what they say of it is off by the same: no longer is good enough. */
static const double HOPEFUL = 1.5, HOPEFUL_OF_ONE_LEVEL = 1;

enum topo_status topo_candidates_by_model(const struct topo_tuning *tuning, enum topo_operation operation,
                                          const struct topo_tree *tree, const struct topo_layout *layout,
                                          int size_class, struct topo_candidates *candidates)
{
    const struct topo_cost_call middle = {.bytes = topo_size_middle(size_class)};
    const struct topo_algorithm *native = topo_algorithm_native(operation);
    double seconds[TOPO_CANDIDATES + 1];
    *candidates = (struct topo_candidates){0};
    if (layout->nodes < 2 || !is_asked(operation, layout) || !layout->has_shm ||
        waits_for_processors(operation, layout, middle.bytes) || !topo_select_is_candidate(native, operation, layout))
        return TOPO_OK;
    double natively = topo_cost(native->id, tree, &tuning->params, &middle);
    double limit = (layout->node_ranks_max > 1 ? HOPEFUL : HOPEFUL_OF_ONE_LEVEL) * natively;
    bool scarce = natively < 0;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *form = topo_algorithm((enum topo_algorithm_id)id);
        if (!(form->traits & TOPO_TRAIT_TRIED) || !topo_select_is_candidate(form, operation, layout))
            continue;
        double takes = topo_cost(form->id, tree, &tuning->params, &middle);
        scarce |= takes < 0;
        if (takes >= limit)
            continue;
        int at = candidates->count;
        for (; at > 0 && seconds[at - 1] > takes; at--) {
            seconds[at] = seconds[at - 1];
            if (at < TOPO_CANDIDATES)
                candidates->form[at] = candidates->form[at - 1];
        }
        seconds[at] = takes;
        if (at < TOPO_CANDIDATES)
            candidates->form[at] = form;
        candidates->count += candidates->count < TOPO_CANDIDATES;
    }
    return scarce ? TOPO_NOMEM : TOPO_OK;
}

static void add(const struct topo_algorithm *form, const struct topo_layout *layout, struct topo_candidates *candidates)
{
    for (int i = 0; i < candidates->count; i++)
        if (topo_algorithm_equal(candidates->form[i], form))
            return;
    if (candidates->count < TOPO_CANDIDATES && form != topo_algorithm_native(form->operation) &&
        topo_algorithm_applies(form, layout->ranks, NULL))
        candidates->form[candidates->count++] = form;
}

static bool has(const struct topo_candidates *candidates, enum topo_algorithm_id id)
{
    for (int i = 0; i < candidates->count; i++)
        if (candidates->form[i]->id == id)
            return true;
    return false;
}

/* With the rule's parameters, where it names that form. */
static const struct topo_algorithm *as_ruled(const struct topo_algorithm *form, const struct topo_rule *rule)
{
    if (rule && rule->algorithm->id == form->id)
        return rule->algorithm;
    for (int i = 0; rule && i < rule->others_count; i++)
        if (rule->others[i]->id == form->id)
            return rule->others[i];
    return form;
}

void topo_candidates_of(const struct topo_tuning *tuning, const struct topo_algorithm *named,
                        const struct topo_layout *layout, size_t bytes, const struct topo_candidates *by_model,
                        struct topo_candidates *candidates)
{
    const struct topo_rule *users = topo_tuning_find(tuning, named->operation, layout, bytes);
    const struct topo_rule *rule = users ? users : topo_select_rule(tuning, named->operation, layout, bytes);
    *candidates = (struct topo_candidates){0};
    add(named, layout, candidates);
    if (!users && tuning->links && by_model->count)
        add(as_ruled(by_model->form[0], rule), layout, candidates);
    if (rule)
        add(rule->algorithm, layout, candidates);
    for (int i = 0; rule && i < rule->others_count; i++)
        add(rule->others[i], layout, candidates);
    for (int i = 0; !users && i < by_model->count; i++)
        if (!has(candidates, by_model->form[i]->id))
            add(by_model->form[i], layout, candidates);
}
