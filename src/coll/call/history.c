#include "coll/call/history.h"

#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "catalog/size_class.h"
#include "coll/call/kinds.h"
#include "coll/call/state.h"
#include "job/job.h"
#include "job/verdicts.h"
#include "select/tuning.h"
#include "select/verdicts.h"

/* Most recently used first. The lock is held for no message. */
enum { GROUPS = 16, LAYOUTS = 16 };

/* What communicators of the same ranks measured. */
struct measured {
    uint64_t members;
    struct topo_layout layout;
    int count;
    struct topo_kind kind[TOPO_KINDS];
};

/* What is known of communicators of a layout. */
struct lived {
    struct topo_layout layout; /* of 0 ranks: no row */
    size_t calls;              /* that those made which made enough to be asked for, the mean of the latest */
    uint64_t opening;          /* what an opening took, in ns; 0: unknown */
    unsigned openings;         /* since a kind of call was found to have a fastest form */
};

static struct measured *groups[GROUPS];
static struct lived layouts[LAYOUTS];
static bool keeps;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_layout(const struct topo_layout *a, const struct topo_layout *b)
{
    return a->ranks == b->ranks && a->nodes == b->nodes && a->node_ranks_min == b->node_ranks_min &&
           a->node_ranks_max == b->node_ranks_max && a->by_slot == b->by_slot && a->has_shm == b->has_shm &&
           a->has_racks == b->has_racks && a->has_processors == b->has_processors;
}

/* What is measured by communicators of these ranks, or NULL; with `any` those of the layout will do. */
static struct measured *find_group(const struct topo_comm_group *group, bool any)
{
    for (int i = 0; i < GROUPS && groups[i]; i++)
        if (is_layout(&groups[i]->layout, &group->layout) && (any || groups[i]->members == group->members))
            return groups[i];
    return NULL;
}

/* The same, moved to the front; a new one where there is none. NULL: memory is out. */
static struct measured *use_group(const struct topo_comm_group *group)
{
    struct measured *found = find_group(group, false);
    int at = 0;
    while (found && groups[at] != found)
        at++;
    if (!found) {
        if (!(found = topo_alloc(1, sizeof *found)))
            return NULL;
        *found = (struct measured){.members = group->members, .layout = group->layout};
        at = GROUPS - 1;
        topo_free(groups[at]);
    }
    memmove(groups + 1, groups, (size_t)at * sizeof *groups);
    return groups[0] = found;
}

/* The row of a layout, or NULL. */
static struct lived *find_layout(const struct topo_layout *layout)
{
    for (int i = 0; i < LAYOUTS && layouts[i].layout.ranks; i++)
        if (is_layout(&layouts[i].layout, layout))
            return &layouts[i];
    return NULL;
}

/* The same, made where there is none in place of the oldest. */
static struct lived *use_layout(const struct topo_layout *layout)
{
    struct lived *found = find_layout(layout);
    if (found)
        return found;
    memmove(layouts + 1, layouts, (LAYOUTS - 1) * sizeof *layouts);
    layouts[0] = (struct lived){.layout = *layout};
    return &layouts[0];
}

static uint64_t hash_algorithm(const struct topo_algorithm *algorithm, uint64_t hash)
{
    size_t given;
    hash = topo_hash_add(hash, (uint64_t)algorithm->id);
    for (int i = 0; topo_parameter(&algorithm->parameters, i, &given); i++)
        hash = topo_hash_add(hash, given);
    return hash;
}

static uint64_t hash_of(const struct topo_guards *guards)
{
    uint64_t hash = topo_hash_add(TOPO_HASH_START, (uint64_t)guards->count);
    for (const struct topo_kind *kind = guards->kind; kind < guards->kind + guards->count; kind++) {
        hash = hash_algorithm(kind->named, topo_hash_add(hash, kind->ordered));
        hash = topo_contest_hash(&kind->contest, topo_hash_add(hash, kind->bytes));
        for (int arm = 0; arm < kind->contest.arms; arm++)
            hash = hash_algorithm(kind->form[arm], hash);
    }
    return hash;
}

/* A belief is a kind of call, and one more than the number of a form among those of its operation. */
enum { FORM_BITS = 8, ID_BITS = 8, BYTES_MOST_BITS = 40 };
_Static_assert(TOPO_ALGORITHM_COUNT < 1 << ID_BITS, "a belief has room for an id");

static uint64_t kind_number(const struct topo_algorithm *named, bool ordered, size_t bytes)
{
    return ((uint64_t)bytes << 1 | ordered) << ID_BITS | (uint64_t)named->id;
}

static int place_of(const struct topo_algorithm *named, size_t bytes)
{
    return ((int)named->operation + topo_size_class(bytes)) % TOPO_BELIEFS;
}

