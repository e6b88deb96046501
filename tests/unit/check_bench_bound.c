#include "unit.h"

#include "topo-bench/bound.h"
#include "topo-bench/irregular.h"
#include "topo-bench/pattern.h"

#include "base/memory.h"
#include "machine/synthetic.h"

#include <string.h>

enum { RANKS = 16 };
static const int world[RANKS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static struct topo_tree *tree;
static struct bench_traffic *traffic;

#define EQUAL(bytes) (&(struct bench_lengths){.equal = (bytes)})

/* A machine of 16 ranks with no traffic. */
static void machine(const char *text)
{
    ck_assert(topo_synthetic_tree(text, RANKS, &tree, NULL) == TOPO_OK);
    ck_assert(bench_traffic_new(tree, &traffic, NULL) == TOPO_OK);
}

static void machine_end(void)
{
    bench_traffic_free(traffic);
    topo_tree_free(tree);
}

START_TEST(allgather_on_even_nodes)
{
    /* docs/REFERENCES.md, Bounds 1: (N - 1) p m through every node's link; at 1 Gbit/s and 256 KiB 25,166 us. */
    double rate[TOPO_LEVELS_MAX] = {125e6};
    int level;
    machine("node:4 core:4");
    bench_traffic_allgather(traffic, world, RANKS, EQUAL(262144));
    for (int node = 0; node < 4; node++) {
        ck_assert_double_eq_tol(bench_traffic_in(traffic, 0, node), 12 * 262144.0, 1e-6);
        ck_assert_double_eq_tol(bench_traffic_out(traffic, 0, node), 4 * 262144.0, 1e-6);
    }
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, &level), 25.165824e-3, 1e-9);
    ck_assert_int_eq(level, 0);
    machine_end();
}
END_TEST

START_TEST(placement_does_not_change_the_bound)
{
    double rate[TOPO_LEVELS_MAX] = {125e6};
    machine("node:4 core:4 by:node");
    bench_traffic_allgather(traffic, world, RANKS, EQUAL(1000));
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, NULL), 12 * 1000 / 125e6, 1e-12);
    machine_end();
}
END_TEST

START_TEST(allgather_on_uneven_nodes)
{
    /* The node with one rank must take 15 blocks; the one with seven gives 7. */
    static const int sizes[] = {7, 5, 3, 1};
    double rate[TOPO_LEVELS_MAX] = {125e6};
    machine("node:4 core:7,5,3,1");
    bench_traffic_allgather(traffic, world, RANKS, EQUAL(10));
    for (int node = 0; node < 4; node++) {
        ck_assert_double_eq(bench_traffic_in(traffic, 0, node), (16 - sizes[node]) * 10.0);
        ck_assert_double_eq(bench_traffic_out(traffic, 0, node), sizes[node] * 10.0);
    }
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, NULL), 150 / 125e6, 1e-15);
    machine_end();
}
END_TEST

START_TEST(the_slowest_level_decides)
{
    double rate[TOPO_LEVELS_MAX] = {12.5e6, 125e6};
    int level;
    machine("switch:2 node:2 core:4");
    bench_traffic_allgather(traffic, world, RANKS, EQUAL(1000));
    ck_assert_double_eq(bench_traffic_in(traffic, 0, 0), 8000);
    ck_assert_double_eq(bench_traffic_in(traffic, 1, 0), 12000);
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, &level), 8000 / 12.5e6, 1e-12);
    ck_assert_int_eq(level, 0);
    rate[0] = 125e6;
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, &level), 12000 / 125e6, 1e-12);
    ck_assert_int_eq(level, 1);
    rate[0] = rate[1] = 0;
    ck_assert_double_eq(bench_traffic_seconds(traffic, rate, &level), 0);
    ck_assert_int_eq(level, -1);
    machine_end();
}
END_TEST

START_TEST(one_node_has_no_bound)
{
    double rate[TOPO_LEVELS_MAX] = {125e6, 125e6};
    machine("node:1 core:16");
    bench_traffic_allgather(traffic, world, RANKS, EQUAL(1000));
    bench_traffic_allreduce(traffic, world, RANKS, EQUAL(1000));
    ck_assert_double_eq(bench_traffic_in(traffic, 0, 0), 0);
    rate[1] = 0;
    ck_assert_double_eq(bench_traffic_seconds(traffic, rate, NULL), 0);
    machine_end();
}
END_TEST

