/* What the seed says of the whole job: ranks, mpirun's options and the library's settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/job.h"

enum kind { CHOICE, ALGORITHM, SIZE, FLAG, REPORT, TEXT };

static const struct {
    const char *name;
    enum kind kind;
    const char *operation;
} options[] = {
#define OPTION(id, name, kind, fallback, values, help) {name, kind, values},
#include "catalog/options.def"
#undef OPTION
};

static const struct {
    const char *operation, *name;
} algorithms[] = {
#define ALGORITHM(operation, name, ...) {#operation, #name},
#include "catalog/algorithms.def"
#undef ALGORITHM
};

static int ranks_of(struct fuzz_random *random)
{
    static const int often[] = {2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 5, 5, 6, 6, 7, 8, 8, 9};
    int kind = fuzz_below(random, 200);
    return kind == 0 ? 16 : kind <= 3 ? 12 : often[fuzz_below(random, sizeof often / sizeof *often)];
}

static void choose(uint64_t seed)
{
    struct fuzz_random random = fuzz_stream(seed, 1, 0, 0), of_cuts = fuzz_stream(seed, 4, 0, 0);
    struct fuzz_job *job = &fuzz_job;
    job->seed = seed;
    job->ranks = ranks_of(&random);
    job->many_communicators = fuzz_chance(&random, 10);
    if (job->many_communicators && job->ranks < 9)
        job->ranks = 4 + job->ranks / 2;
    job->level = fuzz_below(&random, 4);
    if (fuzz_chance(&random, 20))
        job->level = 3;
    job->threads = job->level == 3 && fuzz_chance(&random, 50) ? fuzz_between(&random, 2, FUZZ_WORKERS_MOST - 1) : 0;
    bool many = fuzz_chance(&random, 6);
    job->live_most = many ? 150 : fuzz_between(&random, 2, 20);
    job->steps = fuzz_between(&random, 20, job->threads ? 40 : 80);
    job->any_type = fuzz_chance(&random, 60);
    job->window = fuzz_chance(&random, 30);
    job->tcp = fuzz_chance(&random, 15);
    /* The component that needs the target's help knows no MPI_THREAD_MULTIPLE; sockets have no other one. */
    job->window_pt2pt = job->level < 3 && (fuzz_chance(&random, 60) || job->tcp);
    job->window = job->window && (job->window_pt2pt || !job->tcp) && !fuzz_without("window");
    job->leaves = fuzz_chance(&random, 20);
    job->cuts = fuzz_chance(&of_cuts, 25);
}

void fuzz_job_choose(uint64_t seed, uint64_t settings)
{
    struct fuzz_random random = fuzz_stream(seed, 3, 0, 0);
    struct fuzz_job *job = &fuzz_job;
    choose(seed);
    if (settings == seed)
        return;
    int live_most = job->live_most, steps = job->steps;
    bool leaves = job->leaves;
    choose(settings);
    job->seed = seed;
    job->live_most = live_most;
    job->steps = steps;
    job->leaves = leaves;
    job->window = fuzz_chance(&random, 30) && (job->window_pt2pt || !job->tcp) && !fuzz_without("window");
    job->threads = job->level == 3 && fuzz_chance(&random, 50) ? fuzz_between(&random, 2, FUZZ_WORKERS_MOST - 1) : 0;
    if (job->threads && job->steps > 40)
        job->steps -= 40;
}

static void set(const char *name, const char *value)
{
    printf("-x\n%s=%s\n", name, value);
}

static void mca(const char *name, const char *value)
{
    printf("--mca\n%s\n%s\n", name, value);
}

static void append(char *text, size_t size, const char *more)
{
    strncat(text, more, size - strlen(text) - 1);
}

