#include "coll/call/choose.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/text.h"
#include "coll/base/datatype.h"
#include "coll/base/operators.h"
#include "coll/call/state.h"
#include "comm/early.h"
#include "job/job.h"
#include "model/cost.h"
#include "observe/stats.h"
#include "patterns/node_steps.h"
#include "select/by_model.h"
#include "catalog/size_class.h"
#include "select/select.h"
#include "select/tuning.h"

enum topo_option topo_option_of(enum topo_operation operation)
{
    static const enum topo_option options[] = {
#define OPERATION(name, Name, NAME, ...) TOPO_OPTION_##NAME,
#include "catalog/operations.def"
    };
    return options[operation];
}

/* The option's words are auto, then the operation's rows in their order. */
const struct topo_algorithm *topo_users_choice(enum topo_operation operation)
{
    int choice = topo_job.options.value[topo_option_of(operation)].choice;
    return choice > 0 ? topo_algorithm(topo_algorithm_native(operation)->id + (unsigned)choice - 1) : NULL;
}

/* What is known where the bits of results depend on the form, or not. */
static const struct topo_tuning *tuning_for(bool one_form)
{
    return one_form ? &topo_job.tuning : &topo_job.found;
}

/* What runs when the user left the choice to us: the tuning file's word, else the model's where it objects to the
 * rules, else the rules'. *objects (may be NULL) tells that it did. `layout` is the communicator's as it was made, or
 * as it became where shared memory could not be had. NULL when the model had no memory: what the other ranks take is
 * not known then. */
static const struct topo_algorithm *select_by(enum topo_operation operation, const struct topo_comm *state,
                                              bool one_form, const struct topo_layout *layout, size_t bytes,
                                              bool *objects)
{
    enum { UNKNOWN = 0, CONTENT = -1 };
    const struct topo_tuning *tuning = tuning_for(one_form);
    short objection = CONTENT;
    if (tuning->measured && layout->has_shm && !topo_tuning_find(tuning, operation, layout, bytes)) {
        int size_class = topo_size_class(bytes);
        _Atomic short *known = &state->comm_group->by_model[operation][size_class];
        if (*known == UNKNOWN) {
            const struct topo_algorithm *says;
            if (topo_select_by_model(tuning, operation, state->tree, layout, size_class, &says) != TOPO_OK)
                return NULL;
            *known = says ? (short)(says->id + 1) : CONTENT;
        }
        objection = *known;
    }
    if (objects)
        *objects = objection != CONTENT;
    return objection != CONTENT ? topo_algorithm((enum topo_algorithm_id)(objection - 1))
                                : topo_select(tuning, operation, layout, bytes);
}

/* What the model gives for a size class, remembered: an id and 1 in each of the lower bytes, 0 behind the last. False:
 * no memory. */
static bool candidates_by_model(enum topo_operation operation, const struct topo_comm *state, int size_class,
                                struct topo_candidates *candidates)
{
    enum { KNOWN = 1 << 24 };
    _Static_assert(TOPO_CANDIDATES == 3 && TOPO_ALGORITHM_COUNT < 255, "three bytes of a word of four");
    _Atomic uint32_t *known = &state->comm_group->candidates[operation][size_class];
    uint32_t word = *known;
    if (!word) {
        if (topo_candidates_by_model(&topo_job.found, operation, state->tree, &state->comm_group->layout, size_class,
                                     candidates) != TOPO_OK)
            return false;
        word = KNOWN;
        for (int i = 0; i < candidates->count; i++)
            word |= ((uint32_t)candidates->form[i]->id + 1) << 8 * i;
        *known = word;
    }
    for (candidates->count = 0; candidates->count < TOPO_CANDIDATES; candidates->count++) {
        uint32_t id = word >> 8 * candidates->count & 255;
        if (!id)
            break;
        candidates->form[candidates->count] = topo_algorithm((enum topo_algorithm_id)(id - 1));
    }
    return true;
}

