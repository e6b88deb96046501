#include "coll/call/learn.h"
#include "catalog/size_class.h"
#include "coll/call/state.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "job/channel_calls.h"
#include "job/collect.h"
#include "job/job.h"
#include "select/trial.h"

/* The trials of one communicator. */
struct topo_trials {
    struct topo_trials *next;
    struct topo_trial *trial;
    bool picked; /* the call under way runs what this trial said */
};

/* Rules learnt in communicators whose rank 0 this process is, as lines of the file. */
static struct topo_text learnt;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool topo_learn_wanted(void)
{
    return topo_job.active && topo_job.learn_path;
}

static struct topo_trials *find(const struct topo_comm *state, enum topo_operation operation, size_t bytes)
{
    int size_class = topo_size_class(bytes);
    struct topo_trials *at = topo_coll_of(state)->trials;
    while (at && !topo_trial_is(at->trial, operation, size_class))
        at = at->next;
    return at;
}

/* An entry that is not in the list yet. */
static struct topo_trials *begin(const struct topo_comm *state, enum topo_operation operation, size_t bytes)
{
    struct topo_trials *entry = topo_calloc(1, sizeof *entry);
    struct topo_trial *trial = topo_trial_new(operation, topo_size_class(bytes), state->ranks);
    if (!entry || !trial) {
        topo_free(entry);
        topo_trial_free(trial);
        return NULL;
    }
    entry->trial = trial;
    return entry;
}

/* The slowest rank's median is what a candidate costs. */
static void decide(struct topo_comm *state, struct topo_trial *trial)
{
    double slowest[TOPO_ALGORITHM_COUNT];
    uint64_t bits[TOPO_ALGORITHM_COUNT]; /* in the order of the times, none of which is below 0 */
    int count = topo_trial_candidates(trial);
    topo_trial_medians(trial, slowest);
    memcpy(bits, slowest, sizeof bits);
    if (topo_channel_allreduce(bits, count, TOPO_CHANNEL_MOST, &state->channel) == MPI_SUCCESS)
        memcpy(slowest, bits, sizeof bits);
    else
        memset(slowest, 0, sizeof slowest); /* all equal: native */
    topo_trial_decide(trial, slowest);
    if (state->rank != 0)
        return;
    struct topo_rule rule = topo_trial_rule(trial, &state->layout);
    pthread_mutex_lock(&lock);
    topo_trial_evidence(trial, slowest, &learnt);
    topo_rule_write(&rule, &learnt);
    pthread_mutex_unlock(&lock);
}

const struct topo_algorithm *topo_learn_pick(struct topo_comm *state, enum topo_operation operation, size_t bytes)
{
    if (!topo_learn_wanted() || topo_tuning_find(&topo_job.tuning, operation, &state->layout, bytes))
        return NULL;
    struct topo_trials *entry = find(state, operation, bytes);
    if (!entry) {
        /* Every rank begins the trial or none does; who learns does not mind to wait. */
        state->consent.may_wait = true;
        if (!topo_comm_prepare(state))
            return NULL;
        entry = begin(state, operation, bytes);
        if (!topo_channel_all(entry != NULL, &state->channel)) {
            topo_learn_forget(entry);
            return NULL;
        }
        entry->next = topo_coll_of(state)->trials;
        topo_coll_of(state)->trials = entry;
    }
    if (topo_trial_is_complete(entry->trial))
        decide(state, entry->trial);
    entry->picked = true;
    return topo_trial_next(entry->trial);
}

void topo_learn_record(struct topo_comm *state, enum topo_operation operation, size_t bytes, double seconds)
{
    struct topo_trials *entry = find(state, operation, bytes);
    if (!entry || !entry->picked)
        return;
    entry->picked = false;
    topo_trial_record(entry->trial, seconds);
}

void topo_learn_forget(struct topo_trials *trials)
{
    while (trials) {
        struct topo_trials *next = trials->next;
        topo_trial_free(trials->trial);
        topo_free(trials);
        trials = next;
    }
}

/* Rank 0: appends `text`; a new file starts with a word on what it is. */
static void append(const char *text)
{
    static const char head[] = "# TopoMPI tuning file, learnt from running jobs (TOPOMPI_TUNING=learn:PATH).\n"
                               "# The first rule that fits decides; 'topo-dump algorithms' lists the names.\n";
    struct topo_error error = {""};
    int fd = topo_open_file(topo_job.learn_path, O_WRONLY | O_APPEND | O_CREAT, &error);
    if (fd < 0) {
        topo_say("TOPOMPI_TUNING=learn:%s; what was learnt is lost", error.text);
        return;
    }
    int code = lseek(fd, 0, SEEK_END) == 0 ? topo_append_file(fd, head) : 0;
    if (!code)
        code = topo_append_file(fd, text);
    if (close(fd) != 0 && !code)
        code = errno;
    if (code)
        topo_say("TOPOMPI_TUNING=learn:%s: %s; some of what was learnt is lost", topo_job.learn_path, strerror(code));
}

static void finish(MPI_Comm world)
{
    (void)world;
    /* With the zero behind it, so that each rank has something. */
    char *own = topo_alloc(learnt.length + 1, 1), *all;
    size_t length;
    if (own)
        memcpy(own, learnt.text ? learnt.text : "", learnt.length + 1);
    topo_collect_all(own, learnt.length + 1, &all, &length, &topo_channel_job);
    size_t kept = 0;
    for (size_t i = 0; all && i < length; i++)
        if (all[i])
            all[kept++] = all[i];
    if (kept > 0) {
        all[kept] = '\0';
        append(all);
    }
    topo_free(all);
    topo_text_free(&learnt);
}

void topo_learn_finish(void)
{
    if (topo_learn_wanted())
        topo_comm_leavable(finish, MPI_COMM_WORLD);
}