/* What is believed of a kind; 0: nothing. */
static uint64_t belief_of(const struct topo_kind *kind)
{
    uint64_t saved;
    const int arm = topo_contest_verdict(&kind->contest, &saved);
    if (arm < 0 || kind->bytes >> BYTES_MOST_BITS)
        return 0;
    return kind_number(kind->named, kind->ordered, kind->bytes) << FORM_BITS |
           (uint64_t)(kind->form[arm]->id - topo_algorithm_native(kind->named->operation)->id + 1);
}

/* What a call of ours saves, all ranks together in ns, as measured at these bytes or else at others of their class; -1:
 * nobody knows. */
static double saved_by(const struct measured *measured, const struct topo_size *size)
{
    double saves = -1;
    for (int i = 0; measured && i < measured->count; i++) {
        const struct topo_kind *kind = &measured->kind[i];
        uint64_t saved;
        if (!kind->ordered && kind->size_class == topo_size_class(size->bytes) &&
            topo_algorithm_equal(kind->named, size->named) && topo_contest_verdict(&kind->contest, &saved) >= 0 &&
            (saves < 0 || kind->bytes == size->bytes))
            saves = (double)saved;
    }
    return saves;
}

/* Whether the calls that asked would not pay for the opening: a communicator is likely to make as many calls as those
 * before it, and one that made more as many again. Where nobody knows what ours saves it is to be found out, unless
 * communicators end too early for that, or many of them did not find out. */
static bool is_in_vain(const struct topo_comm *state, const struct measured *measured, const struct lived *lived)
{
    enum { OPENINGS = 32, REFUSALS = 4 };
    const struct topo_coll_state *own = topo_coll_of(state);
    const size_t before = state->calls + own->spared;
    size_t waited = 0;
    bool unknown = false;
    double saved = 0;
    if (!lived || before == 0 || state->refusals >= REFUSALS)
        return false;
    const size_t rest = lived->calls > before ? lived->calls - before : before;
    for (const struct topo_size *size = own->size; size < own->size + TOPO_SIZES; size++)
        if (size->waited) {
            const double saves = saved_by(measured, size);
            waited += size->waited;
            unknown |= saves < 0;
            saved += saves > 0 ? saves * (double)size->waited : 0;
        }
    const bool finds_out = lived->openings < OPENINGS || !topo_job.options.value[TOPO_OPTION_GUARD].flag;
    if (!waited || (unknown && finds_out && rest >= topo_comm_calls_to_pay(state)))
        return false;
    saved *= 1 + (double)state->early / (double)waited; /* those that nobody looked at are taken for such calls */
    return saved / state->ranks * (double)rest / (double)before <= (double)lived->opening;
}

bool topo_history_objects(const struct topo_comm *state)
{
    pthread_mutex_lock(&lock);
    const struct measured *same = find_group(state->comm_group, false);
    const bool answer =
        is_in_vain(state, same ? same : find_group(state->comm_group, true), find_layout(&state->comm_group->layout));
    pthread_mutex_unlock(&lock);
    return answer;
}

void topo_history_bring(const struct topo_comm *state, struct topo_guards *guards, uint64_t *numbers)
{
    memset(numbers, 0, TOPO_HISTORY_NUMBERS * sizeof *numbers);
    pthread_mutex_lock(&lock);
    const struct measured *same = find_group(state->comm_group, false);
    const struct measured *like = same ? same : find_group(state->comm_group, true);
    for (int i = 0; guards && same && i < same->count; i++) {
        guards->kind[guards->count] = same->kind[i];
        topo_contest_continue(&guards->kind[guards->count++].contest);
    }
    for (int i = 0; like && i < like->count; i++) {
        const uint64_t belief = belief_of(&like->kind[i]);
        if (belief)
            numbers[2 + 2 * place_of(like->kind[i].named, like->kind[i].bytes)] = belief;
    }
    pthread_mutex_unlock(&lock);
    numbers[0] = guards ? hash_of(guards) : 0;
    for (int i = 0; i < TOPO_HISTORY_NUMBERS; i += 2)
        numbers[i + 1] = ~numbers[i];
}

void topo_history_agreed(struct topo_guards *guards, const uint64_t *least)
{
    if (least[0] != ~least[1])
        guards->count = 0;
    for (int i = 0; i < TOPO_BELIEFS; i++)
        guards->belief[i] = least[2 + 2 * i] == ~least[3 + 2 * i] ? least[2 + 2 * i] : 0;
}

/* The arm that is that form; -1: none. */
static int arm_of(const struct topo_kind *kind, int arms, int form)
{
    for (int arm = 0; arm < arms; arm++)
        if ((int)kind->form[arm]->id == form)
            return arm;
    return -1;
}

