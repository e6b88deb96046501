#include "coll/choose.h"

#include "base/log.h"
#include "comm/job.h"
#include "select/select.h"

enum topo_option topo_option_of(enum topo_operation operation)
{
    static const enum topo_option options[TOPO_OPERATION_COUNT] = {
        [TOPO_OPERATION_allgather] = TOPO_OPTION_ALLGATHER,
    };
    return options[operation];
}

/* The row the option names; NULL for auto. The option's words are auto, then the
 * operation's rows in their order. */
static const struct topo_algorithm *users(enum topo_operation operation)
{
    int choice = topo_job.options.value[topo_option_of(operation)].choice;
    return choice > 0 ? topo_algorithm(topo_algorithm_native(operation)->id + (unsigned)choice - 1) : NULL;
}

const struct topo_algorithm *topo_choose(enum topo_operation operation, const struct topo_algorithm *forced,
                                         const struct topo_comm *state, size_t bytes, const char *refusal, int *code)
{
    static bool said[TOPO_ALGORITHM_COUNT]; /* once a process is enough */
    const struct topo_algorithm *algorithm = forced ? forced : users(operation);
    const struct topo_algorithm *native = topo_algorithm_native(operation);
    const char *why = refusal;
    if (!algorithm)
        return refusal ? native : topo_select(&topo_job.tuning, operation, &state->layout, bytes);
    if (algorithm == native || (!refusal && topo_algorithm_applies(algorithm, state->ranks, &why)))
        return algorithm;
    bool strict = topo_job.options.value[TOPO_OPTION_STRICT].flag;
    if (state->rank == 0 && !said[algorithm->id])
        topo_say("%s=%s does not apply in a communicator of %d ranks: %s; %s",
                 topo_option_info(topo_option_of(operation))->name, algorithm->name, state->ranks, why,
                 strict ? "an MPI error, as TOPOMPI_STRICT=1 says" : "native runs");
    said[algorithm->id] = true;
    if (strict)
        *code = MPI_ERR_UNSUPPORTED_OPERATION;
    return native;
}

const struct topo_algorithm *topo_planned(MPI_Comm comm, enum topo_operation operation, size_t bytes)
{
    const struct topo_algorithm *algorithm, *native = topo_algorithm_native(operation);
    struct topo_comm *state;
    if (comm == MPI_COMM_NULL || topo_comm_of(comm, &state) != MPI_SUCCESS || !state || state->native)
        return native;
    algorithm = users(operation);
    if (!algorithm)
        return topo_select(&topo_job.tuning, operation, &state->layout, bytes);
    return topo_algorithm_applies(algorithm, state->ranks, NULL) ? algorithm : native;
}
