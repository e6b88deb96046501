/* What all communicators of a process share, used by several threads at once: members, plans, tags, scratch memory,
 * counts of the report. Each thread has communicators of its own, so whatever it sees of the others is the library's.
 * Built with -fsanitize=thread (tests/sanitize thread) it shows data races in them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/base/scratch.h"
#include "job/channel.h"
#include "comm/comm_group.h"
#include "comm/renumbering.h"
#include "machine/synthetic.h"
#include "mpi/harness.h"
#include "observe/stats.h"

enum {
    THREADS = 4,
    STEPS = 150,
    HELD = 4,
    COMMS = 12,        /* of different members: more than are kept (comm/comm_group.c) */
    TREES = 24,        /* more than are kept without users (comm/renumbering.c) */
    OWNED = 1 << 16,   /* channels */
    LONGEST = 40000,   /* bytes */
    COUNTED = 1 << 20, /* bytes of the calls that are counted */
};

static int rank, ranks;
static MPI_Comm comms[COMMS];
static int world_ranks[COMMS][64];
static struct topo_tree *trees[TREES];
static int *expected[TREES];                                                  /* pi */
static const struct topo_channel alone = {.comm = MPI_COMM_NULL, .ranks = 1}; /* nothing is sent */
static _Atomic unsigned char owner[OWNED]; /* thread + 1; relaxed, so that it orders nothing for the library */

struct thread {
    pthread_t id;
    int number;
    uint32_t random;
    MPI_Comm together; /* a duplicate of MPI_COMM_WORLD */
    int wrong_members, wrong_plans, wrong_channels, wrong_scratch;
};

/* Equal on all ranks in threads of one number. */
static int any(struct thread *thread, int below)
{
    thread->random = thread->random * 1664525 + 1013904223;
    return (int)((thread->random >> 8) % (uint32_t)below);
}

/* -- members ---------------------------------------------------------------- */

static bool members_are_right(const struct topo_comm_group *members, int which)
{
    bool good = members && members->ranks == ranks && members->tree->ranks == ranks;
    for (int i = 0; i < ranks && good; i++)
        good = topo_comm_group_world(members, i) == world_ranks[which][i];
    return good;
}

static void use_members(struct thread *thread)
{
    struct topo_comm_group *held[HELD];
    int which[HELD];
    for (int i = 0; i < HELD; i++) {
        which[i] = any(thread, COMMS);
        if (topo_comm_group_of(comms[which[i]], ranks, &held[i]) != MPI_SUCCESS)
            held[i] = NULL;
    }
    for (int i = 0; i < HELD; i++) {
        thread->wrong_members += !members_are_right(held[i], which[i]);
        topo_comm_group_release(held[i]);
    }
}

/* The ranks of MPI_COMM_WORLD, renumbered in one of many ways. */
static void make_comms(void)
{
    MPI_Group world, group;
    int own[64];
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < ranks; i++)
        own[i] = i;
    for (int i = 0; i < COMMS; i++) {
        int shifted = (rank + i) % ranks;
        MPI_Comm_split(MPI_COMM_WORLD, 0, i / ranks % 2 ? shifted ^ 1 : shifted, &comms[i]);
        MPI_Comm_group(comms[i], &group);
        MPI_Group_translate_ranks(group, ranks, own, world, world_ranks[i]);
        MPI_Group_free(&group);
    }
    MPI_Group_free(&world);
}

/* -- plans ------------------------------------------------------------------ */

static bool plan_is_right(const struct topo_renumbering *plan, int which)
{
    for (int i = 0; i < trees[which]->ranks; i++) {
        int number = topo_renumbering_number(plan, i);
        if (number != expected[which][i] || topo_renumbering_rank_at(plan, number) != i)
            return false;
    }
    return true;
}

static void use_plans(struct thread *thread)
{
    struct topo_renumbering *held[HELD];
    int which[HELD];
    for (int i = 0; i < HELD; i++) {
        which[i] = any(thread, TREES);
        if (topo_renumbering_get(&alone, trees[which[i]], TOPO_GRAPH_BRUCK, TOPO_RENUMBERING_WHOLE, &held[i]) !=
            TOPO_OK)
            held[i] = NULL;
    }
    for (int i = 0; i < HELD; i++) {
        thread->wrong_plans += !held[i] || !plan_is_right(held[i], which[i]);
        topo_renumbering_release(held[i]);
    }
}

static bool make_trees(void)
{
    bool good = true;
    for (int i = 0; i < TREES && good; i++) {
        struct topo_renumbering *plan = NULL;
        char text[64];
        snprintf(text, sizeof text, "node:%d core:%d%s", 2 + i / 4, 2 + i / 2 % 2, i % 2 ? " by:node" : "");
        good = topo_synthetic_tree(text, 0, &trees[i], NULL) == TOPO_OK &&
               topo_renumbering_get(&alone, trees[i], TOPO_GRAPH_BRUCK, TOPO_RENUMBERING_WHOLE, &plan) == TOPO_OK;
        if (!good)
            break;
        expected[i] = malloc((size_t)trees[i]->ranks * sizeof *expected[i]);
        for (int k = 0; k < trees[i]->ranks; k++)
            expected[i][k] = topo_renumbering_number(plan, k);
        topo_renumbering_release(plan);
    }
    return good;
}

/* -- tags ------------------------------------------------------------------- */

