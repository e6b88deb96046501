#include "measure/measure.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "job/channel.h"
#include "job/job.h"
#include "measure/kept.h"
#include "measure/probes.h"

static struct {
    struct topo_measuring measuring;
    char *memory;          /* [TOPO_PROBE_MEMORY], from the first question to the last probe */
    struct topo_text path; /* rank 0: of the file that is to keep it; nothing: none */
    double begun;          /* rank 0: seconds that the process had run as `clock` began */
    double clock;
    double spent; /* rank 0: seconds of measuring and asking */
    int probes;
} own;

static atomic_bool claimed; /* by a communicator: threads may be in calls of several */
static atomic_bool over, found;

/* Seconds since this process began, to a hundredth; 0: not known. */
static double age(void)
{
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    unsigned long long start = 0;
    struct timespec now;
    if (file)
        fclose(file);
    text[length] = '\0';
    /* The 22nd field; the second is a name in parentheses that may hold anything. */
    const char *at = strrchr(text, ')');
    if (!at ||
        sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &start) !=
            1 ||
        clock_gettime(CLOCK_BOOTTIME, &now) != 0)
        return 0;
    double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - (double)start / (double)sysconf(_SC_CLK_TCK);
    return seconds > 0 ? seconds : 0;
}

/* What holds from now on where the bits of results do not depend on it. */
static void learn(const struct topo_params *params)
{
    topo_job.found = topo_job.tuning;
    topo_job.found.params = *params;
    topo_job.found.measured = true;
}

/* What was kept may be used, or this job measures. Equal on all ranks. */
static bool is_wanted(const struct topo_tree *tree)
{
    const struct topo_option_value *value = topo_job.options.value;
    /* Without the guard nothing of it would hold. */
    return value[TOPO_OPTION_ENABLED].flag && value[TOPO_OPTION_MEASURE].flag && value[TOPO_OPTION_GUARD].flag &&
           !topo_job.tuning.measured && !topo_job.learn_path && tree->units[topo_tree_node_level(tree)] > 1;
}

static struct {
    int there;
    struct topo_params params;
} kept;

_Static_assert(sizeof kept <= TOPO_NEWS_MOST, "they fit");

/* Rank 0. */
static void find_kept(void *bytes, const struct topo_tree *tree)
{
    (void)bytes;
    if (!is_wanted(tree))
        return;
    own.begun = age();
    own.clock = PMPI_Wtime();
    kept.params = topo_job.tuning.params;
    if (topo_kept_path(tree, &own.path))
        kept.there = topo_kept_read(own.path.text, &kept.params);
}

struct topo_news topo_measure_news(void)
{
    memset(&kept, 0, sizeof kept);
    return (struct topo_news){&kept, sizeof kept, find_kept};
}

void topo_measure_start(void)
{
    if (!topo_job.active || !is_wanted(topo_job.tree)) {
        topo_text_free(&own.path);
        return;
    }
    topo_job.kept = kept.there;
    topo_job.measures = !kept.there;
    own.measuring.found.sharing = topo_job.sharing;
    if (kept.there)
        learn(&kept.params);
    if (kept.there && topo_job.rank == 0 && topo_job.options.value[TOPO_OPTION_VERBOSE].flag)
        topo_say("level parameters as an earlier job measured them: %s", own.path.text);
}

void topo_measure_stop(void)
{
    topo_text_free(&own.path);
    topo_free(own.memory);
    memset(&own, 0, sizeof own);
    atomic_store(&claimed, false);
    atomic_store(&over, false);
    atomic_store(&found, false);
}

bool topo_measure_found(void)
{
    return atomic_load(&found);
}

void topo_measure_release(const struct topo_measure_count *count)
{
    if (count->owner && !atomic_load(&over))
        atomic_store(&claimed, false);
}

static double says(void)
{
    return topo_measuring_says(&own.measuring, topo_job.tree, own.begun + PMPI_Wtime() - own.clock, own.spent);
}

struct running {
    struct topo_probe probe;
    double start;
};

