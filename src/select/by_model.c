#include "select/by_model.h"

#include "model/cost.h"
#include "catalog/size_class.h"

/* What the model takes for a form grows with the square of the ranks where the shape of an all-reduce is looked for,
 * here and in the algorithm, with the ranks times the nodes for lanes, with the square of the nodes where each sends to
 * each other one. A job asks in the first call of a size, so it asks for forms that take a rank some 10 ms; topo-dump
 * also shows what takes up to a second. */
enum {
    SQUARE_MOST = 1024,
    LANES_MOST = 1 << 20,
    ASKED_GRID_MOST = 128, /* ranks: all grids are looked at, of which a search has some hundreds */
    ASKED_LANES_MOST = 1 << 15,
    ASKED_RANKS_MOST = 8192,
    ASKED_ROOTED_MOST = 512 /* nodes, of what has a root, and of barriers: their forms are run message by message */
};

/* Models are off by a tenth and more where they compare unlike forms (docs/PREDICT.md). */
static const double good = 0.9;

static bool searches(enum topo_algorithm_id id)
{
    return id == TOPO_ALGORITHM_allreduce_cyclic || id == TOPO_ALGORITHM_allreduce_mixed_grid;
}

static bool meets_every_node(enum topo_algorithm_id id)
{
    return id == TOPO_ALGORITHM_alltoall_node_aware || id == TOPO_ALGORITHM_alltoallv_node_aware;
}

/* Ranks times nodes, of lanes; of other forms 0. */
static size_t lanes_work(enum topo_algorithm_id id, const struct topo_layout *layout)
{
    bool lanes = id == TOPO_ALGORITHM_allgather_lanes || id == TOPO_ALGORITHM_allgatherv_lanes ||
                 id == TOPO_ALGORITHM_allreduce_lanes || id == TOPO_ALGORITHM_reduce_scatter_lanes ||
                 id == TOPO_ALGORITHM_reduce_scatter_block_lanes;
    return lanes ? (size_t)layout->ranks * (size_t)layout->nodes : 0;
}

bool topo_select_is_candidate(const struct topo_algorithm *algorithm, enum topo_operation operation,
                              const struct topo_layout *layout)
{
    if (algorithm->operation != operation || algorithm->graph != TOPO_GRAPH_NONE ||
        !topo_algorithm_applies(algorithm, layout->ranks, NULL))
        return false;
    if (layout->ranks > SQUARE_MOST && searches(algorithm->id))
        return false;
    if (!topo_cost_is_quick(algorithm->id, layout->ranks, layout->nodes,
                            layout->node_ranks_min == layout->node_ranks_max && !layout->has_racks))
        return false;
    if ((layout->nodes > SQUARE_MOST && meets_every_node(algorithm->id)) ||
        lanes_work(algorithm->id, layout) > LANES_MOST)
        return false;
    return operation != TOPO_OPERATION_alltoallv || algorithm->id == TOPO_ALGORITHM_alltoallv_native ||
           algorithm->id == TOPO_ALGORITHM_alltoallv_direct || algorithm->id == TOPO_ALGORITHM_alltoallv_node_aware;
}

static bool is_asked(const struct topo_algorithm *algorithm, enum topo_operation operation,
                     const struct topo_layout *layout)
{
    const bool rooted = topo_operation_waits(operation) == TOPO_WAITS_SOME || operation == TOPO_OPERATION_barrier;
    return topo_select_is_candidate(algorithm, operation, layout) && layout->ranks <= ASKED_RANKS_MOST &&
           (!rooted || layout->nodes <= ASKED_ROOTED_MOST) && lanes_work(algorithm->id, layout) <= ASKED_LANES_MOST &&
           (algorithm->id != TOPO_ALGORITHM_allreduce_mixed_grid || layout->ranks <= ASKED_GRID_MOST);
}

/* Whether the native form is a good tenth faster than `form` with the shortest, the middle and the longest message of a
 * class: it may change its algorithm within one, at lengths that are the MPI library's own. */
static bool is_native_better(const struct topo_tuning *tuning, const struct topo_tree *tree,
                             const struct topo_algorithm *form, int size_class, bool *scarce)
{
    const size_t longest = size_class < 1 ? 1 : (size_t)2 << (size_class - 1);
    const size_t sizes[] = {topo_size_middle(size_class), longest / 2 + 1, longest};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct topo_cost_call call = {.bytes = sizes[i]};
        double ours = topo_cost_of(form, tree, &tuning->params, &call);
        double natively = topo_cost(topo_algorithm_native(form->operation)->id, tree, &tuning->params, &call);
        *scarce |= ours < 0 || natively < 0;
        if (natively >= good * ours)
            return false;
    }
    return true;
}

enum topo_status topo_select_by_model(const struct topo_tuning *tuning, enum topo_operation operation,
                                      const struct topo_tree *tree, const struct topo_layout *layout, int size_class,
                                      const struct topo_algorithm **says)
{
    const struct topo_cost_call middle = {.bytes = topo_size_middle(size_class)};
    const struct topo_algorithm *native = topo_algorithm_native(operation);
    *says = NULL;
    if (!tuning || !tuning->measured || !layout->has_shm)
        return TOPO_OK;
    const struct topo_algorithm *rules = topo_select(tuning, operation, layout, middle.bytes);
    if (!is_asked(rules, operation, layout))
        return TOPO_OK;
    double ruled = topo_cost_of(rules, tree, &tuning->params, &middle), least = good * ruled;
    bool scarce = ruled < 0;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *form = topo_algorithm((enum topo_algorithm_id)id);
        if (form == native || !is_asked(form, operation, layout))
            continue;
        double seconds = topo_cost(form->id, tree, &tuning->params, &middle);
        scarce |= seconds < 0;
        if (seconds < least) {
            least = seconds;
            *says = form;
        }
    }
    if (rules != native && is_native_better(tuning, tree, *says ? *says : rules, size_class, &scarce))
        *says = native;
    return scarce ? TOPO_NOMEM : TOPO_OK;
}

const struct topo_algorithm *topo_select_on(const struct topo_tuning *tuning, enum topo_operation operation,
                                            const struct topo_tree *tree, const struct topo_layout *layout,
                                            size_t bytes)
{
    const struct topo_algorithm *objection = NULL;
    if (!topo_tuning_find(tuning, operation, layout, bytes) &&
        topo_select_by_model(tuning, operation, tree, layout, topo_size_class(bytes), &objection) != TOPO_OK)
        return NULL;
    return objection ? objection : topo_select(tuning, operation, layout, bytes);
}
