#include "unit.h"

#include "machine/synthetic.h"
#include "model/cost.h"
#include "select/by_model.h"
#include "select/trial.h"
#include "select/select.h"

/* What `auto` takes without a tuning file for `bytes` of a rank. */
static const char *taken(const struct topo_layout *layout, size_t bytes)
{
    return topo_select(NULL, TOPO_OPERATION_allgather, layout, bytes)->name;
}

/* Nodes of one rank or two have a processor for each. */
static struct topo_layout even(int nodes, int per_node, bool by_slot)
{
    return (struct topo_layout){.ranks = nodes * per_node,
                                .nodes = nodes,
                                .node_ranks_min = per_node,
                                .node_ranks_max = per_node,
                                .by_slot = by_slot,
                                .has_shm = true,
                                .has_processors = per_node <= 2};
}

/* What `auto` takes from so many bytes on. */
struct from {
    size_t bytes;
    const char *name;
};

/* Where several of from[count] begin the last counts, where none does native. Bytes up to `most`, of long ones each
 * multiple of 4096 and what follows it. */
static void check_from(enum topo_operation operation, const struct topo_layout *layout, size_t most,
                       const struct from *from, int count)
{
    for (size_t bytes = 1; bytes <= most; bytes += bytes < 9000 || bytes % 4096 == 0 ? 1 : 4096 - bytes % 4096) {
        const char *name = "native";
        for (int i = 0; i < count; i++)
            name = bytes >= from[i].bytes ? from[i].name : name;
        ck_assert_str_eq(topo_select(NULL, operation, layout, bytes)->name, name);
    }
}

START_TEST(clusters)
{
    struct topo_layout slot = even(4, 4, true), node = even(4, 4, false), two = even(8, 2, true);
    struct topo_layout uneven = {16, 4, 1, 7, false, true};
    ck_assert_str_eq(taken(&slot, 8), "radix");
    ck_assert_str_eq(taken(&slot, 16383), "radix");
    ck_assert_str_eq(taken(&slot, 16384), "lanes");
    ck_assert_str_eq(taken(&node, 8192), "radix");
    ck_assert_str_eq(taken(&node, 16384), "native");
    ck_assert_str_eq(taken(&node, 32768), "lanes");
    ck_assert_str_eq(taken(&uneven, 8192), "radix");
    ck_assert_str_eq(taken(&uneven, 16384), "lanes");
    ck_assert_str_eq(taken(&two, 512), "native");
    ck_assert_str_eq(taken(&two, 4096), "radix");
    ck_assert_str_eq(taken(&two, 1 << 20), "lanes");
}
END_TEST

START_TEST(one_rank_a_node)
{
    struct topo_layout two = even(2, 1, true), eight = even(8, 1, true);
    ck_assert_str_eq(taken(&two, 1 << 20), "native");
    ck_assert_str_eq(taken(&eight, 32767), "native");
    ck_assert_str_eq(taken(&eight, 32768), "lanes");
}
END_TEST

START_TEST(one_node)
{
    struct topo_layout pair = even(1, 2, true), sixteen = even(1, 16, true), crowd = even(1, 128, true);
    ck_assert_str_eq(taken(&pair, 8), "leader");
    ck_assert_str_eq(taken(&pair, 98303), "leader");
    ck_assert_str_eq(taken(&pair, 98304), "native");
    ck_assert_str_eq(taken(&sixteen, 8), "leader");
    ck_assert_str_eq(taken(&sixteen, 65536), "leader");
    ck_assert_str_eq(taken(&sixteen, 65537), "lanes");
    ck_assert_str_eq(taken(&crowd, 8), "native");
    ck_assert_str_eq(taken(&crowd, 4096), "leader");
}
END_TEST

