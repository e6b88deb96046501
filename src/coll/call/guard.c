#include "coll/call/guard.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "coll/call/history.h"
#include "coll/call/kinds.h"
#include "coll/call/state.h"
#include "job/channel_calls.h"
#include "job/job.h"
#include "select/contest.h"
#include "select/tuning.h"
#include "catalog/size_class.h"

void topo_guards_free(struct topo_guards *guards)
{
    if (guards)
        topo_free(guards->past);
    topo_free(guards);
}

/* What a rank brings to the opening: whether it has memory for what is measured, and what it knows. */
enum { HAS_MEMORY, HISTORY };
_Static_assert(HISTORY + (int)TOPO_HISTORY_NUMBERS == (int)TOPO_COMM_BROUGHT, "as many as the channel agrees on");

bool topo_guard_bring(struct topo_comm *state, uint64_t *numbers)
{
    struct topo_coll_state *own = topo_coll_of(state);
    if (own->may_object && topo_history_objects(state)) {
        memset(numbers, 0, TOPO_COMM_BROUGHT * sizeof *numbers);
        return false;
    }
    if (topo_job.options.value[TOPO_OPTION_GUARD].flag)
        own->guards = topo_calloc(1, sizeof *own->guards);
    numbers[HAS_MEMORY] = own->guards != NULL;
    own->opening = topo_clock_ns();
    topo_history_bring(state, own->guards, numbers + HISTORY);
    return true;
}

void topo_guard_opened(struct topo_comm *state, const uint64_t *least)
{
    struct topo_coll_state *own = topo_coll_of(state);
    if (!least || !least[HAS_MEMORY]) {
        topo_guards_free(own->guards);
        own->guards = NULL;
    } else {
        own->guards->agreement = topo_clock_ns() - own->opening;
        topo_history_agreed(own->guards, least + HISTORY);
    }
    if (!least)
        own->opening = 0;
}

void topo_guard_is_open(struct topo_comm *state)
{
    struct topo_coll_state *own = topo_coll_of(state);
    topo_history_opened(state, topo_clock_ns() - own->opening);
    own->opening = 0;
}

/* True where calls of `bytes` are measured for this kind, which has their class. */
static bool is_of(const struct topo_kind *kind, size_t bytes)
{
    return kind->bytes == bytes || kind->named->operation == TOPO_OPERATION_alltoallv;
}

/* Among some kinds that of this call, or another of its class, or NULL; *sizes are those of its class. The sizes of
 * all-to-alls of vectors vary from call to call: one kind a class. */
static struct topo_kind *find(struct topo_kind *kinds, int count, const struct topo_kind *call, int *sizes)
{
    struct topo_kind *alike = NULL;
    *sizes = 0;
    for (struct topo_kind *kind = kinds; kind < kinds + count; kind++) {
        if (kind->ordered != call->ordered || kind->size_class != call->size_class ||
            (kind->named != call->named && !topo_algorithm_equal(kind->named, call->named)))
            continue;
        if (is_of(kind, call->bytes))
            return kind;
        alike = alike ? alike : kind;
        (*sizes)++;
    }
    return alike;
}

static struct topo_kind kind_of(const struct topo_algorithm *named, bool ordered, size_t bytes)
{
    return (struct topo_kind){.named = named, .ordered = ordered, .size_class = topo_size_class(bytes), .bytes = bytes};
}

/* A new kind begins by the verdict of an earlier job, or by what auto names. Where ranks are apart there is none, as in
 * a program of such calls alone nobody would find out that it is wrong. */
static void begin(struct topo_kind *kind, int arms, const struct topo_layout *layout)
{
    enum { READ = 2 }; /* calls for which it runs before it is looked at */
    const enum topo_operation operation = kind->named->operation;
    const bool apart = topo_operation_waits(operation) == TOPO_WAITS_SOME;
    const struct topo_rule *verdict =
        apart ? NULL : topo_tuning_first(&topo_job.verdicts, operation, layout, kind->bytes, 0);
    int arm = verdict ? arms : 0;
    while (arm-- > 0)
        if (kind->form[arm]->id == verdict->algorithm->id)
            break;
    if (arm >= 0)
        topo_contest_begin(&kind->contest, arms, arm, apart, READ);
    else
        topo_contest_begin(&kind->contest, arms, kind->form[1] == kind->named, apart, 0);
}

