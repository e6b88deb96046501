#include "select/by_model.h"

#include "model/cost.h"
#include "select/trial.h"

/* The time that these take grows with the square of the ranks: looking for the shape of an all-reduce, here and in the
 * algorithm; messages from each node to each other one. */
enum { SQUARE_MOST = 1024 };

/* Models are off by a tenth and more where they compare unlike forms (docs/PREDICT.md). */
static const double good = 0.9;

static bool searches(enum topo_algorithm_id id)
{
    return id == TOPO_ALGORITHM_allreduce_cyclic || id == TOPO_ALGORITHM_allreduce_cyclic_pipelined ||
           id == TOPO_ALGORITHM_allreduce_mixed_grid;
}

static bool meets_every_node(enum topo_algorithm_id id)
{
    return id == TOPO_ALGORITHM_alltoall_node_aware || id == TOPO_ALGORITHM_alltoallv_node_aware ||
           id == TOPO_ALGORITHM_allgather_lanes || id == TOPO_ALGORITHM_allgatherv_lanes;
}

bool topo_select_is_candidate(const struct topo_algorithm *algorithm, enum topo_operation operation,
                              const struct topo_layout *layout)
{
    if (algorithm->operation != operation || algorithm->graph != TOPO_GRAPH_NONE ||
        !topo_algorithm_applies(algorithm, layout->ranks, NULL))
        return false;
    if (layout->ranks > SQUARE_MOST && searches(algorithm->id))
        return false;
    if (layout->nodes > SQUARE_MOST && meets_every_node(algorithm->id))
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
    if (!tuning || !tuning->measured || !layout->has_shm)
        return NULL;
    const struct topo_algorithm *rules = topo_select(tuning, operation, layout, middle.bytes);
    if (!topo_select_is_candidate(rules, operation, layout))
        return NULL;
    double least = good * topo_cost_of(rules, tree, &tuning->params, &middle);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        if (!topo_select_is_candidate(topo_algorithm(id), operation, layout))
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