/* What nodes of two on the average take for each length, and those of one, beside the others. */
START_TEST(sums)
{
    struct topo_layout one = even(1, 16, true), pair = even(2, 8, true), four = even(4, 4, false),
                       two = even(8, 2, true), dealt = even(8, 2, false), twelve = even(12, 2, true),
                       few = even(4, 2, true), single = even(8, 1, true), sixteen = even(16, 1, true),
                       spread = {13, 7, 1, 4, true, true}, thin = {10, 7, 1, 2, true, true}, contained = two,
                       bare = sixteen;
    contained.has_processors = bare.has_processors = false;
    enum { MOST = 5 };
    const struct {
        const struct topo_layout *layout;
        int count;
        struct from from[MOST];
    } rules[] = {{&one, 2, {{1, "leader"}, {16384, "lanes"}}},
                 {&pair, 2, {{1, "leader"}, {40960, "lanes"}}},
                 {&four, 2, {{1, "leader"}, {65536, "lanes"}}},
                 {&two, 3, {{1, "leader"}, {8192, "halving"}, {131072, "lanes"}}},
                 {&dealt, 3, {{1, "leader"}, {8192, "halving"}, {131072, "lanes"}}},
                 {&twelve, 2, {{1, "leader"}, {8192, "halving"}}},
                 {&few, 2, {{1, "leader"}, {8192, "lanes"}}},
                 {&spread, 4, {{1, "leader"}, {2048, "native"}, {8192, "halving"}, {114688, "lanes"}}},
                 {&thin, 4, {{1, "halving"}, {1536, "native"}, {8192, "halving"}, {114688, "lanes"}}},
                 {&single, 1, {{131072, "halving"}}},
                 {&sixteen, 0, {{0}}},
                 {&contained, 4, {{1, "halving"}, {1536, "leader"}, {8192, "halving"}, {131072, "lanes"}}},
                 {&bare, 2, {{1, "halving"}, {1536, "native"}}}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        check_from(TOPO_OPERATION_allreduce, rules[i].layout, 2 << 20, rules[i].from, rules[i].count);
}
END_TEST

START_TEST(exchanges)
{
    struct topo_layout one = even(1, 16, true), two = even(1, 2, true), crowd = even(1, 64, true),
                       pair = even(2, 8, true), four = even(4, 4, false), single = even(8, 1, true);
    const struct {
        const struct topo_layout *layout;
        size_t bytes;
        const char *name;
    } rules[] = {{&one, 8, "node_aware"},     {&one, 12288, "node_aware"},  {&one, 12289, "native"},
                 {&two, 12288, "node_aware"}, {&two, 12289, "native"},      {&crowd, 8, "native"},
                 {&single, 8, "native"},      {&pair, 20479, "node_aware"}, {&pair, 20480, "native"},
                 {&pair, 786431, "native"},   {&four, 8, "node_aware"},     {&four, 20479, "node_aware"},
                 {&four, 20480, "native"},    {&four, 65535, "native"},     {&four, 65536, "direct"},
                 {&pair, 786432, "direct"},   {&four, 2097152, "direct"},   {&four, 2097153, "native"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_alltoallv, rules[i].layout, rules[i].bytes)->name,
                         rules[i].name);
}
END_TEST

START_TEST(barriers)
{
    struct topo_layout one = even(1, 16, true), crowd = even(1, 64, true), four = even(4, 4, false),
                       single = even(8, 1, true), several = even(8, 2, true), many = even(17, 2, true);
    ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_barrier, &one, 0)->name, "leader");
    ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_barrier, &four, 0)->name, "leader");
    ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_barrier, &crowd, 0)->name, "native");
    ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_barrier, &single, 0)->name, "tree");
    ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_barrier, &several, 0)->name, "tree");
    ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_barrier, &many, 0)->name, "native");
}
END_TEST

