/* Stripes, segments, iterations and trees of long sums: in their limits, as many as pay, by the machine's nodes and
 * racks. */
#include "unit.h"

#include "machines.h"
#include "patterns/reduce_cut.h"
#include "patterns/trees.h"

/* Slices never outnumber ranks, are long between nodes, and may be short within one. */
START_TEST(stripes)
{
    ck_assert_int_eq(topo_reduce_cut_stripes(0, 4, 4, false), 1);
    ck_assert_int_eq(topo_reduce_cut_stripes(4 * 131071, 4, 4, false), 1);
    ck_assert_int_eq(topo_reduce_cut_stripes(4 * 131072, 4, 4, false), 2);
    ck_assert_int_eq(topo_reduce_cut_stripes((size_t)1 << 40, 4, 4, false), 4);
    ck_assert_int_eq(topo_reduce_cut_stripes(16384, 1, 16, false), 4);
    ck_assert_int_eq(topo_reduce_cut_stripes(16384, 1, 1, false), 1);
    ck_assert_int_eq(topo_reduce_cut_stripes(5 * 24576, 5, 6, true), 3);
    ck_assert_int_eq(topo_reduce_cut_stripes((size_t)1 << 40, 5, 6, true), 6);
}
END_TEST

static void check_cut(struct topo_reduce_chain_cut cut, int stripes, size_t segment)
{
    ck_assert_int_eq(cut.stripes, stripes);
    ck_assert_uint_eq(cut.segment, segment);
}

static struct topo_reduce_chain_cut cut_of(const char *text, size_t bytes, int ranks, bool oversubscribed, size_t given)
{
    struct topo_tree *tree = machine_of(text);
    struct topo_levels *levels;
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    struct topo_reduce_chain_cut cut = topo_reduce_cut_chain(bytes, levels, ranks, oversubscribed, given);
    topo_levels_free(levels);
    topo_tree_free(tree);
    return cut;
}

/* Chains of few nodes, and ranks that share processors: long segments. Deep ones: an iteration is one segment of a
 * pipeline, shared out among as many ranks as pays. */
START_TEST(chain_cut)
{
    static const char two[] = "node:2 core:1", four[] = "switch:2 node:2 core:1", eight[] = "switch:2 node:4 core:1",
                      many[] = "switch:16 node:4 core:1";
    check_cut(cut_of(two, 131071, 4, false, 0), 1, 32768);
    check_cut(cut_of(two, 131071, 4, false, 8192), 1, 8192);
    check_cut(cut_of(two, 131072, 4, false, 0), 2, 32768);
    check_cut(cut_of("node:1 core:1", 16384, 16, false, 0), 4, 32768);
    check_cut(cut_of(eight, (size_t)16 << 20, 8, true, 5000), 8, 5000);
    check_cut(cut_of(eight, (size_t)16 << 20, 8, true, 0), 8, 32768);
    check_cut(cut_of(four, (size_t)16 << 20, 8, false, 32768), 8, 32768);
    check_cut(cut_of(four, (size_t)16 << 20, 64, false, 0), 32, 4096);
    check_cut(cut_of(four, 262144, 8, false, 0), 4, 4096);
    check_cut(cut_of(four, 262144, 1, false, 0), 1, 16384);
    check_cut(cut_of(many, 32768, 8, false, 0), 1, 4096);
    ck_assert(cut_of(eight, 2097152, 16, false, 0).pipelined);
    ck_assert(!cut_of(eight, 2097152, 16, true, 0).pipelined);
    ck_assert(!cut_of(two, 262144, 4, false, 0).pipelined); /* two windows of 128 KiB hold it */
    ck_assert(!cut_of(eight, 2097152, 2, false, 0).pipelined);
}
END_TEST

/* Several trees where nodes are more than four; two in racks, where hops are few for the vector, else a divided chain.
 */