bool topo_history_believes(const struct topo_guards *guards, const struct topo_layout *layout, struct topo_kind *kind,
                           int arms, bool apart)
{
    enum { BELIEVED = 256, READ = 2 }; /* calls for which it runs before it is looked at; one of another job's */
    const enum topo_operation operation = kind->named->operation;
    const uint64_t belief = guards->belief[place_of(kind->named, kind->bytes)];
    const bool believed = belief >> FORM_BITS == kind_number(kind->named, kind->ordered, kind->bytes);
    int form = (int)(belief & ((1 << FORM_BITS) - 1)) - 1 + (int)topo_algorithm_native(operation)->id;
    if (!believed && apart) /* in a program of such calls alone nobody would find out that it is wrong */
        return false;
    if (!believed) {
        const struct topo_rule *verdict = topo_tuning_first(&topo_job.verdicts, operation, layout, kind->bytes, 0);
        form = verdict ? (int)verdict->algorithm->id : -1;
    }
    const int arm = arm_of(kind, arms, form);
    if (arm >= 0)
        topo_contest_begin(&kind->contest, arms, arm, apart, believed ? BELIEVED : READ);
    return arm >= 0;
}

/* Replaces what was measured of such calls. */
static void keep(struct measured *measured, const struct topo_kind *kind)
{
    struct topo_kind *there = measured->kind, *end = measured->kind + measured->count;
    while (there < end && !(topo_algorithm_equal(there->named, kind->named) && there->ordered == kind->ordered &&
                            there->bytes == kind->bytes))
        there++;
    if (there == end) {
        if (measured->count == TOPO_KINDS)
            return;
        measured->count++;
    }
    *there = *kind;
}

/* A form that could not run says nothing of the next communicator. */
static bool is_worth_keeping(const struct topo_kind *kind)
{
    return kind->contest.misses == 0;
}

void topo_history_note(const struct topo_comm *state, const struct topo_kind *kind)
{
    uint64_t saved;
    if (!is_worth_keeping(kind))
        return;
    pthread_mutex_lock(&lock);
    struct measured *measured = keeps ? use_group(state->comm_group) : NULL;
    if (measured) {
        keep(measured, kind);
        if (topo_contest_verdict(&kind->contest, &saved) >= 0)
            use_layout(&state->comm_group->layout)->openings = 0;
    }
    pthread_mutex_unlock(&lock);
}

void topo_history_opened(const struct topo_comm *state, uint64_t took)
{
    enum { SLOWLY = 8 };
    pthread_mutex_lock(&lock);
    struct lived *lived = use_layout(&state->comm_group->layout);
    lived->openings++;
    if (!lived->opening || took < lived->opening)
        lived->opening = took ? took : 1;
    else
        lived->opening += (took - lived->opening) / SLOWLY;
    pthread_mutex_unlock(&lock);
}

void topo_history_end(const struct topo_comm *state)
{
    enum { SLOWLY = 8 };
    const struct topo_guards *guards = topo_coll_of(state)->guards;
    const size_t calls = state->calls + topo_coll_of(state)->spared;
    pthread_mutex_lock(&lock);
    struct measured *measured = guards && guards->count && keeps ? use_group(state->comm_group) : NULL;
    for (int i = 0; measured && i < guards->count; i++)
        if (is_worth_keeping(&guards->kind[i]))
            keep(measured, &guards->kind[i]);
    if (calls >= topo_comm_calls_to_pay(state)) {
        struct lived *lived = use_layout(&state->comm_group->layout);
        lived->calls = lived->calls ? lived->calls - lived->calls / SLOWLY + calls / SLOWLY : calls;
    }
    pthread_mutex_unlock(&lock);
}

/* The verdict of a kind, as a line. */
static void tell(const struct topo_kind *kind, const struct topo_layout *layout, time_t now, struct topo_text *text)
{
    const struct topo_contest *contest = &kind->contest;
    const double unit = 1e-9 / layout->ranks;
    const int arm = contest->champion;
    if (contest->time[arm] && !contest->apart)
        topo_verdict_write(layout, kind->size_class, kind->form[arm], (double)contest->time[arm] * unit,
                           kind->ordered ? 0 : (double)contest->time[0] * unit, now, text);
}

void topo_history_keep(void)
{
    struct topo_text text = {0};
    const time_t now = time(NULL);
    if (topo_job.rank != 0 || !topo_job_verdicts_wanted())
        return;
    pthread_mutex_lock(&lock);
    for (int ordered = 0; ordered < 2; ordered++) /* where both found something the former counts */
        for (int i = 0; i < GROUPS && groups[i]; i++)
            for (int k = 0; k < groups[i]->count; k++)
                if (groups[i]->kind[k].ordered == ordered)
                    tell(&groups[i]->kind[k], &groups[i]->layout, now, &text);
    pthread_mutex_unlock(&lock);
    if (text.text && !text.failed)
        topo_job_verdicts_keep(text.text);
    topo_text_free(&text);
}

void topo_history_start(void)
{
    keeps = true;
}

void topo_history_stop(void)
{
    keeps = false;
    for (int i = 0; i < GROUPS; i++) {
        topo_free(groups[i]);
        groups[i] = NULL;
    }
    memset(layouts, 0, sizeof layouts);
}
