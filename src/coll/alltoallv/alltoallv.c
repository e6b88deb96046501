#include "coll/alltoallv/alltoallv.h"

#include "coll/call/choose.h"
#include "coll/call/learn.h"
#include "coll/call/call.h"
#include "job/job.h"
#include "job/native.h"
#include "observe/stats.h"

typedef int run_function(const struct topo_alltoallv *call);

/* The application's arguments. */
struct request {
    const void *send;
    const int *send_counts, *send_places;
    MPI_Datatype send_type;
    void *receive;
    const int *receive_counts, *receive_places;
    MPI_Datatype receive_type;
};

/* Indexed by id; NULL for `native`, which has no run of ours, and for rows of other operations. */
static run_function *run_of(enum topo_algorithm_id id)
{
    static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define ALLTOALLV(name, ...) [TOPO_ALGORITHM_alltoallv_##name] = topo_alltoallv_##name,
#include "catalog/algorithms.def"
    };
    return runs[id];
}

/* Somebody wants to know how much all ranks send: the selector, the one who
 * learns, or people. Equal on all ranks. */
static bool wants_figures(const struct topo_algorithm *forced)
{
    const struct topo_option_value *value = topo_job.options.value;
    return topo_stats_wanted() || value[TOPO_OPTION_VERBOSE].flag ||
           (!forced && value[topo_option_of(TOPO_OPERATION_alltoallv)].choice == 0);
}

/* Asks when it is time to. Before the first use of ours the communicator is left
 * as it is (coll/call/choose.c), unless the figures decide whether there will be one. */
static int inform(const struct topo_algorithm *forced, struct topo_alltoallv *call)
{
    bool decides = topo_learn_wanted() || topo_job.tuning.count > 0;
    if (!wants_figures(forced) || !topo_count_estimate_due(call->estimate, topo_learn_wanted()))
        return MPI_SUCCESS;
    if (call->comm->channel.comm == MPI_COMM_NULL && !decides)
        return MPI_SUCCESS;
    if (!topo_comm_prepare(call->comm, TOPO_GRAPH_NONE))
        return MPI_SUCCESS;
    return topo_count_estimate_ask(call->comm, topo_buffer_desc_total(&call->send, call->comm->ranks));
}

/* Chooses and, unless that is native, runs; turn->ran says which it was. */
static int dispatch(const struct topo_algorithm *forced, struct topo_call *turn, const struct request *a)
{
    const struct topo_algorithm *native = turn->ran, *algorithm;
    struct topo_alltoallv call = {.comm = turn->state, .estimate = topo_count_estimate_of(turn->state)};
    const char *refusal = NULL;
    int code = call.estimate ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    if (a->send == MPI_IN_PLACE)
        refusal = "MPI_IN_PLACE is left to the MPI library";
    else if (code == MPI_SUCCESS)
        code = topo_buffer_desc_describe(a->send, a->send_counts, a->send_places, a->send_type, &call.send);
    if (code == MPI_SUCCESS)
        code =
            topo_buffer_desc_describe(a->receive, a->receive_counts, a->receive_places, a->receive_type, &call.receive);
    if (code == MPI_SUCCESS && !refusal)
        code = inform(forced, &call);
    if (code != MPI_SUCCESS)
        return code;
    turn->bytes = topo_count_estimate_mean(call.estimate, call.comm->ranks);
    algorithm = topo_choose(TOPO_OPERATION_alltoallv, forced, turn->state, turn->bytes, refusal, &code);
    if (code != MPI_SUCCESS || algorithm == native || !topo_comm_prepare(turn->state, algorithm->graph) ||
        !topo_data_committed(call.send.one.named, a->send_type, turn->state->channel.comm) ||
        !topo_data_committed(call.receive.one.named, a->receive_type, turn->state->channel.comm))
        return code;
    turn->ran = algorithm;
    call.channel = &turn->state->channel;
    return topo_call_ran(turn, run_of(algorithm->id)(&call));
}

/* True when nothing is wrong that the native call would have to report. */
static bool is_valid(const struct request *a, MPI_Comm comm)
{
    int ranks, inter;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter ||
        PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS)
        return false;
    if (!a->receive_counts || !a->receive_places || a->receive_type == MPI_DATATYPE_NULL || a->receive == MPI_IN_PLACE)
        return false;
    bool in_place = a->send == MPI_IN_PLACE;
    if (!in_place && (!a->send_counts || !a->send_places || a->send_type == MPI_DATATYPE_NULL))
        return false;
    for (int rank = 0; rank < ranks; rank++)
        if (a->receive_counts[rank] < 0 || (!in_place && a->send_counts[rank] < 0))
            return false;
    return true;
}

int topo_alltoallv(const struct topo_algorithm *forced, const void *send, const int *send_counts,
                   const int *send_places, MPI_Datatype send_type, void *receive, const int *receive_counts,
                   const int *receive_places, MPI_Datatype receive_type, MPI_Comm comm)
{
    const struct request request = {send,    send_counts,    send_places,    send_type,
                                    receive, receive_counts, receive_places, receive_type};
    struct topo_call turn;
    int code;
    bool ours = topo_call_begin(&turn, TOPO_OPERATION_alltoallv, comm, is_valid(&request, comm), &code);
    if (ours && (forced || !topo_native_anyway(TOPO_OPERATION_alltoallv, turn.state)))
        code = topo_call_raise(&turn, dispatch(forced, &turn, &request));
    if (code == MPI_SUCCESS && turn.ran->id == TOPO_ALGORITHM_alltoallv_native)
        code = topo_native.alltoallv(send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
                                     receive_type, comm);
    topo_call_end(&turn);
    return code;
}
