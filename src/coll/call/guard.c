#include "coll/call/guard.h"

#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "coll/call/state.h"
#include "job/job.h"
#include "select/guard.h"
#include "select/trial.h"

/* Kinds of calls of a communicator that are compared, and of one size class those that differ in their size; others
 * run as the first of their class was found, or as auto says. */
enum { KINDS = 24, SIZES = 3 };

struct kind {
    struct topo_guard guard;
    const struct topo_algorithm *ours, *said; /* the last is what was said to be the better one */
    int size_class;
    size_t bytes;
};

struct topo_guards {
    int count;
    uint64_t agreement; /* what the last one took, in ns, all ranks together */
    struct kind kind[KINDS];
};

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

void topo_guards_free(struct topo_guards *guards)
{
    topo_free(guards);
}

/* The communicator's, made in a call that may wait; every rank gets them or none. */
static struct topo_guards *guards_of(struct topo_comm *state)
{
    struct topo_coll_state *own = topo_coll_of(state);
    if (own->guards || own->unguarded)
        return own->guards;
    if (!state->consent.may_wait) {
        state->consent.undecided |= TOPO_UNDECIDED_GUARD;
        return NULL;
    }
    own->guards = topo_calloc(1, sizeof *own->guards);
    int here = own->guards != NULL, everywhere = 0;
    uint64_t start = now();
    if (PMPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_LAND, state->channel.user) != MPI_SUCCESS || !everywhere) {
        topo_free(own->guards);
        own->guards = NULL;
        own->unguarded = true;
    } else {
        own->guards->agreement = now() - start;
    }
    return own->guards;
}

/* True where calls of `bytes` are measured for this kind, which has their class. */
static bool is_of(const struct kind *kind, size_t bytes)
{
    return kind->bytes == bytes || kind->ours->operation == TOPO_OPERATION_alltoallv;
}

/* The kind of this call, or another of its class, or NULL; *sizes are those of its class. The sizes of all-to-alls of
 * vectors vary from call to call: one kind a class. */
static struct kind *find(struct topo_guards *guards, const struct topo_algorithm *ours, size_t bytes, int *sizes)
{
    int size_class = topo_size_class(bytes);
    struct kind *alike = NULL;
    *sizes = 0;
    for (struct kind *kind = guards->kind; kind < guards->kind + guards->count; kind++) {
        if (kind->ours != ours || kind->size_class != size_class)
            continue;
        if (is_of(kind, bytes))
            return kind;
        alike = alike ? alike : kind;
        (*sizes)++;
    }
    return alike;
}

/* The same; a new one where there is none and room for it. */
static struct kind *find_or_add(struct topo_guards *guards, const struct topo_algorithm *ours, size_t bytes)
{
    int sizes;
    struct kind *found = find(guards, ours, bytes, &sizes);
    if ((found && is_of(found, bytes)) || guards->count == KINDS || sizes == SIZES)
        return found;
    found = &guards->kind[guards->count++];
    *found = (struct kind){.ours = ours, .size_class = topo_size_class(bytes), .bytes = bytes};
    topo_guard_begin(&found->guard, TOPO_GUARD_OURS);
    return found;
}

const struct topo_algorithm *topo_guard_pick(struct topo_call *call, const struct topo_algorithm *algorithm)
{
    struct topo_guards *guards = guards_of(call->state);
    struct kind *kind = guards ? find_or_add(guards, algorithm, call->bytes) : NULL;
    if (!kind)
        return algorithm;
    struct topo_guard *guard = &kind->guard;
    enum topo_guard_arm arm = guard->better;
    call->guard.kind = kind;
    call->guard.place = -1;
    call->guard.quiet = NULL;
    if (is_of(kind, call->bytes)) {
        arm = topo_guard_arm(guard);
        call->guard.place = topo_guard_step(guard);
        if (call->guard.place >= 0)
            call->guard.start = now();
        else if (arm == TOPO_GUARD_NATIVE && guard->quiet)
            call->guard.quiet = guard;
        if (topo_guard_is_due(guard))
            call->state->consent.undecided |= TOPO_UNDECIDED_GUARD;
    }
    return arm == TOPO_GUARD_OURS ? algorithm : topo_algorithm_native(algorithm->operation);
}

