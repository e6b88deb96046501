/* Schedules on circulant graphs: what makes them right, for every number of nodes up to a thousand and samples up to a
 * million; whole vectors, played round by round. */
#include "unit.h"

#include "patterns/circulant.h"

/* The place of a round's skip in a phase. */
static int in_phase(const struct topo_circulant *circulant, int64_t round)
{
    return (int)((round + circulant->missing) % circulant->phase);
}

/* The block of a round that a phase's row says. Only a base block is the last one or, in the last phase, beyond it. */
static int64_t block_of(const struct topo_circulant *circulant, int64_t round, const int *row)
{
    int64_t counted = round + circulant->missing, phase = circulant->phase;
    int64_t block = row[counted % phase] + counted / phase * phase - circulant->missing;
    return block < 0 ? -1 : block < circulant->blocks ? block : circulant->blocks - 1;
}

/* The block of round 0 .. rounds - 1 that comes from, or goes to, the other end's number; -1 and no message. */
static int64_t receives(const struct topo_circulant *circulant, int64_t round, int *from)
{
    int skip = circulant->skip[in_phase(circulant, round)];
    *from = circulant->node >= skip ? circulant->node - skip : circulant->node - skip + circulant->nodes;
    return circulant->node > 0 ? block_of(circulant, round, circulant->receive) : -1;
}

static int64_t sends(const struct topo_circulant *circulant, int64_t round, int *to)
{
    int skip = circulant->skip[in_phase(circulant, round)], room = circulant->nodes - skip;
    *to = circulant->node < room ? circulant->node + skip : circulant->node - room;
    return *to > 0 ? block_of(circulant, round, circulant->send) : -1;
}

/* A phase of many: each node receives each block modulo the phase once, its base block alone from this one; it sends
 * what it received in a round before, or the base block of the phase before; partners agree. */
static void check_phase(int nodes, int node, const struct topo_circulant *all)
{
    struct topo_circulant here, there;
    if (all)
        here = all[node];
    else
        topo_circulant_make(nodes, node, 1000, &here);
    int q = here.phase, bases = 0, base = 0;
    uint32_t seen = 0;
    ck_assert_int_eq(here.skip[q], nodes);
    ck_assert(((int64_t)1 << q) >= nodes && (q == 0 || ((int64_t)1 << (q - 1)) < nodes));
    for (int k = 0; k < q && node > 0; k++) {
        int block = here.receive[k];
        ck_assert_msg(block >= -q && block < q, "node %d of %d receives %d", node, nodes, block);
        seen |= (uint32_t)1 << ((block + q) % q);
        bases += block >= 0;
        base = block >= 0 ? block : base;
    }
    ck_assert_msg(node == 0 || seen == (uint32_t)(((uint64_t)1 << q) - 1), "node %d of %d lacks blocks", node, nodes);
    ck_assert_int_eq(bases, node > 0);
    for (int k = 0; k < q; k++) {
        int to = (int)(((int64_t)node + here.skip[k]) % nodes);
        bool had = node == 0 ? here.send[k] == k : here.send[k] == base - q;
        if (to == 0)
            continue;
        if (all)
            there = all[to];
        else
            topo_circulant_make(nodes, to, 1000, &there);
        ck_assert_msg(here.send[k] == there.receive[k], "node %d of %d to %d", node, nodes, to);
        for (int j = 0; j < k && node > 0; j++)
            had |= here.receive[j] == here.send[k];
        ck_assert_msg(had, "node %d of %d sends %d in round %d, which it lacks", node, nodes, here.send[k], k);
    }
}

START_TEST(all_up_to_a_thousand)
{
    enum { MOST = 1030 };
    struct topo_circulant *all = topo_alloc(MOST, sizeof *all);
    for (int nodes = 1; nodes <= MOST; nodes++) {
        for (int node = 0; node < nodes; node++)
            topo_circulant_make(nodes, node, 1000, &all[node]);
        for (int node = 0; node < nodes; node++)
            check_phase(nodes, node, all);
    }
    topo_free(all);
}
END_TEST

