#include "unit.h"

#include <math.h>
#include <string.h>

#include "machines.h"
#include "select/measuring.h"

/* ---- pairs ---------------------------------------------------------------------------------------------------------
 */

/* Partners have each other, share exactly so many levels, and are as many as is told. */
START_TEST(pairs)
{
    struct topo_tree *tree = machine_of(written_machines[_i]);
    for (int shared = 0; shared <= tree->levels; shared++) {
        struct topo_pairing pairing = topo_pairing_of(tree, shared);
        int paired = 0, possible = 0, *of_unit = calloc((size_t)tree->ranks, sizeof *of_unit), most = 0;
        for (int rank = 0; rank < tree->ranks; rank++) {
            int other = topo_pairing_partner(tree, shared, rank);
            for (int r = 0; r < tree->ranks; r++)
                possible += r != rank && topo_tree_shared_levels(tree, rank, r) == shared;
            if (other < 0)
                continue;
            paired++;
            ck_assert_int_eq(topo_pairing_partner(tree, shared, other), rank);
            ck_assert_int_eq(topo_tree_shared_levels(tree, rank, other), shared);
            int unit = shared < tree->levels ? topo_tree_unit(tree, shared, rank) : rank;
            most = ++of_unit[unit] > most ? of_unit[unit] : most;
        }
        ck_assert_int_eq(paired, 2 * pairing.pairs);
        ck_assert_int_eq(pairing.pairs > 0, possible > 0);
        ck_assert_int_eq(pairing.of_unit, most);
        ck_assert_int_ge(pairing.of_parent, pairing.of_unit);
        ck_assert_int_le(pairing.of_parent, pairing.pairs);
        ck_assert(pairing.pairs == 0 ? pairing.first == -1
                                     : topo_pairing_partner(tree, shared, pairing.first) == pairing.second);
        free(of_unit);
    }
    topo_tree_free(tree);
}
END_TEST

/* ---- a job that measures -------------------------------------------------------------------------------------------
 */

/* What a machine is like, and how a program runs on it. */
struct job {
    const char *machine;
    double alpha, beta; /* between nodes, its link */
    int cores;          /* for all ranks; 0: as many as ranks */
    double call;        /* seconds between two calls */
    double start;       /* that the job had run when MPI was there */
    double longer;      /* probes take so many times their limit */
    double saved;       /* two ranks alone see a link so many times as fast: it had saved up; 0: as it is */
};

struct outcome {
    double elapsed, spent;
    int probes, questions;
    bool ended;
    struct topo_measuring measuring;
};

static double takes(const struct job *job, const struct topo_tree *tree, const struct topo_probe *probe, double shared)
{
    bool outside = probe->shared <= topo_tree_node_level(tree);
    double alpha = outside ? job->alpha : 3e-7, beta = outside ? job->beta : 1e-10;
    if (outside && probe->kind == TOPO_PROBE_PING && job->saved > 0)
        beta /= job->saved;
    double bytes = (double)probe->bytes * probe->messages;
    double crowd = job->cores ? 2e-6 * probe->messages * tree->ranks / job->cores : 0;
    return alpha + (probe->kind == TOPO_PROBE_CROWD ? crowd + bytes * beta * shared : bytes * beta);
}

static void answer(const struct job *job, const struct topo_tree *tree, const struct topo_probe *probe,
                   double values[TOPO_PROBE_VALUES])
{
    struct topo_pairing pairing = topo_pairing_of(tree, probe->shared);
    memset(values, 0, TOPO_PROBE_VALUES * sizeof *values);
    switch (probe->kind) {
    case TOPO_PROBE_PING: values[0] = takes(job, tree, probe, 1); break;
    case TOPO_PROBE_CROWD:
        for (int i = 0; i < TOPO_PROBE_BATCHES; i++)
            values[i] = takes(job, tree, probe, pairing.of_unit) * (i == 2 ? 40 : 1); /* one is interrupted */
        break;
    default: values[0] = 1e-10, values[1] = 2e-10, values[2] = 3e-7;
    }
}

/* Seconds: as in measure/probes.c all pairs end soon after twice the limit. */
static double cost_of(const struct job *job, const struct topo_tree *tree, const struct topo_probe *probe)
{
    double cost = probe->limit * job->longer;
    if (probe->kind == TOPO_PROBE_CROWD && job->saved > 0) {
        double one = takes(job, tree, probe, topo_pairing_of(tree, probe->shared).of_unit);
        cost = (1 + TOPO_PROBE_BATCHES * probe->times) * one;
        cost = cost > 2 * probe->limit + one ? 2 * probe->limit + one : cost;
    }
    return cost;
}

