#include "select/by_model.h"

#include "model/cost.h"
#include "select/trial.h"

enum { RANKS_MOST = 1024 };

/* Models are off by a tenth and more where they compare unlike forms (docs/PREDICT.md). */
static const double good = 0.9;

static bool is_candidate(const struct topo_algorithm *algorithm, enum topo_operation operation, int ranks)
{
    if (algorithm->operation != operation || algorithm->graph != TOPO_GRAPH_NONE ||
        !topo_algorithm_applies(algorithm, ranks, NULL))
        return false;
    return operation != TOPO_OPERATION_alltoallv || algorithm->id == TOPO_ALGORITHM_alltoallv_native ||
           algorithm->id == TOPO_ALGORITHM_alltoallv_direct || algorithm->id == TOPO_ALGORITHM_alltoallv_node_aware;
}

const struct topo_algorithm *topo_select_by_model(const struct topo_tuning *tuning, enum topo_operation operation,
                                                  const struct topo_tree *tree, const struct topo_layout *layout,
                                                  int size_class)
{
    const struct topo_cost_call middle = {.bytes = size_class < 2 ? 1 : (size_t)3 << (size_class - 2)};
    const struct topo_algorithm *fastest = NULL;
    if (!tuning || !tuning->measured || !layout->has_shm || tree->ranks > RANKS_MOST)
        return NULL;
    double least =
        good * topo_cost(topo_select(tuning, operation, layout, middle.bytes)->id, tree, &tuning->params, &middle);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        if (!is_candidate(topo_algorithm(id), operation, tree->ranks))
            continue;
        double seconds = topo_cost(id, tree, &tuning->params, &middle);
        if (seconds >= 0 && seconds < least) {
            least = seconds;
            fastest = topo_algorithm(id);
        }
    }
    return fastest;
}

const struct topo_algorithm *topo_select_on(const struct topo_tuning *tuning, enum topo_operation operation,
                                            const struct topo_tree *tree, const struct topo_layout *layout,
                                            size_t bytes)
{
    const struct topo_algorithm *objection = NULL;
    if (!topo_tuning_find(tuning, operation, layout, bytes))
        objection = topo_select_by_model(tuning, operation, tree, layout, topo_size_class(bytes));
    return objection ? objection : topo_select(tuning, operation, layout, bytes);
}