/* Fills in the kind's forms; returns how many there are, or -1 where memory is out. */
static int find_forms(struct topo_kind *kind, const struct topo_comm *state)
{
    int arms = 0;
    struct topo_candidates candidates;
    if (topo_candidates(kind->named, state, kind->bytes, &candidates) != MPI_SUCCESS)
        return -1;
    if (!kind->ordered)
        kind->form[arms++] = topo_algorithm_native(kind->named->operation);
    for (int i = 0; i < candidates.count; i++)
        if (!kind->ordered || candidates.form[i]->traits & TOPO_TRAIT_ORDERED)
            kind->form[arms++] = candidates.form[i];
    return arms;
}

/* The same; a new one, by what is known from before, where there is none and room for it, and something to try. */
static struct topo_kind *find_or_add(struct topo_guards *guards, const struct topo_algorithm *named,
                                     const struct topo_comm *state, size_t bytes, int *code)
{
    int sizes, past_sizes;
    struct topo_kind kind = kind_of(named, state->call.ordered, bytes);
    struct topo_kind *found = find(guards->kind, guards->count, &kind, &sizes);
    if ((found && is_of(found, bytes)) || guards->count == TOPO_KINDS || sizes == TOPO_KIND_SIZES)
        return found;
    const struct topo_kind *past = find(guards->past, guards->pasts, &kind, &past_sizes);
    struct topo_size *known = topo_size_of(named->operation, state, kind.ordered, bytes);
    if (past && is_of(past, bytes)) {
        kind = *past;
    } else if (known->nothing && known->named == named) {
        return found;
    } else {
        const int arms = find_forms(&kind, state);
        if (arms < 0)
            *code = MPI_ERR_NO_MEM;
        known->nothing = known->named == named && arms >= 0 && arms < 2;
        if (arms < 2)
            return arms < 0 ? NULL : found;
        begin(&kind, arms, &state->comm_group->layout);
    }
    guards->kind[guards->count] = kind;
    return &guards->kind[guards->count++];
}

bool topo_guard_is_timing(const struct topo_comm *state)
{
    return topo_coll_of(state)->timing;
}

const struct topo_algorithm *topo_guard_next(struct topo_call *call)
{
    struct topo_kind *kind = call->guard.kind;
    struct topo_contest *contest = &kind->contest;
    if (!call->guard.start && !contest->quiet)
        call->guard.start = topo_clock_ns();
    call->guard.arm = contest->champion;
    call->guard.place = -1;
    if (call->guard.counted) {
        call->guard.arm = topo_contest_arm(contest);
        call->guard.place = topo_contest_step(contest);
        if (topo_contest_is_due(contest) || topo_contest_awaits(contest))
            call->state->consent.undecided = true;
        topo_coll_of(call->state)->timing = !contest->quiet;
    }
    call->state->call.is_tried = kind->form[call->guard.arm] != kind->named;
    return kind->form[call->guard.arm];
}

const struct topo_algorithm *topo_guard_pick(struct topo_call *call, const struct topo_algorithm *algorithm, int *code)
{
    struct topo_guards *guards = topo_coll_of(call->state)->guards;
    struct topo_kind *kind = guards ? find_or_add(guards, algorithm, call->state, call->bytes, code) : NULL;
    if (!kind)
        return algorithm;
    call->guard.kind = kind;
    call->guard.contest = kind->ordered ? NULL : &kind->contest;
    call->guard.counted = is_of(kind, call->bytes);
    return topo_guard_next(call);
}

void topo_guard_missed(struct topo_call *call)
{
    struct topo_kind *kind = call->guard.kind;
    if (!kind)
        return;
    topo_contest_missed(&kind->contest, call->guard.arm);
    call->guard.kind = NULL;
}

void topo_guard_end(const struct topo_call *call)
{
    struct topo_kind *kind = call->guard.kind;
    if (kind && call->guard.place >= 0)
        kind->contest.taken[call->guard.place] += topo_clock_ns() - call->guard.start;
}

struct topo_guard_measured topo_guard_measured(const struct topo_call *call, double seconds)
{
    static const struct topo_guard_measured nothing = {.native = -1, .ours = -1};
    const struct topo_kind *kind = call->guard.kind;
    if (!kind || kind->ordered)
        return nothing;
    const bool apart = kind->contest.apart;
    const uint64_t native = kind->contest.time[0], ours = kind->contest.time[call->guard.arm];
    if (!native || (apart && !ours))
        return nothing;
    const double unit = 1e-9 / call->state->ranks;
    return (struct topo_guard_measured){(double)native * unit, apart ? (double)ours * unit : seconds};
}