START_TEST(samples_up_to_a_million)
{
    srand(7);
    for (int i = 0; i < 400; i++) {
        int power = 1 << (10 + i % 11), near = power - 2 + rand() % 5;
        int nodes = i % 2 ? near : 2 + rand() % (1 << 20);
        for (int k = 0; k < 200; k++)
            check_phase(nodes, k < 20 ? k % nodes : k < 40 ? nodes - 1 - k % nodes : rand() % nodes, NULL);
    }
    check_phase(INT32_MAX, INT32_MAX - 1, NULL);
    check_phase(INT32_MAX, 1 << 30, NULL);
}
END_TEST

/* Round by round: every block reaches every node once, from one that has it, over at most one message each way. */
static void play(int nodes, int64_t blocks)
{
    struct topo_circulant *node = topo_alloc((size_t)nodes, sizeof *node);
    int64_t *came = topo_alloc((size_t)(nodes * blocks), sizeof *came);
    int64_t *first = topo_alloc((size_t)blocks, sizeof *first);
    for (int r = 0; r < nodes; r++) {
        topo_circulant_make(nodes, r, blocks, &node[r]);
        ck_assert_int_eq(node[r].rounds, nodes == 1 ? 0 : blocks - 1 + node[r].phase);
        for (int64_t b = 0; b < blocks; b++)
            came[r * blocks + b] = r == 0 ? -1 : INT64_MAX;
    }
    for (int64_t b = 0; b < blocks; b++)
        first[b] = -1;
    for (int64_t round = 0; round < node[0].rounds; round++)
        for (int r = 0; r < nodes; r++) {
            int from, to, back;
            int64_t block = sends(&node[r], round, &to);
            ck_assert(to >= 0 && to < nodes && to != r);
            ck_assert_msg(receives(&node[to], round, &from) == block && from == r,
                          "%d nodes, round %d: %d and %d agree", nodes, (int)round, r, to);
            receives(&node[r], round, &back);
            sends(&node[back], round, &to);
            ck_assert_int_eq(to, r);
            sends(&node[r], round, &to);
            if (block < 0)
                continue;
            ck_assert_msg(block < blocks && came[r * blocks + block] < round, "%d nodes, %d blocks: %d has it", nodes,
                          (int)blocks, r);
            ck_assert_msg(came[to * blocks + block] == INT64_MAX, "%d nodes, %d blocks: %d gets it twice", nodes,
                          (int)blocks, to);
            came[to * blocks + block] = round;
            first[block] = first[block] < 0 ? round : first[block];
            ck_assert_msg(round < first[block] + 3 * node[r].phase, "%d nodes, %d blocks: when", nodes, (int)blocks);
        }
    for (int64_t i = 0; i < nodes * blocks; i++)
        ck_assert_msg(came[i] < INT64_MAX, "%d nodes, %d blocks: all arrive", nodes, (int)blocks);
    topo_free(first);
    topo_free(came);
    topo_free(node);
}

START_TEST(whole_vectors)
{
    for (int nodes = 1; nodes <= 70; nodes++)
        for (int blocks = 1; blocks <= 24; blocks++)
            play(nodes, blocks);
    play(1000, 33);
    play(1024, 11);
    play(1025, 12);
}
END_TEST

/* The table on top of circulant.h. */
START_TEST(example)
{
    static const int block[5][6] = {{-1, -1, -1, -1, -1, -1},
                                    {0, -1, -1, 3, 2, 1},
                                    {-1, 1, -1, 0, 3, 2},
                                    {-1, -1, 2, 1, 0, 3},
                                    {-1, -1, 0, 2, 1, 3}};
    for (int node = 0; node < 5; node++) {
        struct topo_circulant circulant;
        int from;
        topo_circulant_make(5, node, 4, &circulant);
        ck_assert_int_eq(circulant.rounds, 6);
        for (int round = 0; round < 6; round++)
            ck_assert_int_eq(receives(&circulant, round, &from), block[node][round]);
    }
}
END_TEST