int topo_candidates(const struct topo_algorithm *named, const struct topo_comm *state, size_t bytes,
                    struct topo_candidates *candidates)
{
    struct topo_candidates by_model = {0};
    if (state->layout.has_shm && !candidates_by_model(named->operation, state, topo_size_class(bytes), &by_model))
        return MPI_ERR_NO_MEM;
    topo_candidates_of(&topo_job.found, named, &state->layout, bytes, &by_model, candidates);
    return MPI_SUCCESS;
}

struct prediction {
    const struct topo_algorithm *algorithm;
    double seconds;
};

static int faster_first(const void *a, const void *b)
{
    const struct prediction *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* Appends the times that the model gives: of what runs, of native, and of the fastest of all. Nothing where levels are
 * not known: the shipped ones are those of another machine, and what runs may look slow by them. */
static void add_predictions(const struct topo_algorithm *runs, const struct topo_comm *state, bool one_form,
                            size_t bytes, struct topo_text *text)
{
    enum { FASTEST = 4 };
    struct prediction known[TOPO_ALGORITHM_COUNT];
    const struct topo_algorithm *native = topo_algorithm_native(runs->operation);
    const struct topo_cost_call call = {.bytes = bytes};
    int count = 0, said = 0;
    if (!tuning_for(one_form)->measured)
        return;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        if (topo_algorithm(id)->operation != runs->operation)
            continue;
        known[count].algorithm = runs->id == (enum topo_algorithm_id)id ? runs : topo_algorithm(id);
        known[count].seconds = topo_cost_of(known[count].algorithm, state->tree, &tuning_for(one_form)->params, &call);
        count += known[count].seconds >= 0;
    }
    qsort(known, (size_t)count, sizeof *known, faster_first);
    for (int i = 0; i < count; i++) {
        if (i >= FASTEST && known[i].algorithm != runs && known[i].algorithm != native)
            continue;
        topo_text_addf(text, "%s ", said++ ? "," : "; the model gives");
        topo_algorithm_write(known[i].algorithm, text);
        topo_text_addf(text, "%s %.1f us", known[i].algorithm == native ? " (" TOPO_COST_NATIVE_OF ")" : "",
                       known[i].seconds * 1e6);
    }
}

/* TOPOMPI_VERBOSE: what runs and why, once for each communicator and size class (powers of two). */
static void tell(const struct topo_algorithm *algorithm, bool asked_for, struct topo_comm *state, bool one_form,
                 size_t bytes)
{
    enum topo_operation operation = algorithm->operation;
    const uint64_t bit = (uint64_t)1 << (topo_size_class(bytes) & 63);
    struct topo_text text = {0};
    const struct topo_rule *rule = NULL;
    bool by_model = false;
    if (state->rank != 0 || (topo_coll_of(state)->announced[operation] & bit))
        return;
    topo_coll_of(state)->announced[operation] |= bit;
    topo_text_addf(&text, "%s of %zu bytes, %d rank%s on %d node%s: ", topo_operation_name(operation), bytes,
                   state->ranks, topo_plural(state->ranks), state->layout.nodes, topo_plural(state->layout.nodes));
    topo_algorithm_write(algorithm, &text);
    if (!asked_for)
        rule = topo_tuning_find(&topo_job.tuning, operation, &state->layout, bytes);
    if (asked_for)
        topo_text_addf(&text, ", as %s says",
                       topo_job.options.value[TOPO_OPTION_ENABLED].flag
                           ? topo_option_info(topo_option_of(operation))->name
                           : "TOPOMPI=off");
    else if (rule)
        topo_text_addf(&text, ", by line %d of the tuning file", rule->line);
    else if (select_by(operation, state, one_form, &state->layout, bytes, &by_model) && by_model)
        topo_text_addf(&text, ", by the model (the shipped rules say %s)",
                       topo_select(&topo_job.tuning, operation, &state->layout, bytes)->name);
    else if ((rule = topo_select_rule(&topo_job.tuning, operation, &state->layout, bytes)))
        topo_text_addf(&text, ", by line %d of the shipped rules", rule->line);
    else
        topo_text_add(&text, ", as no rule fits");
    add_predictions(algorithm, state, one_form, bytes, &text);
    if (!text.failed)
        topo_say_once(text.text);
    topo_text_free(&text);
}