/* Rank 0 knows what the probe gave: what follows? */
static double next_word(const double *values, void *context)
{
    const struct running *running = context;
    topo_measuring_add(&own.measuring, topo_job.tree, &running->probe, values);
    own.spent += PMPI_Wtime() - running->start;
    return says();
}

static enum topo_measuring_word measure_one(void)
{
    struct running running;
    double values[TOPO_PROBE_VALUES], word = TOPO_MEASURING_ENDS;
    if (!topo_measuring_probe(&own.measuring, topo_job.tree, &running.probe))
        return TOPO_MEASURING_ENDS;
    running.start = PMPI_Wtime();
    topo_probe_run(&running.probe, topo_job.tree, topo_job.rank, own.memory, values);
    topo_probe_agree(values, topo_job.rank, topo_job.ranks, own.measuring.found.sharing.processors > 0, next_word,
                     &running, &word);
    if (topo_job.rank != 0)
        topo_measuring_add(&own.measuring, topo_job.tree, &running.probe, values);
    own.probes++;
    return (enum topo_measuring_word)word;
}

/* What was found becomes that of communicators to come, and of later jobs. */
static void finish(void)
{
    const bool verbose = topo_job.options.value[TOPO_OPTION_VERBOSE].flag,
               enough = topo_measuring_suffices(&own.measuring, topo_job.tree);
    double start = PMPI_Wtime();
    struct topo_params params = topo_job.tuning.params;
    topo_findings_params(&own.measuring.found, topo_job.tree, &params);
    learn(&params);
    topo_free(own.memory);
    own.memory = NULL;
    atomic_store(&found, enough);
    atomic_store(&over, true);
    if (topo_job.rank != 0)
        return;
    if (verbose)
        topo_say("measuring the machine is over: %d probes in %.1f ms%s", own.probes, own.spent * 1e3,
                 enough ? "" : ", not enough of them");
    if (enough && own.path.text)
        topo_kept_write(own.path.text, &topo_job.found.params, own.spent, own.probes);
    own.spent += PMPI_Wtime() - start;
}

/* Measuring is one communicator's. */
static bool claim(const struct topo_measure_count *count)
{
    bool none = false;
    return count->owner || atomic_compare_exchange_strong(&claimed, &none, true);
}

bool topo_measure_call(struct topo_measure_count *count, MPI_Comm comm)
{
    enum { WORD, REFUSED, UNAWARE, SHORTEST, COUNT };
    double mine[COUNT] = {0}, most[COUNT] = {0};
    if (!topo_measuring_asks(&count->pace))
        return false;
    bool got = claim(count);
    if (got && !own.memory && !atomic_load(&over))
        own.memory = topo_calloc(TOPO_PROBE_MEMORY, 1);
    double start = PMPI_Wtime();
    mine[WORD] = got && topo_job.rank == 0 && !atomic_load(&over) ? says() : 0;
    mine[REFUSED] = !got || !own.memory;
    mine[UNAWARE] = !atomic_load(&over);
    /* The rank that came last did not wait: its time is what asking costs. */
    mine[SHORTEST] = -count->took;
    if (PMPI_Allreduce(mine, most, COUNT, MPI_DOUBLE, MPI_MAX, comm) != MPI_SUCCESS)
        most[REFUSED] = most[UNAWARE] = 1;
    count->took = PMPI_Wtime() - start;
    if (most[REFUSED]) {
        if (got && !count->owner)
            atomic_store(&claimed, false);
        return !most[UNAWARE];
    }
    count->owner = true;
    own.spent -= most[SHORTEST];
    enum topo_measuring_word word = (enum topo_measuring_word)most[WORD];
    while (word == TOPO_MEASURING_MEASURES)
        word = measure_one();
    if (word == TOPO_MEASURING_ENDS)
        finish();
    return word == TOPO_MEASURING_ENDS;
}

void topo_measure_tell(struct topo_text *out)
{
    if (!topo_job.measures)
        return;
    topo_text_addf(out, "measuring the machine took %.3f ms for %d probes, %s", own.spent * 1e3, own.probes,
                   atomic_load(&found)  ? "and is through"
                   : atomic_load(&over) ? "which were not enough"
                                        : "and is not through");
}
