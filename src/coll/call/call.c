#include "coll/call/call.h"

#include "base/memory.h"
#include "coll/call/choose.h"
#include "coll/call/guard.h"
#include "coll/call/state.h"
#include "job/channel_calls.h"
#include "job/job.h"
#include "measure/measure.h"
#include "model/cost.h"
#include "node/node.h"
#include "observe/stats.h"
#include "observe/trace.h"
#include "observe/waiting.h"
#include "catalog/size_class.h"

/* An error of ours is raised on the application's communicator. Returns `code`. */
static int raise_error(const struct topo_call *call, int code)
{
    if (code != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(call->comm, code);
    return code;
}

static bool has_counts(const struct topo_call *call, const struct topo_comm *state)
{
    return !call->counts.at || topo_counts_are_valid(call->counts, state->ranks);
}

bool topo_call_begin(struct topo_call *call, bool valid, int *code)
{
    enum topo_waits waits = topo_operation_waits(call->ran->operation);
    if (!valid || call->comm == MPI_COMM_NULL)
        return false;
    *code = raise_error(call, topo_comm_of(call->comm, &call->state));
    if (*code != MPI_SUCCESS || !call->state || call->state->native)
        return false;
    if (!topo_call_has_root(call, call->state) || !has_counts(call, call->state)) {
        call->state = NULL;
        return false;
    }
    topo_comm_called(call->state);
    call->state->call = (struct topo_comm_call){0};
    call->state->consent.may_wait = waits != TOPO_WAITS_SOME;
    call->state->consent.postponed = false;
    call->state->consent.room = 0;
    if (call->state->consent.wishes && waits == TOPO_WAITS_ALL)
        topo_comm_grant(call->state);
    if (call->state->consent.undecided && waits == TOPO_WAITS_ALL) {
        topo_guard_agree(call->state);
        call->guard.start = 0; /* what the call takes begins here */
    }
    if (topo_stats_wanted()) {
        call->start = PMPI_Wtime();
        topo_waiting_arrive(call->state, &topo_coll_of(call->state)->reported);
    }
    call->has_shm = call->state->layout.has_shm;
    return call->forced || !topo_native_anyway(call->ran->operation, call->state);
}

/* A call of ours in which all ranks of the job wait for each other, and that the guard does not time, is where they may
 * measure their machine: once, and of MPI_COMM_WORLD alone, as threads call in other communicators in any order. */
static void measure(const struct topo_call *call)
{
    if (call->comm == MPI_COMM_WORLD && topo_job.measures && (!call->guard.kind || call->guard.place < 0) &&
        topo_operation_waits(call->ran->operation) == TOPO_WAITS_ALL)
        topo_measure_now();
}

bool topo_call_again(struct topo_call *call)
{
    struct topo_comm *state = call->state = topo_comm_last.state;
    const struct topo_remembered *row = call->known = topo_coll_of(state)->again;
    call->bytes = row->call.bytes;
    state->call = row->call;
    state->consent.may_wait = row->may_wait;
    state->consent.postponed = false;
    state->consent.room = 0;
    call->runs = row->algorithm;
    if (row->kind) {
        call->guard.kind = row->kind;
        call->guard.counted = row->counted;
        call->runs = topo_guard_next(call);
    }
    return call->runs != call->ran;
}

void topo_call_await_reason(enum topo_operation operation, struct topo_comm *state)
{
    if (topo_operation_waits(operation) != TOPO_WAITS_ALL)
        return;
    if (state->channel.comm != MPI_COMM_NULL)
        topo_channel_barrier(&state->channel);
    else
        topo_comm_prepare(state); /* in which all ranks wait for each other, whatever comes of it */
}

/* The algorithm of ours once what it needs is there; NULL where that cannot be had. */
static const struct topo_algorithm *prepared(struct topo_call *call, const struct topo_algorithm *algorithm)
{
    if (!topo_comm_prepare_for(call->state, algorithm)) {
        topo_guard_missed(call);
        return NULL;
    }
    call->for_now = false;
    measure(call);
    call->state->call.parameters = algorithm->parameters;
    return algorithm;
}

const struct topo_algorithm *topo_call_choose(struct topo_call *call, const struct topo_facts *facts, int *code)
{
    enum topo_operation operation = call->ran->operation;
    struct topo_comm *state = call->state;
    if (call->known)
        return prepared(call, call->runs);
    if (state->unable)
        return NULL;
    const struct topo_algorithm *algorithm = topo_choose(operation, call->forced, state, facts, code);
    const struct topo_algorithm *native = topo_algorithm_native(operation);
    if (*code == MPI_ERR_UNSUPPORTED_OPERATION)
        topo_call_await_reason(operation, state);
    if (*code != MPI_SUCCESS || (algorithm == native && !(state->call.any_form && state->call.is_tried)))
        return NULL;
    call->for_now = !state->consent.may_wait;
    if (!topo_comm_prepare(state))
        return NULL;
    if ((state->call.any_form || state->call.ordered) && topo_coll_of(state)->guards)
        algorithm = topo_guard_pick(call, algorithm, code);
    call->for_now = call->for_now && !call->guard.kind;
    if (*code != MPI_SUCCESS || algorithm == native)
        return NULL;
    return prepared(call, algorithm);
}

const struct topo_algorithm *topo_call_choose_sum(struct topo_call *call, int parts, size_t count, MPI_Datatype type,
                                                  MPI_Op op, struct topo_facts *facts, int *code)
{
    *facts = (struct topo_facts){0};
    *code = MPI_SUCCESS;
    if (!call->known) {
        *code = topo_reduction_facts(call->state, count, type, op, facts);
        call->bytes = facts->bytes = (facts->bytes + (size_t)parts - 1) / (size_t)parts;
    }
    return *code == MPI_SUCCESS && call->bytes > 0 ? topo_call_choose(call, facts, code) : NULL;
}

const struct topo_algorithm *topo_call_next(struct topo_call *call, const struct topo_algorithm *algorithm)
{
    struct topo_comm_call *chosen = &call->state->call;
    if (!chosen->ordered)
        return NULL;
    if (!call->refused)
        topo_guard_missed(call);
    call->refused |= 1U << (algorithm->id - topo_algorithm_native(algorithm->operation)->id);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *next = topo_algorithm((enum topo_algorithm_id)id);
        if (next->operation == algorithm->operation && next->traits & TOPO_TRAIT_ORDERED &&
            !(call->refused >> (next->id - topo_algorithm_native(next->operation)->id) & 1)) {
            chosen->id = next->id;
            chosen->parameters = next->parameters;
            return call->ran = next;
        }
    }
    return NULL;
}

