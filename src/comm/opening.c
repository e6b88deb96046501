#include "comm/opening.h"

#include "base/log.h"
#include "comm/comm.h"
#include "comm/refusals.h"
#include "job/channel_calls.h"
#include "job/job.h"

size_t topo_comm_calls_to_pay(const struct topo_comm *state)
{
    enum { CALLS = 16, CALLS_ON_ONE_NODE = 128 };
    return state->layout.nodes > 1 ? CALLS : CALLS_ON_ONE_NODE;
}

size_t topo_comm_calls_to_ask(const struct topo_comm *state)
{
    enum { EIGHT_TIMES = 3 };
    return topo_comm_calls_to_pay(state) << EIGHT_TIMES * state->refusals;
}

/* Communicators that were freed after calls that paid for the channel and the memory they got, and too early. */
static _Atomic size_t repaid, in_vain;

void topo_comm_count_uses(const struct topo_comm *state)
{
    if (state->ready)
        atomic_fetch_add(state->uses > topo_comm_calls_to_pay(state) ? &repaid : &in_vain, 1);
}

/* The call that coll/call/choose.c decided on cannot run as there is no channel: it is native. */
static void postpone(struct topo_comm *state)
{
    size_t *withheld = &state->withheld[state->call.id];
    if (state->call.one_form && (*withheld == 0 || state->call.bytes < *withheld))
        *withheld = state->call.bytes;
    state->consent.postponed = false;
}

struct topo_node *topo_comm_node(struct topo_comm *state)
{
    if (!state->node)
        state->node = topo_node_new(
            &(struct topo_node_place){state->tree, state->rank, state->position, &state->channel, &state->consent,
                                      &state->call.bits_depend});
    return state->node;
}

bool topo_comm_declines(struct topo_comm *state)
{
    if (state->consent.postponed || state->call.one_form || state->call.is_tried) {
        state->consent.postponed = false;
        return true;
    }
    state->layout.has_shm = false;
    return false;
}

/* Calls that have to take one form cannot wait until it is likely that ours pays (coll/call/choose.c). Where most
 * communicators of this process were freed too early, new ones stay native. */
static bool is_reluctant(const struct topo_comm *state)
{
    enum { SOME = 8 };
    size_t lost = atomic_load(&in_vain);
    return state->call.one_form && lost >= SOME && lost > 2 * atomic_load(&repaid);
}

/* What is agreed on before the channel is used: whether no rank objects and all have room for a later communicator's
 * knowledge of that; the room for a region that the nodes share, as the call is likely to make one; what the user
 * brings. */
enum { AGREES, KEEPS, ROOM, BROUGHT };

/* From then on the user does not object any more. */
enum { REFUSALS_MOST = 4 };

/* Equal on all ranks: calls are native from here on. */
static void refuse(struct topo_comm *state, bool untagged)
{
    static atomic_bool said;
    state->unable = true;
    state->native = !topo_job.options.value[TOPO_OPTION_STATS].flag;
    if (untagged && state->rank == 0 && !atomic_exchange(&said, true))
        topo_say(
            "no tags are left: %d communicators can have some at a time (MPI_TAG_UB), %d tags each; those that come "
            "until others are freed run natively",
            topo_channels_most(), TOPO_TAGS);
}

/* Collective: least[] becomes that of all ranks. By the one all-reduce on the communicator, later on the channel. */
static enum topo_opening agree(struct topo_comm *state, uint64_t least[TOPO_CHANNEL_LEASTS])
{
    if (state->channel.comm == MPI_COMM_NULL)
        return topo_channel_open(&state->channel, state->comm, topo_comm_group_numbers(state->comm_group), false,
                                 least);
    return topo_channel_allreduce(least, TOPO_CHANNEL_LEASTS, TOPO_CHANNEL_LEAST, &state->channel) == MPI_SUCCESS
               ? TOPO_OPENED
               : TOPO_UNABLE;
}

/* Agreed on: ours may run, or not yet. Later communicators of these ranks begin by that. */
static void use(struct topo_comm *state, bool agreed, bool keeps)
{
    struct topo_refusals after = {state->refusals, !agreed && state->call.one_form};
    state->ready = agreed;
    if (agreed) {
        after.times -= after.times > 0;
    } else {
        after.times = state->refusals += state->refusals < REFUSALS_MOST;
        postpone(state);
    }
    if (keeps)
        topo_refusals_add(state->comm_group->members, after);
}

static bool open_channel(struct topo_comm *state)
{
    if (state->unable)
        return false;
    uint64_t least[TOPO_CHANNEL_LEASTS] = {0};
    least[AGREES] = topo_comm_user->bring(state, least + BROUGHT) && !is_reluctant(state);
    least[KEEPS] = topo_refusals_have_room();
    if (least[AGREES] && state->layout.has_shm && topo_comm_node(state))
        least[ROOM] = topo_node_room(state->node);
    const enum topo_opening opening = agree(state, least);
    const bool agreed = opening == TOPO_OPENED && least[AGREES];
    topo_comm_user->opened(state, agreed ? least + BROUGHT : NULL);
    state->consent.room = agreed ? least[ROOM] : 0;
    switch (opening) {
    case TOPO_OPENED:
    case TOPO_UNWANTED: use(state, agreed, opening == TOPO_OPENED && least[KEEPS]); break;
    case TOPO_UNTAGGED: refuse(state, true); break;
    case TOPO_UNABLE: refuse(state, false); break;
    }
    return agreed;
}

void topo_comm_withhold(MPI_Comm comm)
{
    struct topo_channel channel = {.comm = MPI_COMM_NULL};
    topo_channel_open(&channel, comm, NULL, true, (uint64_t[TOPO_CHANNEL_LEASTS]){0});
}

bool topo_comm_prepare(struct topo_comm *state)
{
    if (state->ready)
        return true;
    if (!state->consent.may_wait) {
        state->consent.wishes = true;
        postpone(state);
        return false;
    }
    return open_channel(state);
}

bool topo_comm_prepare_for(struct topo_comm *state, const struct topo_algorithm *algorithm)
{
    enum topo_graph_kind graph = algorithm->graph;
    enum topo_renumbering_extent extent =
        algorithm->traits & TOPO_TRAIT_NEIGHBOURS ? TOPO_RENUMBERING_NEIGHBOURS : TOPO_RENUMBERING_WHOLE;
    if (!topo_comm_prepare(state))
        return false;
    if (graph == TOPO_GRAPH_NONE || state->renumbering[graph][extent])
        return true;
    return topo_renumbering_get(&state->channel, state->tree, graph, extent, &state->renumbering[graph][extent]) ==
           TOPO_OK;
}

void topo_comm_grant(struct topo_comm *state)
{
    state->consent.wishes = false;
    if (!state->ready && !open_channel(state))
        return;
    if (state->node)
        topo_node_grant(state->node);
}