static struct outcome play(const struct job *job, double most)
{
    struct topo_tree *tree = machine_of(job->machine);
    struct outcome out = {.elapsed = job->start};
    struct topo_measuring here = {.found.sharing = {job->cores, false}}, there = here; /* rank 0, and another */
    struct topo_measuring_pace pace = {0};
    while (out.elapsed < most && !out.ended) {
        out.elapsed += job->call;
        if (!topo_measuring_asks(&pace))
            continue;
        out.questions++;
        enum topo_measuring_word word = topo_measuring_says(&here, tree, out.elapsed, out.spent);
        while (word == TOPO_MEASURING_MEASURES) {
            struct topo_probe probe, same;
            double values[TOPO_PROBE_VALUES], cost;
            ck_assert(topo_measuring_probe(&here, tree, &probe) && topo_measuring_probe(&there, tree, &same));
            ck_assert(probe.kind == same.kind && probe.shared == same.shared && probe.bytes == same.bytes &&
                      probe.messages == same.messages && probe.times == same.times);
            ck_assert(probe.messages <= TOPO_PROBE_MESSAGES && probe.bytes <= TOPO_CROWD_LONG);
            answer(job, tree, &probe, values);
            topo_measuring_add(&here, tree, &probe, values);
            topo_measuring_add(&there, tree, &same, values);
            cost = cost_of(job, tree, &probe);
            out.elapsed += cost;
            out.spent += cost;
            out.probes++;
            ck_assert(out.elapsed >= TOPO_MEASURING_LEAST);
            if (job->longer <= 1 && !job->saved) {
                ck_assert_msg(out.spent <= TOPO_MEASURING_MOST, "%s: %g s in all", job->machine, out.spent);
                ck_assert_msg(out.spent <= TOPO_MEASURING_SHARE * out.elapsed, "%s: %g s of %g", job->machine,
                              out.spent, out.elapsed);
            }
            word = topo_measuring_says(&here, tree, out.elapsed, out.spent);
        }
        out.ended = word == TOPO_MEASURING_ENDS;
    }
    out.measuring = here;
    topo_tree_free(tree);
    return out;
}

static const struct job jobs[] = {
    {"node:4 core:2", 3e-5, 1.6e-7, 2, 1e-3, 0.3, 1, 0},
    {"node:4 core:2", 3e-5, 4e-8, 2, 1e-3, 0.3, 1, 0},
    {"node:4 core:4", 3e-5, 8e-9, 2, 2e-4, 0.3, 1, 0},
    {"node:4 core:4", 3e-5, 8e-9, 0, 2e-4, 0.3, 0.7, 0},
    {"node:16 core:1", 3e-5, 8e-9, 0, 1, 5, 1, 0},
    {"node:4 core:7,5,3,1", 3e-5, 8e-9, 2, 1e-5, 0.1, 1, 0},
    {"node:64 package:2 core:64", 2e-6, 8e-11, 0, 1e-4, 2, 1, 0},
    {"switch:2 node:4 core:8", 5e-6, 1e-9, 0, 1e-4, 1, 1, 0},
    {"node:3 core:5", 3e-5, 1.6e-7, 2, 1e-3, 0.3, 1, 4},
    {"node:3 core:5", 3e-5, 1.6e-6, 0, 1e-3, 0.3, 1, 10},
    {"node:6 core:2", 2e-4, 1.6e-9, 2, 1e-3, 0.3, 1, INFINITY},
};

/* Whatever the machine and the calls: it comes to an end, within its share of time, and knows the link. */
START_TEST(budget)
{
    const struct job *job = &jobs[_i];
    struct outcome out = play(job, 3600);
    struct topo_tree *tree = machine_of(job->machine);
    struct topo_params params;
    ck_assert_msg(out.ended && out.elapsed < (job->call < 0.5 ? 15 : 60), "%s: %g s", job->machine, out.elapsed);
    ck_assert_msg(out.spent <= TOPO_MEASURING_MOST, "%s: %g s in all", job->machine, out.spent);
    ck_assert(topo_measuring_suffices(&out.measuring, tree));
    topo_params_default(&params);
    topo_findings_params(&out.measuring.found, tree, &params);
    double beta = params.link[TOPO_LEVEL_NODE].beta;
    ck_assert_msg(fabs(beta / job->beta - 1) < 0.1, "%s: %g s a byte, not %g", job->machine, beta, job->beta);
    ck_assert_int_eq(params.cores, job->cores);
    ck_assert_int_lt(out.questions, 40);
    topo_tree_free(tree);
}
END_TEST

/* Probes that take longer than was thought are paid for by waiting; a machine that is too slow for it is left alone. */
START_TEST(slower_than_thought)
{
    struct job job = jobs[2];
    job.longer = 3;
    struct outcome out = play(&job, 3600);
    ck_assert(out.ended && out.spent <= 2 * TOPO_MEASURING_MOST);
    job.longer = 60;
    out = play(&job, 3600);
    ck_assert(out.ended && out.probes <= 2);
}
END_TEST

/* A job that is over soon measures nothing. */
START_TEST(short_job)
{
    struct job job = jobs[2];
    struct outcome out = play(&job, 1.9);
    ck_assert(!out.ended && out.probes == 0);
    job.start = 0;
    out = play(&job, 0.01);
    ck_assert_int_eq(out.probes, 0);
}
END_TEST

START_TEST(questions)
{
    struct topo_measuring_pace pace = {0};
    int asked = 0;
    for (int call = 1; call <= 1000000; call++) {
        asked += topo_measuring_asks(&pace);
        ck_assert_int_eq(asked > 0, call >= 8);
    }
    ck_assert_int_lt(asked, 32);
}
END_TEST

UNIT_MAIN("measuring", {pairs, WRITTEN_MACHINES}, {budget, sizeof jobs / sizeof *jobs}, {slower_than_thought},
          {short_job}, {questions})