START_TEST(broadcasts)
{
    struct topo_layout one = even(1, 16, true), pair = even(2, 8, false), slot = even(4, 4, true),
                       node = even(4, 4, false), eight = even(8, 2, true), sixteen = even(16, 2, false),
                       many = even(64, 4, true), uneven = {16, 4, 1, 7, false, true}, single = even(4, 1, true),
                       alone = even(9, 1, true), crowd = even(2, 64, true), flat = even(64, 4, true),
                       lonely = even(64, 1, true), stacked = even(64, 1, true), contained = eight, bare = alone;
    contained.has_processors = bare.has_processors = false;
    many.has_racks = stacked.has_racks = true;
    const struct {
        const struct topo_layout *layout;
        size_t leader, circulant, chain, halving, trees; /* from so many bytes on; native below */
    } rules[] = {{&one, 128, SIZE_MAX, SIZE_MAX},
                 {&pair, 0, 0, 0},
                 {&slot, 0, 4096, 4096},
                 {&node, 0, 4096, 4096},
                 {&uneven, 0, 0, 0},
                 {&eight, 0, SIZE_MAX, SIZE_MAX, 0, 2048},
                 {&contained, 0, 8192, 512 << 10},
                 {&sixteen, 0, 1024, SIZE_MAX, 0, 8192},
                 {&many, 1024, 65536, SIZE_MAX, 8192, 512 << 10},
                 {&flat, 1024, SIZE_MAX, SIZE_MAX, 0, 2048},
                 {&lonely, SIZE_MAX, SIZE_MAX, SIZE_MAX, 0, 2048},
                 {&stacked, SIZE_MAX, SIZE_MAX, SIZE_MAX, 8192, 512 << 10},
                 {&single, SIZE_MAX, SIZE_MAX, SIZE_MAX},
                 {&alone, SIZE_MAX, SIZE_MAX, SIZE_MAX, 0, 8192},
                 {&bare, SIZE_MAX, 65536, SIZE_MAX},
                 {&crowd, SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        check_from(TOPO_OPERATION_bcast, rules[i].layout, 3 << 20,
                   (struct from[]){{rules[i].leader, "leader"},
                                   {rules[i].halving ? rules[i].halving : SIZE_MAX, "halving"},
                                   {rules[i].circulant, "circulant"},
                                   {rules[i].trees ? rules[i].trees : SIZE_MAX, "trees"},
                                   {rules[i].chain, "chain"}},
                   5);
}
END_TEST

START_TEST(reductions)
{
    struct topo_layout one = even(1, 16, true), pair = even(2, 8, true), dealt = even(2, 8, false),
                       few = even(2, 2, true), slot = even(4, 4, true), node = even(4, 4, false),
                       many = even(8, 2, true), more = even(9, 2, true), single = even(4, 1, true),
                       alone = even(9, 1, true), lonely = even(64, 1, true), crowd = even(2, 64, true),
                       several = even(8, 2, false), three = even(3, 2, true), quad = even(4, 2, true),
                       twenty = even(20, 1, true), doubled = even(20, 2, true), large = even(64, 4, true),
                       uneven = {16, 4, 1, 7, false, true}, stacked = {16, 4, 1, 7, true, true},
                       spread = {17, 6, 1, 5, true, true}, racked = {30, 10, 3, 3, true, true},
                       flat = even(64, 1, true), crowded = even(64, 16, true), contained = many, scattered = several,
                       bare = single, thin = alone;
    contained.has_processors = scattered.has_processors = bare.has_processors = thin.has_processors = false;
    racked.has_racks = twenty.has_racks = lonely.has_racks = doubled.has_racks = large.has_racks = true;
    const struct {
        const struct topo_layout *layout;
        size_t from, to, chain; /* leader for these bytes, the chain from so many on */
        size_t below, from_on;  /* circulant */
        size_t halving;         /* from so many bytes to from_on or chain, where this is not 0 */
        size_t trees;           /* from so many bytes on, where this is not 0 */
    } rules[] = {{&one, 512, 32767, 32768},
                 {&pair, 1, 262144, 262145},
                 {&dealt, 128, 262144, 262145},
                 {&few, 512, 262144, 262145},
                 {&slot, 1, 255, 65536, 65536, SIZE_MAX},
                 {&node, 1, 255, 65536, 65536, SIZE_MAX},
                 {&uneven, 1, 8192, 8193},
                 {&stacked, 1, 8192, 8193},
                 {&many, 1, 0, 8192, 8192, SIZE_MAX},
                 {&several, 1, 0, 8192, 8192, SIZE_MAX},
                 {&three, 1, 0, 524288, 4096, SIZE_MAX},
                 {&quad, 1, 0, 524288, 16384, SIZE_MAX},
                 {&more, 1, 8191, 8192},
                 {&spread, 1, 4095, 73729, 0, 4096},
                 {&racked, 1, 131071, 131072},
                 {&alone, 1, 1023, SIZE_MAX, 8192, SIZE_MAX, 0, 4096},
                 {&twenty, 1, 12287, SIZE_MAX, 0, SIZE_MAX, 12288, 512 << 10},
                 {&lonely, 1, 12287, SIZE_MAX, 0, SIZE_MAX, 12288, 512 << 10},
                 {&doubled, 1, 12287, SIZE_MAX, 0, 524288, 12288},
                 {&large, 1, 16383, 131072, 0, 131072, 16384},
                 {&flat, 1, 6143, SIZE_MAX, 0, SIZE_MAX, 0, 6144},
                 {&crowded, 1, 6143, 6144},
                 {&single, 1, 0, SIZE_MAX},
                 {&crowd, 128, 262144, 262145},
                 {&contained, 1, 4095, 65536, 65536, SIZE_MAX},
                 {&scattered, 1, 4095, 65536, 65536, SIZE_MAX},
                 {&bare, 1, 0, 65536},
                 {&thin, 1, 0, SIZE_MAX, 0, 0, 0, 65536}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (size_t bytes = 1; bytes <= 2 << 20; bytes += bytes < 9000 || bytes % 4096 == 0 ? 1 : 4096 - bytes % 4096)
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_reduce, rules[i].layout, bytes)->name,
                             bytes >= rules[i].chain                                                         ? "chain"
                             : rules[i].trees > 0 && bytes >= rules[i].trees                                 ? "trees"
                             : bytes >= rules[i].from && bytes <= rules[i].to                                ? "leader"
                             : rules[i].halving > 0 && bytes >= rules[i].halving && bytes < rules[i].from_on ? "halving"
                             : bytes < rules[i].below || (rules[i].from_on > 0 && bytes >= rules[i].from_on)
                                 ? "circulant"
                                 : "native");
}
END_TEST

START_TEST(different_blocks)
{
    struct topo_layout one = even(1, 16, true), pair = even(1, 2, true), slot = even(4, 4, true),
                       node = even(4, 4, false), many = even(8, 2, true), dealt = even(8, 2, false),
                       single = even(8, 1, true), uneven = {16, 4, 1, 7, false, true};
    const struct {
        const struct topo_layout *layout;
        size_t from, to; /* `name` for these bytes, native for fewer and `above` for more */
        const char *name, *above;
    } rules[] = {{&one, 1, 65536, "leader", "lanes"},  {&pair, 1, 98303, "leader", "native"},
                 {&slot, 1, 16383, "radix", "lanes"},  {&node, 1, 16383, "radix", "lanes"},
                 {&uneven, 1, 9361, "radix", "lanes"}, {&many, 2048, 32767, "radix", "lanes"},
                 {&dealt, 1, 0, "native", "native"},   {&single, 1, 0, "native", "native"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (size_t bytes = 1; bytes <= 1 << 20; bytes += bytes < 40000 ? 1 : 4999)
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_allgatherv, rules[i].layout, bytes)->name,
                             bytes < rules[i].from || (rules[i].layout == &node && bytes >= 16384 && bytes < 32768)
                                 ? "native"
                             : bytes <= rules[i].to ? rules[i].name
                                                    : rules[i].above);
}
END_TEST

START_TEST(parts_of_sums)
{
    struct topo_layout one = even(1, 16, true), slot = even(4, 4, true), node = even(2, 8, false),
                       pairs = even(8, 2, true), dealt = even(8, 2, false), single = even(4, 1, true),
                       crowd = even(2, 64, true), uneven = {16, 4, 1, 7, false, true}, few = {3, 2, 1, 2, true, true},
                       stacked = {16, 4, 1, 7, true, true}, nearly = {16, 3, 4, 6, true, true}, two = even(2, 2, true),
                       tall = {8, 4, 1, 5, true, true}, scattered = {8, 4, 1, 5, false, true}, many = even(12, 2, true),
                       contained = pairs;
    contained.has_processors = false;
    const struct {
        const struct topo_layout *layout;
        size_t leader, lanes; /* each from so many bytes on, native for fewer */
        size_t ring;          /* where this is not 0 reduce_scatter is native from so many bytes on */
        size_t single;        /* leader, or halving where processors are shared, up to so many bytes */
    } rules[] = {{&one, 1, 16385},
                 {&slot, 1, 128},
                 {&node, 1, 64},
                 {&two, 1, 1},
                 {&pairs, 8192, 8192, 49152, 8},
                 {&contained, 8192, 8192, 49152, 64},
                 {&many, 8192, 8192, 32768, 8},
                 {&dealt, 2048, 2048, 0, 8},
                 {&single, SIZE_MAX, SIZE_MAX},
                 {&uneven, 1, 128},
                 {&few, 16384, 16384},
                 {&crowd, 1, 8},
                 {&stacked, 1, 128, 98304},
                 {&tall, 4096, 4096, 20480, 64},
                 {&scattered, 4096, 4096, 0, 64},
                 {&nearly, 1, 96}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (size_t bytes = 1; bytes <= 1 << 20; bytes += bytes < 30000 ? 1 : 4999) {
            const struct topo_layout *layout = rules[i].layout;
            bool sparse = layout->nodes > 2 && layout->ranks <= 3 * layout->nodes;
            const char *short_ones = sparse && !layout->has_processors ? "halving" : "leader";
            const char *name = bytes >= rules[i].lanes                                ? "lanes"
                               : bytes >= rules[i].leader || bytes <= rules[i].single ? short_ones
                                                                                      : "native";
            bool around = (rules[i].layout == &stacked && bytes >= 20480 && bytes < 65536) ||
                          (rules[i].ring > 0 && bytes >= rules[i].ring);
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_reduce_scatter, rules[i].layout, bytes)->name,
                             around ? "native" : name);
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_reduce_scatter_block, rules[i].layout, bytes)->name,
                             name);
        }
}
END_TEST