START_TEST(chain_trees)
{
    static const char racks[] = "switch:4 node:4 core:1", many[] = "switch:16 node:4 core:1";
    ck_assert_int_gt(cut_of("node:5 core:1", 262144, 6, false, 0).trees, 1);
    ck_assert_int_eq(cut_of("node:4 core:1", 262144, 6, false, 0).trees, 0);
    ck_assert_int_eq(cut_of("node:5 core:1", 262144, 6, true, 0).trees, 0);
    ck_assert_int_gt(cut_of("node:17 core:1", 262144, 6, true, 0).trees, 1);
    ck_assert_int_eq(cut_of("switch:2 node:2 core:1", 1 << 20, 16, false, 0).trees, 0);
    ck_assert_int_eq(cut_of(racks, 16384, 16, false, 0).trees, 1);
    ck_assert_int_eq(cut_of(racks, 65536, 16, false, 0).trees, 1);
    ck_assert_int_eq(cut_of(racks, 262144, 16, false, 0).trees, 2);
    ck_assert_int_eq(cut_of(racks, 1 << 24, 16, false, 0).trees, 2);
    ck_assert_int_eq(cut_of(racks, 1 << 24, 16, true, 0).trees, 0);
    ck_assert_int_eq(cut_of(many, 131072, 4, false, 0).trees, 1);
    ck_assert_int_eq(cut_of(many, 524288, 4, false, 0).trees, 2);
}
END_TEST

/* More iterations at a time where a latency is long beside one, and a vector has many for each hop. */
START_TEST(chain_ahead)
{
    static const char racks[] = "switch:8 node:4 core:1";
    ck_assert_int_eq(cut_of(racks, 65536, 4, true, 0).ahead, 0);
    ck_assert_int_eq(cut_of("node:8 core:1", 1 << 20, 8, false, 32768).ahead, 2);
    static const size_t bytes_of[] = {8192, 12288, 1 << 20};
    for (int i = 0; i < 3; i++) /* of three hops */
        ck_assert_int_eq(cut_of("node:4 core:1", bytes_of[i], 1, false, 4096).ahead, 2 + i);
    for (size_t bytes = 1; bytes < (size_t)1 << 30; bytes = bytes * 3 / 2 + 1)
        for (size_t given = 0; given <= 65536; given = given * 5 + 1) {
            struct topo_reduce_chain_cut cut = cut_of(racks, bytes, 4, false, given);
            ck_assert(cut.ahead >= 2 && cut.ahead <= cut.windows / 2);
        }
}
END_TEST

/* More are under way where trees are deep and the vector has as many; what is told of each has room for a stripe for
 * each rank or each tree (coll/reduction/reduce_lanes_layout.c). */
START_TEST(chain_windows)
{
    static const char deep[] = "node:64 core:1";
    ck_assert_int_eq(cut_of(deep, 2 << 20, 2, false, 0).windows, TOPO_REDUCE_WINDOWS_MOST);
    ck_assert_int_eq(cut_of(deep, 2 << 20, 4, false, 0).windows, TOPO_REDUCE_WINDOWS_TREES); /* in turn */
    ck_assert_int_eq(cut_of(deep, 32 << 10, 2, false, 0).windows, TOPO_REDUCE_WINDOWS_TREES);
    ck_assert_int_eq(cut_of(deep, 2 << 20, 2, true, 0).windows, TOPO_REDUCE_WINDOWS_TREES);
    ck_assert_int_eq(cut_of("node:5 core:1", 2 << 20, 6, false, 0).windows, TOPO_REDUCE_WINDOWS_TREES);
    ck_assert_int_lt(cut_of("node:4 core:1", 2 << 20, 6, false, 0).windows, TOPO_REDUCE_WINDOWS_TREES);
    for (int ranks = 1; ranks <= 128; ranks *= 2)
        for (size_t bytes = 1; bytes < (size_t)1 << 28; bytes = bytes * 3 + 1)
            ck_assert_int_le(cut_of(deep, bytes, ranks, false, 0).stripes,
                             ranks > TOPO_TREES_MOST ? ranks : TOPO_TREES_MOST);
}
END_TEST

/* Segments are handed on together or cut, so that parts have 4 KiB or a little more; in turn where there are as many as
 * ranks. */