/* TOPOMPI_VERBOSE: rank 0 tells what was found, when it is the first time or another than the last. */
static void tell(struct topo_kind *kind, const struct topo_comm *state)
{
    const struct topo_contest *contest = &kind->contest;
    const struct topo_algorithm *better = kind->form[contest->champion];
    struct topo_text text = {0};
    if (!contest->quiet || !contest->time[0] || kind->said == better)
        return;
    kind->said = better;
    if (state->rank != 0)
        return;
    topo_text_addf(&text, "%s of %zu bytes, %d ranks on %d node%s: ", topo_operation_name(kind->named->operation),
                   kind->bytes, state->ranks, state->layout.nodes, topo_plural(state->layout.nodes));
    topo_algorithm_write(better, &text);
    topo_text_add(&text, ", as measured in the calls");
    for (int arm = 0, said = 0; arm < contest->arms; arm++)
        if (contest->time[arm]) {
            topo_text_add(&text, said++ ? ", " : ": ");
            topo_algorithm_write(kind->form[arm], &text);
            topo_text_addf(&text, " %.1f us", (double)contest->time[arm] * 1e-3 / state->ranks);
        }
    if (!text.failed)
        topo_say("%s", text.text);
    topo_text_free(&text);
}

/* Collective: what this rank measured in a round that is through, and all others. */
static void decide(struct topo_contest *contest, uint64_t agreement, const struct topo_comm *state)
{
    enum { AGREEMENT = TOPO_CONTEST_BLOCKS, NUMBERS };
    uint64_t all[NUMBERS];
    const bool apart = contest->apart;
    memcpy(all, contest->taken, sizeof contest->taken);
    /* Who is far ahead of the others waits for them in it: where ranks are apart, the shortest counts. */
    all[AGREEMENT] = apart ? ~agreement : agreement;
    if (topo_channel_allreduce(all, NUMBERS, apart ? TOPO_CHANNEL_MOST : TOPO_CHANNEL_SUM, &state->channel) !=
        MPI_SUCCESS)
        return;
    if (apart)
        all[AGREEMENT] = ~all[AGREEMENT];
    for (int i = 0; apart && i < NUMBERS; i++)
        all[i] *= (uint64_t)state->ranks;
    topo_contest_decide(contest, all, all[AGREEMENT]);
}

void topo_guard_agree(struct topo_comm *state)
{
    struct topo_guards *guards = topo_coll_of(state)->guards;
    uint64_t start = topo_clock_ns();
    state->consent.undecided = false;
    bool awaited = false;
    for (struct topo_kind *kind = guards->kind; kind < guards->kind + guards->count; kind++) {
        awaited |= topo_contest_awaits(&kind->contest);
        if (!topo_contest_is_due(&kind->contest))
            continue;
        decide(&kind->contest, guards->agreement, state);
        topo_history_note(state, kind);
        if (topo_job.options.value[TOPO_OPTION_VERBOSE].flag)
            tell(kind, state);
    }
    if (awaited && topo_channel_barrier(&state->channel) == MPI_SUCCESS)
        for (struct topo_kind *kind = guards->kind; kind < guards->kind + guards->count; kind++)
            if (topo_contest_awaits(&kind->contest))
                topo_contest_meet(&kind->contest);
    guards->agreement = topo_clock_ns() - start;
}

const struct topo_algorithm *topo_guard_verdict(const struct topo_comm *state, const struct topo_algorithm *algorithm,
                                                size_t bytes, bool *settled)
{
    struct topo_guards *guards = topo_coll_of(state)->guards;
    int sizes;
    const struct topo_kind call = kind_of(algorithm, state->call.ordered, bytes);
    const struct topo_kind *kind = guards ? find(guards->kind, guards->count, &call, &sizes) : NULL;
    bool is_tried = true;
    if (!kind && algorithm == topo_algorithm_native(algorithm->operation))
        topo_is_tried(algorithm->operation, state, bytes, &is_tried);
    *settled = kind                   ? topo_contest_is_settled(&kind->contest)
               : state->call.one_form ? !state->call.ordered || guards != NULL
                                      : !is_tried;
    return kind ? kind->form[kind->contest.champion] : algorithm;
}