/* On a network ten times slower than that of the rules the model objects; lines of the file come first. */
START_TEST(model_objects)
{
    static const char slow[] = "level node alpha=1e-4 beta=8e-8\nlevel memory alpha=1e-6 beta=1e-10\n";
    struct topo_tuning none, file, lines;
    struct topo_error error;
    struct topo_tree *tree;
    struct topo_layout layout;
    int objections = 0;
    ck_assert_int_eq(topo_synthetic_tree("node:4 core:4", 0, &tree, &error), TOPO_OK);
    ck_assert_int_eq(topo_layout_of(tree, &layout), TOPO_OK);
    layout.has_shm = true;
    ck_assert_int_eq(topo_tuning_parse("copy 1e-10\n", "none", &none, &error), TOPO_OK);
    ck_assert_int_eq(topo_tuning_parse(slow, "slow", &file, &error), TOPO_OK);
    ck_assert_int_eq(topo_tuning_parse("level node alpha=1e-4 beta=8e-8\nallreduce cyclic\n", "lines", &lines, &error),
                     TOPO_OK);
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        for (size_t bytes = 4; bytes <= 1 << 22; bytes *= 2) {
            const struct topo_algorithm *rules = topo_select(NULL, operation, &layout, bytes), *on;
            const struct topo_cost_call call = {.bytes = bytes / 4 * 3};
            ck_assert_ptr_eq(topo_select_on(&none, operation, tree, &layout, bytes), rules);
            ck_assert_ptr_eq(topo_select_on(NULL, operation, tree, &layout, bytes), rules);
            on = topo_select_on(&file, operation, tree, &layout, bytes);
            ck_assert_int_eq(on->operation, operation);
            ck_assert(on == rules ||
                      topo_cost(on->id, tree, &file.params, &call) <
                          topo_cost(topo_select(NULL, operation, &layout, call.bytes)->id, tree, &file.params, &call));
            objections += on != rules;
            if (operation == TOPO_OPERATION_allreduce)
                ck_assert_str_eq(topo_select_on(&lines, operation, tree, &layout, bytes)->name, "cyclic");
        }
    ck_assert_int_gt(objections, 0);
    layout.has_shm = false;
    for (size_t bytes = 1; bytes <= 1 << 22; bytes *= 2)
        ck_assert_ptr_eq(topo_select_on(&file, TOPO_OPERATION_allreduce, tree, &layout, bytes),
                         topo_select(NULL, TOPO_OPERATION_allreduce, &layout, bytes));
    topo_tuning_free(&none);
    topo_tuning_free(&file);
    topo_tuning_free(&lines);
    topo_tree_free(tree);
}
END_TEST

