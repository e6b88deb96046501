#include "coll/alltoallv/alltoallv.h"

#include "coll/call/call.h"
#include "coll/exchange/pairs.h"
#include "job/job.h"
#include "observe/stats.h"

int topo_alltoallv_direct(const struct topo_alltoallv *call)
{
    call->estimate->ran = topo_algorithm(TOPO_ALGORITHM_alltoallv_direct);
    return topo_pairs_run(call, topo_pairs_plan(call, topo_plan_exchange));
}

/* In the steps of a schedule. */
static int run_steps(const struct topo_alltoallv *call, enum topo_scheduler scheduler)
{
    const struct topo_step_table *table;
    int code = topo_step_table_get(call, scheduler, &table);
    if (code != MPI_SUCCESS)
        return code;
    if (!table)
        return topo_alltoallv_direct(call);
    call->estimate->ran = topo_algorithm(topo_scheduler_algorithm(table->made.ran));
    if (table->made.ran == TOPO_SCHEDULER_css)
        call->estimate->form = topo_css_form_text(table->made.css.form);
    return topo_pairs_run(call, &table->plan);
}

static int run(const struct topo_alltoallv *call, enum topo_algorithm_id id)
{
    switch ((int)id) {
    case TOPO_ALGORITHM_alltoallv_direct: return topo_alltoallv_direct(call);
    case TOPO_ALGORITHM_alltoallv_node_aware: return topo_alltoallv_node_aware(call);
    default: return run_steps(call, topo_scheduler_of(id));
    }
}

/* Somebody wants to know how much all ranks send: the selector, or people. Equal on all ranks. */
static bool wants_figures(const struct topo_algorithm *forced)
{
    const struct topo_option_value *value = topo_job.options.value;
    return topo_stats_wanted() || value[TOPO_OPTION_VERBOSE].flag ||
           (!forced && value[topo_option_of(TOPO_OPERATION_alltoallv)].choice == 0);
}

/* Asks when it is time to. Before the first use of ours the communicator is left
 * as it is (coll/call/choose.c), unless the figures decide whether there will be one. */
static int inform(const struct topo_algorithm *forced, const struct topo_alltoallv *call)
{
    if (!wants_figures(forced) || !topo_recheck_backoff_due(&call->estimate->backoff))
        return MPI_SUCCESS;
    if (!call->comm->ready && topo_job.tuning.count == 0)
        return MPI_SUCCESS;
    if (!topo_comm_prepare(call->comm))
        return MPI_SUCCESS;
    return topo_count_estimate_ask(call->comm, topo_buffer_desc_total(&call->send, call->comm->ranks));
}

bool topo_alltoallv_examine(struct topo_call *call, const void *send, struct topo_counts send_counts,
                            struct topo_counts send_places, MPI_Datatype send_type, void *receive,
                            struct topo_counts receive_counts, struct topo_counts receive_places,
                            MPI_Datatype receive_type, MPI_Comm comm)
{
    int ranks, inter;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter ||
        PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS)
        return false;
    if (!receive_counts.at || !receive_places.at || receive_type == MPI_DATATYPE_NULL || receive == MPI_IN_PLACE)
        return false;
    bool in_place = send == MPI_IN_PLACE;
    if (!in_place && (!send_counts.at || !send_places.at || send_type == MPI_DATATYPE_NULL))
        return false;
    if (!topo_counts_are_valid(receive_counts, ranks) || (!in_place && !topo_counts_are_valid(send_counts, ranks)))
        return false;
    if (!in_place)
        call->handles = (struct topo_call_handles){receive_type, MPI_OP_NULL};
    return true;
}

int topo_alltoallv_run(struct topo_call *call, const void *send, struct topo_counts send_counts,
                       struct topo_counts send_places, MPI_Datatype send_type, void *receive,
                       struct topo_counts receive_counts, struct topo_counts receive_places, MPI_Datatype receive_type,
                       MPI_Comm comm)
{
    struct topo_alltoallv exchange = {
        .comm = call->state, .channel = &call->state->channel, .estimate = topo_count_estimate_of(call->state)};
    struct topo_facts facts = {0};
    int code = exchange.estimate ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    (void)comm;
    if (send == MPI_IN_PLACE)
        facts.refusal = "MPI_IN_PLACE is left to the MPI library";
    else if (code == MPI_SUCCESS)
        code = topo_buffer_desc_describe(send, send_counts, send_places, send_type, &exchange.send);
    if (code == MPI_SUCCESS)
        code = topo_buffer_desc_describe(receive, receive_counts, receive_places, receive_type, &exchange.receive);
    if (code == MPI_SUCCESS && !facts.refusal && !call->known)
        code = inform(call->forced, &exchange);
    if (code != MPI_SUCCESS)
        return code;
    const int ranks = call->state->ranks;
    if (!call->known)
        call->bytes = facts.bytes = call->state->unable ? topo_buffer_desc_total(&exchange.send, ranks) / (size_t)ranks
                                                        : topo_count_estimate_mean(exchange.estimate, ranks);
    call->recheck = &exchange.estimate->backoff;
    call->estimated = &exchange.estimate->total;
    call->estimate = exchange.estimate->total;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &facts, &code);
    if (!algorithm || !topo_data_committed(exchange.send.one.named, send_type, exchange.channel->comm) ||
        !topo_data_committed(exchange.receive.one.named, receive_type, exchange.channel->comm))
        return code;
    call->ran = exchange.estimate->ran = algorithm;
    exchange.estimate->form = NULL;
    code = run(&exchange, algorithm->id);
    call->ran = exchange.estimate->ran;
    return code;
}