START_TEST(allreduce)
{
    /* docs/REFERENCES.md, Bounds 2: 2 m (1 - 1/N); 1 MiB on 4 nodes at 1 Gbit/s 12,583 us, however many
     * ranks a node has. */
    double rate[TOPO_LEVELS_MAX] = {125e6};
    machine("node:4 core:4");
    bench_traffic_allreduce(traffic, world, RANKS, EQUAL(1048576));
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, NULL), 12.582912e-3, 1e-9);
    machine_end();
    machine("node:4 core:7,5,3,1");
    bench_traffic_allreduce(traffic, world, RANKS, EQUAL(1048576));
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, NULL), 12.582912e-3, 1e-9);
    machine_end();
    machine("node:2 core:8");
    bench_traffic_allreduce(traffic, world, RANKS, EQUAL(1000));
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, NULL), 1000 / 125e6, 1e-12);
    machine_end();
}
END_TEST

static double ten_to_the_next(int from, int to, const void *context)
{
    return to == (from + 1) % RANKS ? 10 * *(const double *)context : 0;
}

static double all_alike(int from, int to, const void *context)
{
    (void)from, (void)to;
    return *(const double *)context;
}

/* Once out of the root's node and into each other one, or the opposite. */
START_TEST(one_rank_and_all)
{
    machine("switch:2 node:2 core:4");
    bench_traffic_bcast(traffic, world, RANKS, EQUAL(1000));
    for (int node = 0; node < 4; node++) {
        ck_assert_double_eq(bench_traffic_out(traffic, 1, node), node ? 0 : 1000);
        ck_assert_double_eq(bench_traffic_in(traffic, 1, node), node ? 1000 : 0);
    }
    ck_assert_double_eq(bench_traffic_in(traffic, 0, 1), 1000);
    bench_traffic_reduce(traffic, world, RANKS, EQUAL(10));
    for (int node = 0; node < 4; node++) {
        ck_assert_double_eq(bench_traffic_out(traffic, 1, node), node ? 10 : 1000);
        ck_assert_double_eq(bench_traffic_in(traffic, 1, node), node ? 1000 : 10);
    }
    machine_end();
}
END_TEST

/* Out of a node the sums for all others; what comes in is evened out. */
START_TEST(reduce_scatter)
{
    double rate[TOPO_LEVELS_MAX] = {125e6};
    machine("node:4 core:7,5,3,1");
    bench_traffic_reduce_scatter(traffic, world, RANKS, EQUAL(1000));
    ck_assert_double_eq(bench_traffic_out(traffic, 0, 0), 9000);
    ck_assert_double_eq(bench_traffic_out(traffic, 0, 3), 15000);
    ck_assert_double_eq(bench_traffic_in(traffic, 0, 1), 5000);
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, NULL), 15000 / 125e6, 1e-12);
    machine_end();
    machine("node:4 core:4");
    bench_traffic_reduce_scatter(traffic, world, RANKS, EQUAL(1000));
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, NULL), 12000 / 125e6, 1e-12);
    machine_end();
}
END_TEST

START_TEST(alltoallv_counts_what_crosses)
{
    const double one = 1;
    double rate[TOPO_LEVELS_MAX] = {125e6};
    machine("node:4 core:7,5,3,1");
    bench_traffic_alltoall(traffic, world, RANKS, &(struct bench_lengths){.of = ten_to_the_next, .context = &one});
    for (int node = 0; node < 4; node++) {
        ck_assert_double_eq(bench_traffic_in(traffic, 0, node), 10);
        ck_assert_double_eq(bench_traffic_out(traffic, 0, node), 10);
    }
    machine_end();
    machine("node:4 core:7,5,3,1");
    bench_traffic_alltoall(traffic, world, RANKS, &(struct bench_lengths){.of = all_alike, .context = &one});
    ck_assert_double_eq(bench_traffic_in(traffic, 0, 0), 7 * 9);
    ck_assert_double_eq(bench_traffic_out(traffic, 0, 3), 15);
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, NULL), 7 * 9 / 125e6, 1e-15);
    machine_end();
    machine("switch:2 node:2 core:4");
    bench_traffic_alltoall(traffic, world, RANKS, &(struct bench_lengths){.of = all_alike, .context = &one});
    ck_assert_double_eq(bench_traffic_in(traffic, 0, 1), 64);
    ck_assert_double_eq(bench_traffic_in(traffic, 1, 3), 48);
    machine_end();
}
END_TEST