START_TEST(equal_blocks)
{
    struct topo_layout one = even(1, 16, true), four = even(1, 4, true), crowd = even(1, 64, true),
                       slot = even(4, 4, true), pair = even(2, 8, false), single = even(8, 1, true);
    const struct {
        const struct topo_layout *layout;
        size_t most;
    } rules[] = {{&one, 16384}, {&four, 262144}, {&crowd, 0}, {&slot, 16383}, {&pair, 12287}, {&single, 0}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (size_t bytes = 1; bytes <= 1 << 20; bytes += bytes < 20000 ? 1 : 5000)
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_alltoall, rules[i].layout, bytes)->name,
                             bytes <= rules[i].most ? "node_aware" : "native");
}
END_TEST

START_TEST(without_shared_memory)
{
    struct topo_layout layouts[] = {even(1, 16, true), even(4, 4, true), even(4, 4, false), even(8, 1, true)};
    for (int i = 0; i < 4; i++) {
        layouts[i].has_shm = false;
        for (size_t bytes = 1; bytes < 32768; bytes *= 2)
            ck_assert_str_eq(taken(&layouts[i], bytes), "native");
        ck_assert_str_eq(taken(&layouts[i], 32768), i == 1 || i == 2 ? "bruck_reorder" : "native");
        /* Few forms without it have been measured. */
        for (size_t bytes = 1; bytes < 1 << 20; bytes *= 2) {
            bool dealt = i == 2 && bytes >= 131072;
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_allreduce, &layouts[i], bytes)->name,
                             dealt ? "cyclic" : "native");
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_alltoallv, &layouts[i], bytes)->name, "native");
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_barrier, &layouts[i], bytes)->name, "native");
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_bcast, &layouts[i], bytes)->name, "native");
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_reduce, &layouts[i], bytes)->name, "native");
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_allgatherv, &layouts[i], bytes)->name, "native");
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_alltoall, &layouts[i], bytes)->name, "native");
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_reduce_scatter, &layouts[i], bytes)->name, "native");
            ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_reduce_scatter_block, &layouts[i], bytes)->name,
                             "native");
        }
    }
}
END_TEST