/* Marks the tags of a channel as `now`'s, which were `before`'s and nobody else's. */
static bool mark(const struct topo_channel *channel, int before, int now)
{
    const int place = channel->tag / TOPO_TAGS;
    return place > 0 && place < OWNED &&
           atomic_exchange_explicit(&owner[place], (unsigned char)now, memory_order_relaxed) == before;
}

static void use_channels(struct thread *thread)
{
    struct topo_channel held[HELD];
    int mine = thread->number + 1;
    for (int i = 0; i < HELD; i++) {
        held[i] = (struct topo_channel){.comm = MPI_COMM_NULL};
        uint64_t least[TOPO_CHANNEL_LEASTS] = {0};
        enum topo_opening opening = topo_channel_open(&held[i], thread->together, NULL, false, least);
        thread->wrong_channels += opening != TOPO_OPENED || !mark(&held[i], 0, mine);
    }
    for (int i = 0; i < HELD; i++) {
        if (held[i].comm != MPI_COMM_NULL)
            thread->wrong_channels += !mark(&held[i], mine, 0);
        topo_channel_close(&held[i]);
    }
}

/* -- scratch memory --------------------------------------------------------- */

static void use_scratch(struct thread *thread)
{
    unsigned char *held[HELD];
    size_t bytes[HELD];
    for (int i = 0; i < HELD; i++) {
        bytes[i] = 1 + (size_t)any(thread, LONGEST);
        held[i] = topo_scratch_take(bytes[i]);
        if (held[i])
            memset(held[i], thread->number * HELD + i, bytes[i]);
    }
    for (int i = 0; i < HELD; i++) {
        for (size_t k = 0; held[i] && k < bytes[i]; k++)
            thread->wrong_scratch += held[i][k] != thread->number * HELD + i;
        thread->wrong_scratch += !held[i];
        topo_scratch_give(held[i]);
    }
}

/* -- counts of the report --------------------------------------------------- */

/* What rank 0 would print of calls of COUNTED bytes. */
static long calls_in_report(void)
{
    char line[256];
    long calls = -1;
    FILE *report = tmpfile();
    int saved = dup(STDERR_FILENO);
    if (!report || saved < 0 || dup2(fileno(report), STDERR_FILENO) < 0)
        return -1;
    topo_stats_print();
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(report);
    while (fgets(line, sizeof line, report))
        sscanf(line, "topompi: barrier 1M %ld", &calls);
    fclose(report);
    return calls;
}

/* -- all of it -------------------------------------------------------------- */

static void *run(void *argument)
{
    struct thread *thread = argument;
    struct topo_stats_comm counted = {.named = 0};
    const struct topo_stats_call call = {.algorithm = topo_algorithm_native(TOPO_OPERATION_barrier),
                                         .bytes = COUNTED,
                                         .seconds = 1e-6,
                                         .modelled = -1,
                                         .native = -1};
    for (int step = 0; step < STEPS; step++) {
        topo_stats_add(MPI_COMM_WORLD, ranks, &counted, &call);
        switch (any(thread, 4)) {
        case 0: use_members(thread); break;
        case 1: use_plans(thread); break;
        case 2: use_channels(thread); break;
        default: use_scratch(thread);
        }
    }
    return NULL;
}

static void all_at_once(void)
{
    struct thread threads[THREADS] = {{0}}, sum = {0};
    for (int i = 0; i < THREADS; i++) {
        threads[i].number = i;
        threads[i].random = 77 + (uint32_t)i;
        MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].together);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i].id, NULL, run, &threads[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i].id, NULL);
        MPI_Comm_free(&threads[i].together);
        sum.wrong_members += threads[i].wrong_members;
        sum.wrong_plans += threads[i].wrong_plans;
        sum.wrong_channels += threads[i].wrong_channels;
        sum.wrong_scratch += threads[i].wrong_scratch;
    }
    harness_check(sum.wrong_members == 0, "members of threads: %d wrong", sum.wrong_members);
    harness_check(sum.wrong_plans == 0, "plans of threads: %d wrong", sum.wrong_plans);
    harness_check(sum.wrong_channels == 0, "tags of threads: %d wrong", sum.wrong_channels);
    harness_check(sum.wrong_scratch == 0, "scratch memory of threads: %d wrong", sum.wrong_scratch);
    long calls = calls_in_report();
    harness_check(rank > 0 || calls == THREADS * STEPS, "the report has %ld of %d calls", calls, THREADS * STEPS);
}

int main(int argc, char **argv)
{
    int level;
    /* MPI_Init gives MPI_THREAD_MULTIPLE, in Open MPI and MPICH. */
    setenv("OMPI_MPI_THREAD_LEVEL", "3", 1);
    setenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_MULTIPLE", 1);
    harness_option("TOPOMPI_STATS", "1");
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Query_thread(&level);
    harness_check(level == MPI_THREAD_MULTIPLE && ranks > 1 && ranks <= 64, "threads, 2 to 64 ranks");
    if (level == MPI_THREAD_MULTIPLE && ranks > 1 && ranks <= 64 && harness_use_machine(harness_machine(0))) {
        bool good = make_trees();
        make_comms();
        harness_check(good, "plans of %d trees", TREES);
        if (good)
            all_at_once();
        for (int i = 0; i < TREES; i++) {
            topo_tree_free(trees[i]);
            free(expected[i]);
        }
        for (int i = 0; i < COMMS; i++)
            MPI_Comm_free(&comms[i]);
    }
    return harness_finish();
}
