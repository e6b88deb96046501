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
#include "select/verdicts.h"

/* What communicators of the same ranks measured, lived and cost: most recently used first. The lock is held for no
 * message. */
enum { GROUPS = 16, SLOWLY = 8 };
struct group {
    uint64_t members;
    struct topo_layout layout;
    size_t calls;      /* that those made which made enough to be asked for, the mean of the latest */
    uint64_t opening;  /* what an opening took, in ns; 0: unknown */
    unsigned openings; /* since a kind of call was found to have a fastest form */
    int count;
    struct topo_kind kind[TOPO_KINDS];
};

static struct group *groups[GROUPS];
static bool keeps;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_layout(const struct topo_layout *a, const struct topo_layout *b)
{
    return a->ranks == b->ranks && a->nodes == b->nodes && a->node_ranks_min == b->node_ranks_min &&
           a->node_ranks_max == b->node_ranks_max && a->by_slot == b->by_slot && a->has_shm == b->has_shm &&
           a->has_racks == b->has_racks && a->has_processors == b->has_processors;
}

/* That of these ranks, else the latest of the layout, or NULL. */
static struct group *find(const struct topo_comm_group *group)
{
    struct group *like = NULL;
    for (int i = 0; i < GROUPS && groups[i]; i++)
        if (is_layout(&groups[i]->layout, &group->layout)) {
            if (groups[i]->members == group->members)
                return groups[i];
            like = like ? like : groups[i];
        }
    return like;
}

/* That of these ranks, which is the latest from now on; a new one lived and cost as those of the layout. NULL: memory
 * is out, or nothing is kept. */
static struct group *use(const struct topo_comm_group *group)
{
    struct group *like = find(group), *found = like;
    int at = GROUPS - 1;
    if (!keeps)
        return NULL;
    if (like && like->members == group->members) {
        for (at = 0; groups[at] != like;)
            at++;
    } else {
        if (!(found = topo_alloc(1, sizeof *found)))
            return NULL;
        *found = (struct group){.members = group->members, .layout = group->layout};
        if (like) {
            found->calls = like->calls;
            found->opening = like->opening;
            found->openings = like->openings;
        }
        topo_free(groups[at]);
    }
    memmove(groups + 1, groups, (size_t)at * sizeof *groups);
    return groups[0] = found;
}

/* The same, or that of other ranks: what they lived and cost holds for the layout. */
static struct group *use_like(const struct topo_comm_group *group)
{
    struct group *like = find(group);
    return like ? like : use(group);
}

static uint64_t hash_algorithm(const struct topo_algorithm *algorithm, uint64_t hash)
{
    size_t given;
    hash = topo_hash_add(hash, (uint64_t)algorithm->id);
    for (int i = 0; topo_parameter(&algorithm->parameters, i, &given); i++)
        hash = topo_hash_add(hash, given);
    return hash;
}

/* Of a kind of call and its forms. */
static uint64_t hash_of(const struct topo_kind *kind)
{
    uint64_t hash = topo_hash_add(hash_algorithm(kind->named, TOPO_HASH_START), kind->bytes << 1 | kind->ordered);
    for (int arm = 0; arm < kind->contest.arms; arm++)
        hash = hash_algorithm(kind->form[arm], hash);
    return hash;
}

/* Of what was found of a kind, in its place among a rank's numbers; 0: nothing. */
static uint64_t verdict_of(const struct topo_kind *kind, int *place)
{
    uint64_t saved;
    const int arm = topo_contest_verdict(&kind->contest, &saved);
    *place = 2 + 2 * (((int)kind->named->operation + kind->size_class) % TOPO_VERDICTS);
    return arm < 0 ? 0 : topo_hash_add(hash_of(kind), (uint64_t)arm) | 1;
}

/* What a call of ours saves, all ranks together in ns, as measured at these bytes or else at others of their class; -1:
 * nobody knows. */