/* Several trees at a time are for nodes whose links are all there is: not below uplinks that racks share. */
START_TEST(nodes_in_racks)
{
    static const struct {
        const char *machine, *bcast, *reduce;
    } machines[] = {{"node:18 core:2", "trees", "chain"}, {"switch:2 node:9 core:2", "halving", "halving"}};
    for (int i = 0; i < 2; i++) {
        struct topo_tree *tree;
        struct topo_layout layout;
        struct topo_error error;
        ck_assert_int_eq(topo_synthetic_tree(machines[i].machine, 0, &tree, &error), TOPO_OK);
        ck_assert_int_eq(topo_layout_of(tree, &layout), TOPO_OK);
        ck_assert_int_eq(layout.nodes, 18);
        ck_assert(layout.has_racks == (i == 1));
        ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_bcast, &layout, 32768)->name, machines[i].bcast);
        ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_reduce, &layout, 32768)->name, machines[i].reduce);
        topo_tree_free(tree);
    }
}
END_TEST

UNIT_MAIN("select", {clusters}, {one_rank_a_node}, {one_node}, {sums}, {exchanges}, {barriers}, {broadcasts},
          {reductions}, {different_blocks}, {parts_of_sums}, {model_objects}, {nodes_in_racks}, {equal_blocks},
          {without_shared_memory})