/* Who waits in shared memory needs no progress of MPI's, which MPI's own collectives make all the while. Programs rely
 * on that: what was sent to them before a call in which all ranks wait they look for once after it
 * (docs/SEMANTICS.md, Waiting and progress). */
static void look_for_messages(const struct topo_call *call)
{
    const struct topo_node *node = call->state->node;
    if (node && topo_operation_waits(call->ran->operation) != TOPO_WAITS_SOME)
        topo_flag_progress(&node->wait_policy);
}

int topo_call_ran(struct topo_call *call, int code)
{
    if (code == TOPO_NOT_NOW) {
        call->ran = topo_algorithm_native(call->ran->operation);
        topo_guard_missed(call);
        return MPI_SUCCESS;
    }
    if (!topo_call_is_native(call))
        topo_comm_used(call->state);
    if (topo_coll_of(call->state)->opening && !topo_call_is_native(call))
        topo_guard_is_open(call->state);
    if (code == MPI_SUCCESS)
        look_for_messages(call);
    return raise_error(call, code);
}

int topo_call_left(struct topo_call *call, int code)
{
    if (call->comm != MPI_COMM_NULL)
        topo_comm_lose(call->comm);
    *call = topo_call_of(call->ran->operation, NULL, call->comm);
    return code;
}

/* What the model gives the native algorithm for such a call; below 0: nothing, as where the report does not show it.
 * Remembered, as calls repeat. To ask takes a time that grows with the ranks, in which they wait for rank 0: the fewer
 * sizes are asked for, and not all of a call that has another one each time. */
static double native_seconds(const struct topo_call *call)
{
    enum { RANKS_ASKED = 1 << 16 }; /* times the ranks: 64 sizes among 1,024, 1.5 ms for each */
    enum topo_operation operation = call->ran->operation;
    struct topo_comm *state = call->state;
    struct topo_coll_state *own = topo_coll_of(state);
    const int row = topo_size_class(call->bytes) % TOPO_MODELLED_ROWS;
    const struct topo_cost_call asked = {.bytes = call->bytes};
    if (topo_job.rank != 0 || !topo_stats_model()) /* rank 0's calls are shown */
        return -1;
    if (!own->modelled && !(own->modelled = topo_calloc(TOPO_OPERATION_COUNT, sizeof *own->modelled)))
        return -1;
    struct topo_modelled *modelled = &own->modelled[operation];
    if (!modelled->row[row].known || modelled->row[row].bytes != call->bytes) {
        if (modelled->asked >= RANKS_ASKED / state->ranks)
            return -1;
        modelled->asked++;
        modelled->row[row].known = true;
        modelled->row[row].bytes = call->bytes;
        modelled->row[row].seconds =
            topo_cost(topo_algorithm_native(operation)->id, state->tree, &topo_job.tuning.params, &asked);
    }
    return modelled->row[row].seconds;
}

static void count(const struct topo_call *call, double seconds)
{
    struct topo_stats_comm *own = &topo_coll_of(call->state)->reported;
    const struct topo_guard_measured measured = topo_guard_measured(call, seconds);
    struct topo_stats_call counted = {.algorithm = call->ran,
                                      .bytes = call->bytes,
                                      .start = call->start,
                                      .seconds = seconds,
                                      .modelled = native_seconds(call),
                                      .native = measured.native,
                                      .ours = measured.ours};
    topo_waiting_leave(call->state, own, call->root, &counted);
    topo_stats_add(call->comm, call->state->ranks, own, &counted);
}

void topo_call_end(const struct topo_call *call)
{
    if (topo_trace_on)
        topo_trace_ran(call->ran);
    topo_guard_end(call);
    if (call->start < 0)
        return;
    double seconds = PMPI_Wtime() - call->start;
    count(call, seconds);
}