static double saved_by(const struct group *group, const struct topo_size *size)
{
    double saves = -1;
    for (int i = 0; group && i < group->count; i++) {
        const struct topo_kind *kind = &group->kind[i];
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
static bool is_in_vain(const struct topo_comm *state, const struct group *group)
{
    enum { OPENINGS = 32, REFUSALS = 4 };
    const struct topo_coll_state *own = topo_coll_of(state);
    const size_t before = state->calls + own->spared;
    size_t waited = 0;
    bool unknown = false;
    double saved = 0;
    if (!group || before == 0 || state->refusals >= REFUSALS)
        return false;
    const size_t rest = group->calls > before ? group->calls - before : before;
    for (const struct topo_size *size = own->size; size < own->size + TOPO_SIZES; size++)
        if (size->named && size->waited) {
            const double saves = saved_by(group, size);
            waited += size->waited;
            unknown |= saves < 0;
            saved += saves > 0 ? saves * (double)size->waited : 0;
        }
    const bool finds_out = group->openings < OPENINGS || !topo_job.options.value[TOPO_OPTION_GUARD].flag;
    if (!waited || (unknown && finds_out && rest >= topo_comm_calls_to_pay(state)))
        return false;
    saved *= 1 + (double)state->early / (double)waited; /* those that nobody looked at are taken for such calls */
    return saved / state->ranks * (double)rest / (double)before <= (double)group->opening;
}

bool topo_history_objects(const struct topo_comm *state)
{
    pthread_mutex_lock(&lock);
    const bool answer = is_in_vain(state, find(state->comm_group));
    pthread_mutex_unlock(&lock);
    return answer;
}

void topo_history_bring(const struct topo_comm *state, struct topo_guards *guards, uint64_t *numbers)
{
    int place;
    memset(numbers, 0, TOPO_HISTORY_NUMBERS * sizeof *numbers);
    pthread_mutex_lock(&lock);
    const struct group *group = guards ? find(state->comm_group) : NULL;
    if (group && (guards->past = topo_alloc((size_t)group->count, sizeof *group->kind)))
        memcpy(guards->past, group->kind, (size_t)(guards->pasts = group->count) * sizeof *group->kind);
    pthread_mutex_unlock(&lock);
    numbers[0] = TOPO_HASH_START;
    for (int i = 0; guards && i < guards->pasts; i++) {
        const struct topo_kind *kind = &guards->past[i];
        const uint64_t verdict = verdict_of(kind, &place);
        numbers[0] = topo_contest_hash(&kind->contest, topo_hash_add(numbers[0], hash_of(kind)));
        numbers[place] ^= verdict;
    }
    for (int i = 0; i < TOPO_HISTORY_NUMBERS; i += 2)
        numbers[i + 1] = ~numbers[i];
}

void topo_history_agreed(struct topo_guards *guards, const uint64_t *least)
{
    enum { BELIEVED = 256 }; /* calls for which it runs before it is looked at */
    const int pasts = guards->pasts;
    guards->pasts = 0;
    for (int i = 0, place; i < pasts; i++) {
        struct topo_kind *kind = &guards->past[i];
        struct topo_contest *contest = &kind->contest;
        const bool found = verdict_of(kind, &place) != 0;
        if (least[0] == ~least[1])
            topo_contest_continue(contest);
        else if (found && least[place] == ~least[place + 1])
            topo_contest_begin(contest, contest->arms, contest->champion, contest->apart, BELIEVED);
        else
            continue;
        guards->past[guards->pasts++] = *kind;
    }
}

/* Replaces what was measured of such calls. */
static void keep(struct group *group, const struct topo_kind *kind)
{
    struct topo_kind *there = group->kind, *end = group->kind + group->count;
    while (there < end && !(topo_algorithm_equal(there->named, kind->named) && there->ordered == kind->ordered &&
                            there->bytes == kind->bytes))
        there++;
    if (there == end) {
        if (group->count == TOPO_KINDS)
            return;
        group->count++;
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
    struct group *group = use(state->comm_group);
    if (group) {
        keep(group, kind);
        if (topo_contest_verdict(&kind->contest, &saved) >= 0)
            group->openings = 0;
    }
    pthread_mutex_unlock(&lock);
}

void topo_history_opened(const struct topo_comm *state, uint64_t took)
{
    pthread_mutex_lock(&lock);
    struct group *group = use_like(state->comm_group);
    if (group) {
        group->openings++;
        if (!group->opening || took < group->opening)
            group->opening = took ? took : 1;
        else
            group->opening += (took - group->opening) / SLOWLY;
    }
    pthread_mutex_unlock(&lock);
}

void topo_history_end(const struct topo_comm *state)
{
    const struct topo_guards *guards = topo_coll_of(state)->guards;
    const size_t calls = state->calls + topo_coll_of(state)->spared;
    pthread_mutex_lock(&lock);
    struct group *group = guards && guards->count ? use(state->comm_group) : NULL;
    for (int i = 0; group && i < guards->count; i++)
        if (is_worth_keeping(&guards->kind[i]))
            keep(group, &guards->kind[i]);
    if (calls >= topo_comm_calls_to_pay(state) && (group = use_like(state->comm_group)))
        group->calls = group->calls ? group->calls - group->calls / SLOWLY + calls / SLOWLY : calls;
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
}