/* An algorithm that was asked for and cannot run: said once a process, by one rank, or, where an error follows at once
 * and ends the job, by each that the others do not wait for (topo_call_choose()). */
static void refuse(const struct topo_algorithm *algorithm, const struct topo_comm *state, const char *why, bool strict)
{
    static atomic_bool said[TOPO_ALGORITHM_COUNT];
    bool speaks = state->rank == 0 || (strict && topo_operation_waits(algorithm->operation) != TOPO_WAITS_ALL);
    if (!atomic_exchange(&said[algorithm->id], true) && speaks)
        topo_say("%s=%s does not apply in a communicator of %d ranks: %s; %s",
                 topo_option_info(topo_option_of(algorithm->operation))->name, algorithm->name, state->ranks, why,
                 strict ? "an MPI error, as TOPOMPI_STRICT=1 says" : "native runs");
}

struct topo_size *topo_size_of(enum topo_operation operation, const struct topo_comm *state, bool one_form,
                               size_t bytes)
{
    _Static_assert(TOPO_SIZES == 8, "three bits");
    const unsigned place = (unsigned)bytes + 2U * operation + one_form;
    const struct topo_layout *layout = one_form ? &state->comm_group->layout : &state->layout;
    struct topo_size *row = &topo_coll_of(state)->size[place * 0x9E3779B1U >> 29];
    if (!row->named || row->named->operation != operation || row->bytes != bytes || row->one_form != one_form ||
        row->has_shm != state->layout.has_shm)
        *row = (struct topo_size){.named = select_by(operation, state, one_form, layout, bytes, NULL),
                                  .bytes = bytes,
                                  .one_form = one_form,
                                  .has_shm = state->layout.has_shm};
    return row;
}

/* Programs that make communicators for a few calls must not pay for what ours needs, so we begin when the calls so far
 * make it likely that it pays: each counts 1, and those that ours might have run 1 more for each TOPO_EARLY_BYTES of
 * all ranks together. All ranks count alike, as collectives of one communicator are called in one order, also those
 * that some of them remember (coll/call/remembered.h) or count without a state (comm/early.h). */
static bool worth_preparing(const struct topo_algorithm *algorithm, struct topo_comm *state, size_t bytes)
{
    size_t calls = topo_comm_calls_to_ask(state);
    struct topo_coll_state *own = topo_coll_of(state);
    if (state->ready)
        return true;
    own->may_object = false;
    if (topo_tuning_find(&topo_job.tuning, algorithm->operation, &state->layout, bytes))
        return true; /* the tuning file's word is taken literally */
    if (state->calls + own->spared <= calls && !state->consent.wishes) {
        const size_t beyond = bytes * (size_t)state->ranks / TOPO_EARLY_BYTES;
        own->spared += beyond;
        state->call.waits = state->calls + own->spared <= calls ? 1 + beyond : 0;
    }
    own->waits = topo_size_of(algorithm->operation, state, false, bytes);
    own->waits->waited++;
    return own->may_object = state->calls + own->spared > calls;
}

/* Looks at every size class once for communicators of the same ranks: as the options, the tuning file and the layout
 * that they are made with are alike, so is the answer, whoever keeps it for how long. */