START_TEST(pipelined)
{
    for (size_t segment = 1; segment <= 32768; segment = segment * 3 / 2 + 1)
        for (int segments = 1; segments < 3000; segments = segments * 2 + 1) {
            struct topo_reduce_parts parts = topo_reduce_cut_parts(segment, segments);
            ck_assert(parts.together == 1 || parts.cuts == 1);
            ck_assert(parts.together >= 1 && parts.together <= segments);
            ck_assert(segment / (size_t)parts.cuts < 8192 && (size_t)parts.together * segment <= 32768);
            ck_assert_int_eq(parts.count, (segments + parts.together - 1) / parts.together * parts.cuts);
        }
    ck_assert_int_eq(topo_reduce_cut_parts(0, 8).together, 8);
    ck_assert(topo_reduce_cut_pipelined(65536, 16, 32768, 4, 16));
    ck_assert(!topo_reduce_cut_pipelined(32768, 16, 32768, 4, 16));
    ck_assert(topo_reduce_cut_pipelined(65536, 1, 4096, 8, 8));
    ck_assert(!topo_reduce_cut_pipelined(65536, 1, 4096, 4, 8)); /* four are under way */
    ck_assert(!topo_reduce_cut_pipelined(1 << 20, 16, 32768, 4, 2));
}
END_TEST

START_TEST(segment)
{
    ck_assert_uint_eq(topo_reduce_cut_segment((size_t)16 << 20, 16, 16, 16, false), 8192);
    ck_assert_uint_eq(topo_reduce_cut_segment((size_t)16 << 20, 8, 8, 8, false), 32768);
    ck_assert_uint_eq(topo_reduce_cut_segment((size_t)9 << 20, 8, 9, 9, false), 16384);
    ck_assert_uint_eq(topo_reduce_cut_segment(262144, 8, 3, 1, false), 8192);
    ck_assert_uint_eq(topo_reduce_cut_segment(262144, 8, 2, 1, false), 32768);
    ck_assert_uint_eq(topo_reduce_cut_segment(262144, 4, 3, 1, false), 32768);
    ck_assert_uint_eq(topo_reduce_cut_segment(262144, 8, 3, 1, true), 32768);
}
END_TEST

/* Long segments of one stripe where ranks share processors, on uneven nodes, more than four or with a lone rank. */
START_TEST(scatter)
{
    static const struct {
        size_t bytes, longest;
        int nodes, least, most;
        bool oversubscribed;
        int stripes;
        size_t segment;
    } cases[] = {{8 << 20, 2 << 20, 7, 1, 4, true, 1, 262144}, {2 << 20, 400000, 7, 2, 4, true, 1, 200000},
                 {65536, 30000, 4, 1, 4, true, 1, 32768},      {8 << 20, 2 << 20, 7, 1, 4, false, 4, 32768},
                 {8 << 20, 2 << 20, 4, 4, 4, true, 4, 32768},  {8 << 20, 2 << 20, 4, 2, 4, true, 4, 32768}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topo_reduce_scatter_cut cut =
            topo_reduce_cut_scatter(cases[i].bytes, cases[i].longest, cases[i].nodes, cases[i].least, cases[i].most,
                                    false, cases[i].oversubscribed);
        ck_assert_msg(cut.stripes == cases[i].stripes && cut.segment == cases[i].segment, "case %zu: %d of %zu", i,
                      cut.stripes, cut.segment);
    }
}
END_TEST

/* Where the levels of the radix are uneven, the vector is long for what they save, and ranks have processors. */
START_TEST(direct)
{
    ck_assert(topo_reduce_cut_direct(2 << 20, 37, 12, false));
    ck_assert(!topo_reduce_cut_direct(2 << 20, 37, 12, true));
    ck_assert(!topo_reduce_cut_direct(2 << 20, 37, 0, false));
    ck_assert(!topo_reduce_cut_direct(2 << 20, 37, -1, false));
    ck_assert(!topo_reduce_cut_direct(65536, 37, 12, false));
}
END_TEST

UNIT_MAIN("reduce_cut", {direct}, {stripes}, {chain_cut}, {chain_trees}, {chain_ahead}, {chain_windows}, {pipelined},
          {segment}, {scatter})