START_TEST(lengths)
{
    ck_assert_int_eq(topo_circulant_segment(0, 8, true, 0), 64);
    ck_assert_int_eq(topo_circulant_segment(65536, 8, true, 4096), 4096);
    ck_assert_int_eq(topo_circulant_segment(1 << 20, 64, false, 8192), 8192);
    ck_assert_int_eq(topo_circulant_segment(10000, 8, false, 4096), 3392);
    ck_assert_int_eq(topo_circulant_segment(16384, 8, true, 0), 16384);
    ck_assert_int_eq(topo_circulant_segment(32769, 8, true, 0), 16448);
    ck_assert_int_eq(topo_circulant_segment(1 << 20, 64, true, 0), 32768);
    ck_assert_int_eq(topo_circulant_segment((1 << 20) + 1, 64, true, 0), 31808);
    ck_assert_int_eq(topo_circulant_segment(192 << 10, 64, true, 0), 32768);
    ck_assert_int_eq(topo_circulant_segment(240 << 10, 64, true, 0), 30720);
    /* Above 64 KiB sqrt(16 KiB bytes / rounds of a phase), about. */
    ck_assert_int_eq(topo_circulant_segment(4096, 8, false, 0), 4096);
    ck_assert_int_eq(topo_circulant_segment(32768, 8, false, 0), 16384);
    ck_assert_int_eq(topo_circulant_segment(32768, 9, false, 0), 8192);
    ck_assert_int_eq(topo_circulant_segment(32768, 9, true, 0), 32768);
    ck_assert_int_eq(topo_circulant_segment(262144, 64, false, 0), 16384);
    ck_assert_int_eq(topo_circulant_segment(1 << 20, 64, false, 0), 32768);
    ck_assert_int_eq(topo_circulant_segment(1 << 20, 16, false, 0), 32768);
    for (uint64_t bytes = 1; bytes < (uint64_t)1 << 40; bytes = bytes * 5 / 4 + 1)
        for (int nodes = 1; nodes < 3000; nodes = nodes * 2 + 1)
            for (int shared = 0; shared < 2; shared++) {
                uint64_t segment = topo_circulant_segment(bytes, nodes, shared, 0);
                ck_assert(segment > 0 && segment <= 32768 && segment % 64 == 0);
            }
}
END_TEST

/* In a row of phases with 256 KiB or more one is waited for, and never all. */
START_TEST(awaited_phases)
{
    struct topo_circulant circulant;
    for (int nodes = 2; nodes < 5000; nodes = nodes * 3 / 2 + 1)
        for (uint64_t segment = 64; segment <= 32768; segment *= 2) {
            topo_circulant_make(nodes, 1, 100000, &circulant);
            int64_t phases = topo_circulant_awaited(&circulant, segment), bytes = circulant.phase * (int64_t)segment;
            ck_assert(phases >= 2);
            ck_assert((phases - 1) * bytes >= (256 << 10) - bytes && (phases - 1) * bytes <= (256 << 10) + 2 * bytes);
        }
}
END_TEST

START_TEST(together)
{
    ck_assert(topo_circulant_together(65537, false));
    ck_assert(!topo_circulant_together(65536, false)); /* may be eager */
    ck_assert(!topo_circulant_together(1 << 20, true));
}
END_TEST

START_TEST(paces)
{
    struct topo_circulant_pace kept = topo_circulant_pace_of(1 << 20, false),
                               loose = topo_circulant_pace_of(65536, false);
    ck_assert_int_eq(kept.behind, 1);
    ck_assert_int_eq(kept.lag, 0);
    ck_assert_int_eq(loose.behind, TOPO_CIRCULANT_BEHIND_MOST);
    /* What is sent in a round has been expected, wherever its receiver is. */
    ck_assert(kept.ahead > kept.lag && loose.ahead > loose.lag && loose.ahead <= TOPO_CIRCULANT_AHEAD_MOST);
}
END_TEST

UNIT_MAIN("circulant", {all_up_to_a_thousand}, {samples_up_to_a_million}, {whole_vectors}, {example}, {lengths},
          {together}, {paces}, {awaited_phases})