static bool nothing_but_native(enum topo_operation operation, const struct topo_comm *state)
{
    const struct topo_algorithm *native = topo_algorithm_native(operation), *asked = topo_users_choice(operation);
    if (asked)
        return asked == native;
    for (int i = 0; i < topo_job.tuning.count; i++)
        if (topo_job.tuning.rules[i].algorithm->operation == operation)
            return false;
    const struct topo_layout *layout = &state->comm_group->layout;
    const bool guarded = topo_job.options.value[TOPO_OPTION_GUARD].flag;
    if (guarded && layout->nodes > 1 && layout->has_shm) /* the model may name forms to try, which takes time to ask */
        return false;
    for (size_t bytes = 1; bytes <= INT_MAX; bytes *= 2)
        for (int one_form = 0; one_form < 2; one_form++) {
            const struct topo_rule *rule = topo_select_rule(tuning_for(one_form), operation, layout, bytes);
            if (select_by(operation, state, one_form, layout, bytes, NULL) != native ||
                (guarded && rule && rule->others_count))
                return false;
        }
    return true;
}

bool topo_native_anyway(enum topo_operation operation, struct topo_comm *state)
{
    _Atomic signed char *known = &state->comm_group->native_anyway[operation];
    if (*known == TOPO_ANYWAY_UNKNOWN) {
        bool heard = topo_stats_wanted() || topo_job.options.value[TOPO_OPTION_VERBOSE].flag;
        *known = !heard && nothing_but_native(operation, state) ? TOPO_ANYWAY_YES : TOPO_ANYWAY_NO;
    }
    return *known == TOPO_ANYWAY_YES;
}

/* A call whose bits depend on the form takes the one that the layout says, from the communicator's first call on, and
 * what was known in MPI_Init; or, where that could not be had the first time, always the native one. NULL as
 * select_by(). */
static const struct topo_algorithm *select_auto(enum topo_operation operation, const struct topo_comm *state,
                                                const struct topo_facts *facts)
{
    const struct topo_algorithm *native = topo_algorithm_native(operation);
    const struct topo_algorithm *algorithm = topo_size_of(operation, state, facts->one_form, facts->bytes)->named;
    if (!algorithm)
        return NULL;
    size_t withheld = facts->one_form ? state->withheld[algorithm->id] : 0;
    return topo_algorithm_misses(algorithm, facts->lacking, NULL) || (withheld && facts->bytes >= withheld) ? native
                                                                                                            : algorithm;
}

int topo_is_tried(enum topo_operation operation, const struct topo_comm *state, size_t bytes, bool *is_tried)
{
    struct topo_candidates candidates = {0};
    int code = MPI_SUCCESS;
    if (topo_job.options.value[TOPO_OPTION_GUARD].flag)
        code = topo_candidates(topo_algorithm_native(operation), state, bytes, &candidates);
    *is_tried = candidates.count > 0 || code != MPI_SUCCESS;
    return code;
}

/* *is_tried is false where topo_is_tried() says so for certain. The model is not asked, which takes longer than a short
 * call, but where ranks objected to the channel: there calls are counted on after it was. The code as topo_is_tried().
 */
static int may_be_tried(enum topo_operation operation, const struct topo_comm *state, size_t bytes, bool *is_tried)
{
    *is_tried = topo_job.options.value[TOPO_OPTION_GUARD].flag;
    /* on one node the model has nothing to say */
    if (*is_tried && (state->layout.nodes < 2 || !state->layout.has_shm || state->refusals))
        return topo_is_tried(operation, state, bytes, is_tried);
    return MPI_SUCCESS;
}