/* "synthetic:switch:2 node:2,1 core:3,1,2 by:node" and the like; the slots are as many as the ranks. */
static void print_machine(struct fuzz_random *random, int ranks)
{
    char text[400] = "synthetic:", word[64];
    int nodes = fuzz_between(random, 1, ranks < 6 ? ranks : 6), slots[6] = {0};
    bool switches = nodes > 1 && fuzz_chance(random, 35), even = ranks % nodes == 0 && fuzz_chance(random, 50);
    if (fuzz_chance(random, 15))
        return; /* one node, as it is */
    for (int i = 0; i < ranks; i++)
        slots[i < nodes || even ? i % nodes : fuzz_below(random, nodes)]++;
    int left = fuzz_between(random, 1, nodes - 1);
    snprintf(word, sizeof word, switches ? "switch:2 node:%d,%d core:" : "node:%d core:", switches ? left : nodes,
             nodes - left);
    append(text, sizeof text, word);
    for (int i = 0; i < nodes; i++) {
        snprintf(word, sizeof word, "%s%d", i ? "," : "", slots[i]);
        append(text, sizeof text, word);
    }
    if (fuzz_chance(random, 35))
        append(text, sizeof text, " by:node");
    set("TOPOMPI_MACHINE", text);
}

static void print_algorithm(struct fuzz_random *random, const char *name, const char *operation)
{
    const char *rows[32];
    int count = 0;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms && count < 32; i++)
        if (strcmp(algorithms[i].operation, operation) == 0)
            rows[count++] = algorithms[i].name;
    set(name, rows[fuzz_below(random, count)]);
}

static void print_library(struct fuzz_random *random)
{
    static const char *const shared[] = {"0", "64K", "400K", "4M"}, *const packets[] = {"0", "1K", "64K", "256K"};
    static const char *const barriers[] = {"auto", "none", "send", "sendrecv", "uneven"};
    int named = fuzz_chance(random, fuzz_job.many_communicators ? 70 : 25) ? 0 : fuzz_chance(random, 50) ? 50 : 95;
    print_machine(random, fuzz_job.ranks);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].kind == ALGORITHM && fuzz_chance(random, named))
            print_algorithm(random, options[i].name, options[i].operation);
    if (fuzz_job.many_communicators || fuzz_chance(random, 40))
        set("TOPOMPI_SHARED", shared[fuzz_job.many_communicators ? fuzz_between(random, 1, 2) : fuzz_below(random, 4)]);
    if (fuzz_chance(random, 25))
        set("TOPOMPI_PREPARE", "create");
    if (fuzz_chance(random, 30))
        set("TOPOMPI_ALLTOALLV_SYNC", barriers[fuzz_below(random, 5)]);
    if (fuzz_chance(random, 30))
        set("TOPOMPI_PACKET", packets[fuzz_below(random, 4)]);
    if (fuzz_chance(random, 20))
        set("TOPOMPI_STATS", "1");
    if (fuzz_job.cuts)
        set("TOPOMPI_USER_OPS", "cut");
    set("TOPOMPI_CACHE", fuzz_chance(random, 30) ? "off" : "links"); /* known links: tests/fuzz/fuzz says where */
}

void fuzz_job_print_settings(void)
{
    struct fuzz_random random = fuzz_stream(fuzz_job.seed, 2, 0, 0);
    printf("-np\n%d\n", fuzz_job.ranks);
    mca("btl", fuzz_job.tcp ? "self,tcp" : "self,vader");
    if (fuzz_job.tcp)
        mca("btl_tcp_if_include", "lo");
    if (fuzz_job.window_pt2pt && !fuzz_without("window"))
        mca("osc", "pt2pt");
    mca("coll_tuned_use_dynamic_rules", "1");
    mca("coll_tuned_gather_algorithm", "1"); /* the binomial one is wrong for some derived types, the linear one right */
    if (fuzz_job.any_type) {
        /* Pairwise all-to-all and all-reduce by recursive doubling are right for every type. */
        mca("coll_tuned_alltoall_algorithm", "2");
        mca("coll_tuned_allreduce_algorithm", "3");
    }
    print_library(&random);
}