START_TEST(communicators_add_up)
{
    /* Even and odd ranks by themselves: each block reaches 8 ranks instead of 16. */
    int even[8], odd[8];
    double rate[TOPO_LEVELS_MAX] = {125e6};
    for (int i = 0; i < 8; i++) {
        even[i] = 2 * i;
        odd[i] = 2 * i + 1;
    }
    machine("node:4 core:4");
    bench_traffic_allgather(traffic, even, 8, EQUAL(100));
    bench_traffic_allgather(traffic, odd, 8, EQUAL(100));
    ck_assert_double_eq(bench_traffic_in(traffic, 0, 0), 2 * 6 * 100);
    machine_end();
    machine("node:4 core:4");
    bench_traffic_allreduce(traffic, even, 8, EQUAL(100));
    bench_traffic_allreduce(traffic, odd, 8, EQUAL(100));
    ck_assert_double_eq_tol(bench_traffic_seconds(traffic, rate, NULL), 300 / 125e6, 1e-12);
    machine_end();
    /* Communicators that keep to a node cross no link. */
    machine("node:4 core:4");
    bench_traffic_allgather(traffic, world, 4, EQUAL(100));
    bench_traffic_allreduce(traffic, world + 4, 4, EQUAL(100));
    ck_assert_double_eq(bench_traffic_seconds(traffic, rate, NULL), 0);
    machine_end();
}
END_TEST

START_TEST(lack_of_memory)
{
    ck_assert(topo_synthetic_tree("switch:2 node:2 core:4", RANKS, &tree, NULL) == TOPO_OK);
    UNIT_OUT_OF_MEMORY(bench_traffic_new(tree, &traffic, NULL));
    bench_traffic_free(traffic);
    topo_tree_free(tree);
}
END_TEST

START_TEST(patterns_show_every_change)
{
    static const size_t lengths[] = {1, 7, 8, 9, 64, 1000};
    for (int gaps = 0; gaps < 2; gaps++) {
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            unsigned char memory[4096];
            size_t bytes = lengths[k];
            struct bench_layout layout = bench_layout_of(bytes, gaps);
            size_t span = bench_layout_span(&layout, bytes);
            ck_assert_uint_eq(span, gaps ? 2 * bytes : bytes);
            bench_pattern_spoil(memory, sizeof memory);
            ck_assert_msg(bench_pattern_wrong(&layout, memory, bytes, 3, 1), "an untouched buffer is wrong");
            bench_pattern_write(&layout, memory, bytes, 3, 1);
            ck_assert_uint_eq(bench_pattern_wrong(&layout, memory, bytes, 3, 1), 0);
            for (size_t i = 0; i < span; i++) {
                memory[i] ^= 1;
                ck_assert_msg(bench_pattern_wrong(&layout, memory, bytes, 3, 1) == 1, "byte %zu of %zu", i, span);
                memory[i] ^= 1;
            }
            for (size_t i = span; i < sizeof memory; i++)
                ck_assert_msg(memory[i] == 0xA5, "written beyond the end, at %zu of %zu", i, span);
            if (bytes >= 8) {
                ck_assert_msg(bench_pattern_wrong(&layout, memory, bytes, 4, 1) > bytes / 2, "another message");
                ck_assert_msg(bench_pattern_wrong(&layout, memory, bytes, 3, 2) > bytes / 2, "another round");
            }
        }
    }
}
END_TEST

START_TEST(irregular_lengths)
{
    double sum = 0;
    size_t least = 1000, most = 0;
    for (int from = 0; from < 100; from++) {
        for (int to = 0; to < 100; to++) {
            size_t bytes = bench_irregular_bytes(from, to, 100);
            sum += (double)bytes;
            least = bytes < least ? bytes : least;
            most = bytes > most ? bytes : most;
        }
    }
    ck_assert_uint_eq(least, 0);
    ck_assert_uint_eq(most, 200);
    ck_assert_double_eq_tol(sum / 1e4, 100, 2);
    ck_assert_msg(bench_irregular_bytes(1, 2, 1000) != bench_irregular_bytes(2, 1, 1000), "not symmetric");
}
END_TEST

UNIT_MAIN("bench_bound", {allgather_on_even_nodes}, {placement_does_not_change_the_bound}, {allgather_on_uneven_nodes},
          {the_slowest_level_decides}, {one_node_has_no_bound}, {allreduce}, {reduce_scatter}, {one_rank_and_all},
          {alltoallv_counts_what_crosses}, {communicators_add_up}, {lack_of_memory}, {patterns_show_every_change},
          {irregular_lengths})