const struct topo_algorithm *topo_choose(enum topo_operation operation, const struct topo_algorithm *forced,
                                         struct topo_comm *state, const struct topo_facts *facts, int *code)
{
    const struct topo_algorithm *native = topo_algorithm_native(operation);
    const struct topo_algorithm *asked = forced ? forced : topo_users_choice(operation), *algorithm = asked;
    const char *why = facts->refusal;
    size_t bytes = facts->bytes;
    /* Calls that only some algorithms can take tell nothing about the others. */
    const bool tells = !asked && !facts->refusal && !facts->lacking;
    bool is_tried = false;
    if (!asked) {
        algorithm = facts->refusal ? native : select_auto(operation, state, facts);
        if (!algorithm) {
            *code = MPI_ERR_NO_MEM;
            return native;
        }
        if (algorithm == native && tells && !facts->one_form)
            *code = may_be_tried(operation, state, bytes, &is_tried);
        if (*code != MPI_SUCCESS)
            return native;
        if ((algorithm != native || is_tried) && !facts->one_form && !worth_preparing(algorithm, state, bytes)) {
            state->call.is_tried = is_tried;
            return native;
        }
        if (is_tried)
            *code = topo_is_tried(operation, state, bytes, &is_tried);
        if (*code != MPI_SUCCESS)
            return native;
    } else if (asked != native && (facts->refusal || topo_algorithm_misses(asked, facts->lacking, &why) ||
                                   !topo_algorithm_applies(asked, state->ranks, &why))) {
        bool strict = topo_job.options.value[TOPO_OPTION_STRICT].flag;
        refuse(asked, state, why, strict);
        if (strict)
            *code = MPI_ERR_UNSUPPORTED_OPERATION;
        algorithm = native;
    }
    const bool one_form = !asked && facts->one_form;
    if (asked || one_form)
        topo_coll_of(state)->may_object = false;
    state->call = (struct topo_comm_call){.id = algorithm->id,
                                          .bytes = bytes,
                                          .any_form = tells && !facts->one_form,
                                          .bits_depend = facts->one_form,
                                          .one_form = one_form,
                                          .ordered = one_form && tells && !facts->by_side && state->layout.nodes > 1 &&
                                                     algorithm->traits & TOPO_TRAIT_ORDERED,
                                          .is_tried = is_tried};
    state->consent.may_wait = asked || one_form || topo_operation_waits(operation) != TOPO_WAITS_SOME;
    if (topo_job.options.value[TOPO_OPTION_VERBOSE].flag)
        tell(algorithm, asked != NULL, state, facts->one_form, bytes);
    return algorithm;
}

const struct topo_algorithm *topo_algorithm_for(MPI_Comm comm, enum topo_operation operation, size_t bytes,
                                                bool one_form)
{
    const struct topo_algorithm *algorithm, *native = topo_algorithm_native(operation);
    struct topo_comm *state;
    if (comm == MPI_COMM_NULL || topo_comm_of(comm, &state) != MPI_SUCCESS || !state || state->native)
        return native;
    algorithm = topo_users_choice(operation);
    if (!algorithm)
        return select_auto(operation, state, &(struct topo_facts){.bytes = bytes, .one_form = one_form});
    return topo_algorithm_applies(algorithm, state->ranks, NULL) ? algorithm : native;
}

int topo_reduction_facts(const struct topo_comm *state, size_t count, MPI_Datatype type, MPI_Op op,
                         struct topo_facts *facts)
{
    int commutative = 1;
    const struct topo_layout *layout = &state->comm_group->layout;
    size_t each = 0;
    int code = topo_data_bytes(1, type, &each);
    facts->bytes = count * each;
    if (code == MPI_SUCCESS)
        code = PMPI_Op_commutative(op, &commutative);
    if (code == MPI_SUCCESS && !topo_operation_known(op, type))
        facts->refusal = "this operation on this datatype is left to the MPI library";
    else if (code == MPI_SUCCESS && count > 0 && each > INT_MAX)
        facts->refusal = "elements of more than 2 GiB are left to the MPI library";
    else if (count > INT_MAX)
        facts->refusal = "more elements than an int can count are left to the MPI library";
    facts->one_form =
        topo_operation_depends_on_order(op, type) && !(state->ranks == 2 && topo_operation_swaps(op, type));
    facts->by_side = topo_operation_depends_on_side(op, type);
    if (!commutative)
        facts->lacking |= TOPO_TRAIT_COMMUTATIVE;
    if (topo_operation_wants_whole(op)) {
        bool is_short = topo_node_steps_fits(facts->bytes, layout->nodes, layout->node_ranks_min);
        facts->lacking |= TOPO_TRAIT_CUTS | (is_short ? 0 : TOPO_TRAIT_CUTS_LONG);
    }
    return code;
}