void topo_guard_missed(struct topo_call *call)
{
    struct kind *kind = call->guard.kind;
    if (!kind)
        return;
    topo_guard_again(&kind->guard);
    call->guard.kind = NULL;
}

void topo_guard_end(const struct topo_call *call)
{
    struct kind *kind = call->guard.kind;
    if (kind && call->guard.place >= 0)
        kind->guard.taken[call->guard.place] += now() - call->guard.start;
}

double topo_guard_native_seconds(const struct topo_call *call)
{
    const struct kind *kind = call->guard.kind;
    uint64_t sum = kind ? topo_guard_median(&kind->guard, TOPO_GUARD_NATIVE) : 0;
    return sum ? (double)sum * 1e-9 / call->state->ranks : -1;
}

/* TOPOMPI_VERBOSE: rank 0 tells what was found, when it is the first time or another than the last. */
static void tell(struct kind *kind, const struct topo_comm *state)
{
    const struct topo_guard *guard = &kind->guard;
    double native = topo_guard_median(guard, TOPO_GUARD_NATIVE), ours = topo_guard_median(guard, TOPO_GUARD_OURS);
    const struct topo_algorithm *better = guard->better == TOPO_GUARD_OURS
                                              ? kind->ours
                                              : topo_algorithm_native(kind->ours->operation);
    if (!guard->quiet || native == 0 || ours == 0 || kind->said == better)
        return;
    kind->said = better;
    if (state->rank == 0)
        topo_say("%s of %zu bytes, %d ranks on %d node%s: %s, as measured in the calls: native %.1f us, %s %.1f us",
                 topo_operation_name(kind->ours->operation), kind->bytes, state->ranks, state->layout.nodes,
                 topo_plural(state->layout.nodes), better->name, native * 1e-3 / state->ranks, kind->ours->name,
                 ours * 1e-3 / state->ranks);
}

void topo_guard_agree(struct topo_comm *state)
{
    struct topo_guards *guards = topo_coll_of(state)->guards;
    uint64_t start = now();
    state->consent.undecided &= (unsigned char)~TOPO_UNDECIDED_GUARD;
    if (!guards) {
        guards_of(state);
        return;
    }
    for (struct kind *kind = guards->kind; kind < guards->kind + guards->count; kind++) {
        uint64_t own[TOPO_GUARD_BLOCKS + 1], sums[TOPO_GUARD_BLOCKS + 1];
        if (!topo_guard_is_due(&kind->guard))
            continue;
        memcpy(own, kind->guard.taken, sizeof kind->guard.taken);
        own[TOPO_GUARD_BLOCKS] = guards->agreement;
        if (PMPI_Allreduce(own, sums, TOPO_GUARD_BLOCKS + 1, MPI_UINT64_T, MPI_SUM, state->channel.user) == MPI_SUCCESS)
            topo_guard_decide(&kind->guard, sums, sums[TOPO_GUARD_BLOCKS]);
        if (topo_job.options.value[TOPO_OPTION_VERBOSE].flag)
            tell(kind, state);
    }
    guards->agreement = now() - start;
}

const struct topo_algorithm *topo_guard_verdict(const struct topo_comm *state, const struct topo_algorithm *algorithm,
                                                size_t bytes, bool *settled)
{
    struct topo_guards *guards = topo_coll_of(state)->guards;
    int sizes;
    const struct kind *kind = guards ? find(guards, algorithm, bytes, &sizes) : NULL;
    *settled = kind && topo_guard_is_settled(&kind->guard);
    return kind && kind->guard.better == TOPO_GUARD_NATIVE ? topo_algorithm_native(algorithm->operation) : algorithm;
}
