/* All-reduces are played through on every machine with an operation that is neither associative nor commutative: every
 * node must get the sum in the order of the levels, from messages that both ends know of. Broadcasts likewise: every
 * node must get each block once, the root none. Of reductions the root must get the sum, in the gather each block
 * but its own once. */
#include "unit.h"

#include <stdint.h>
#include <string.h>

#include "machines.h"
#include "patterns/halving.h"

static uint64_t combine(uint64_t left, uint64_t right)
{
    return left * 6364136223846793005u + right * 3935559000370003845u + 1442695040888963407u;
}

static uint64_t operand_of(int node, int block)
{
    return (uint64_t)node * 1000003u + (uint64_t)block * 7919u + 17;
}

/* The units of each group in their order, from the innermost level out. */
static uint64_t sum_of(const struct topo_levels *levels, int level, int node, int block)
{
    if (level == levels->count)
        return operand_of(node, block);
    struct topo_group group = topo_group_of(levels, level, node);
    uint64_t total = 0;
    for (int unit = 0; unit < group.count; unit++) {
        uint64_t sum = sum_of(levels, level + 1, levels->level[level].first[group.first + unit], block);
        total = unit > 0 ? combine(total, sum) : sum;
    }
    return total;
}

enum { NOBODY = -1 };

struct play {
    int root; /* of a broadcast or reduction; of all-reduces NOBODY */
    int *in;  /* [nodes]: blocks received */
    struct topo_levels *levels;
    struct topo_halving **plan;
    uint64_t *value; /* [nodes][blocks] */
    uint64_t **mail; /* [from][to]: blocks in the order of the message, NULL when none is under way */
    int *mailed;     /* blocks of it */
    bool *sent;      /* [nodes]: those of the step */
    int *at;         /* [nodes]: steps done */
    int *out;        /* [nodes]: blocks sent */
};

static void send(struct play *play, int from, int to, const struct topo_block_set *set)
{
    int nodes = play->levels->nodes, blocks = 0;
    uint64_t *values = topo_alloc((size_t)set->blocks + 1, sizeof *values);
    for (int s = 0; s < set->count; s++) {
        const struct topo_block_span *span = &play->plan[from]->span[set->first + s];
        ck_assert(span->count > 0 && span->first >= 0 && span->first + span->count <= nodes);
        ck_assert_msg(s == 0 || span->first > span[-1].first + span[-1].count, "spans ascend");
        memcpy(values + blocks, play->value + from * nodes + span->first, (size_t)span->count * sizeof *values);
        blocks += span->count;
    }
    ck_assert_int_eq(blocks, set->blocks);
    ck_assert_ptr_null(play->mail[from * nodes + to]);
    play->mail[from * nodes + to] = values;
    play->mailed[from * nodes + to] = blocks;
    play->out[from] += blocks;
}

/* Takes the message; `into`: [blocks of the set], or NULL: the blocks themselves. */
static void receive(struct play *play, int from, int to, const struct topo_block_set *set, uint64_t *into)
{
    int nodes = play->levels->nodes, blocks = 0;
    uint64_t **mail = &play->mail[from * nodes + to];
    ck_assert_int_eq(play->mailed[from * nodes + to], set->blocks);
    for (int s = 0; s < set->count; s++) {
        const struct topo_block_span *span = &play->plan[to]->span[set->first + s];
        for (int b = 0; b < span->count; b++, blocks++)
            *(into ? into + blocks : play->value + to * nodes + span->first + b) = (*mail)[blocks];
    }
    topo_free(*mail);
    *mail = NULL;
    play->in[to] += blocks;
}

/* One step of a node as far as it can go: true when it got on. */
static bool reduce(struct play *play, int node)
{
    int nodes = play->levels->nodes;
    struct topo_halving *plan = play->plan[node];
    const struct topo_halving_step *step = &plan->step[play->at[node]];
    if (play->at[node] == plan->count)
        return false;
    for (int i = 0; i < step->messages && !play->sent[node]; i++)
        send(play, node, plan->message[step->message + i].node, &plan->message[step->message + i].set);
    play->sent[node] = true;
    for (int i = 0; i < step->units - 1; i++)
        if (!play->mail[plan->child[step->child + i] * nodes + node])
            return false;
    uint64_t *sum = topo_calloc((size_t)nodes, sizeof *sum), *next = topo_calloc((size_t)nodes, sizeof *next);
    for (int unit = 0, child = step->child; unit < step->units; unit++) {
        if (unit != step->mine)
            receive(play, plan->child[child++], node, &step->kept, next);
        for (int s = 0, b = 0; s < step->kept.count; s++)
            for (int k = 0; k < plan->span[step->kept.first + s].count; k++, b++) {
                if (unit == step->mine)
                    next[b] = play->value[node * nodes + plan->span[step->kept.first + s].first + k];
                sum[b] = unit > 0 ? combine(sum[b], next[b]) : next[b];
            }
    }
    for (int s = 0, b = 0; s < step->kept.count; s++)
        for (int k = 0; k < plan->span[step->kept.first + s].count; k++)
            play->value[node * nodes + plan->span[step->kept.first + s].first + k] = sum[b++];
    topo_free(sum);
    topo_free(next);
    play->sent[node] = false;
    play->at[node]++;
    return true;
}

static bool has_all(const struct play *play, const struct topo_halving_step *step, int node)
{
    return play->root != NOBODY && topo_halving_has_all(play->levels, step, play->root, node);
}

static bool scatter(struct play *play, int node)
{
    struct topo_halving *plan = play->plan[node];
    const struct topo_halving_step *step = &plan->step[play->at[node]];
    if (play->at[node] == plan->count)
        return false;
    int source = topo_halving_source(plan, step, play->levels, play->root, node);
    if (source >= 0 && !play->mail[source * play->levels->nodes + node])
        return false;
    if (source >= 0)
        receive(play, source, node, &step->kept, NULL);
    for (int i = 0; i < step->messages && has_all(play, step, node); i++)
        send(play, node, plan->message[step->message + i].node, &plan->message[step->message + i].set);
    play->at[node]++;
    return true;
}

/* The allgather; of a broadcast without what goes to the root's units. */
static bool gather(struct play *play, int node)
{
    int nodes = play->levels->nodes;
    struct topo_halving *plan = play->plan[node];
    if (play->at[node] == 0)
        return false;
    const struct topo_halving_step *step = &plan->step[play->at[node] - 1];
    bool gets = !has_all(play, step, node);
    for (int i = 0; i < step->units - 1 && !play->sent[node]; i++)
        if (!has_all(play, step, plan->child[step->child + i]))
            send(play, node, plan->child[step->child + i], &step->kept);
    play->sent[node] = true;
    for (int i = 0; i < step->messages && gets; i++)
        if (!play->mail[plan->message[step->message + i].node * nodes + node])
            return false;
    for (int i = 0; i < step->messages && gets; i++)
        receive(play, plan->message[step->message + i].node, node, &plan->message[step->message + i].set, NULL);
    play->sent[node] = false;
    play->at[node]--;
    return true;
}

/* The scatter backwards. */
static bool gather_to_root(struct play *play, int node)
{
    struct topo_halving *plan = play->plan[node];
    if (play->at[node] == 0)
        return false;
    const struct topo_halving_step *step = &plan->step[play->at[node] - 1];
    const struct topo_halving_message *message = &plan->message[step->message];
    bool gets = has_all(play, step, node);
    int to = topo_halving_source(plan, step, play->levels, play->root, node);
    for (int i = 0; i < step->messages && gets; i++)
        if (!play->mail[message[i].node * play->levels->nodes + node])
            return false;
    for (int i = 0; i < step->messages && gets; i++)
        receive(play, message[i].node, node, &message[i].set, NULL);
    if (to >= 0)
        send(play, node, to, &step->kept);
    play->at[node]--;
    return true;
}

static void all_get_on(struct play *play, bool (*one)(struct play *play, int node))
{
    for (bool on = true; on;) {
        on = false;
        for (int node = 0; node < play->levels->nodes; node++)
            on |= one(play, node);
    }
}

/* From each node, or from some where there are many. */
static void broadcasts(struct play *play)
{
    int nodes = play->levels->nodes, step = nodes / 8 + 1;
    for (play->root = 0; play->root < nodes; play->root += step) {
        for (int node = 0; node < nodes; node++) {
            play->in[node] = 0;
            for (int block = 0; block < nodes; block++)
                play->value[node * nodes + block] = node == play->root ? operand_of(node, block) : 0;
        }
        all_get_on(play, scatter);
        for (int node = 0; node < nodes; node++)
            ck_assert_int_eq(play->at[node], play->plan[node]->count);
        all_get_on(play, gather);
        for (int node = 0; node < nodes; node++) {
            ck_assert_int_eq(play->at[node], 0);
            ck_assert_int_eq(play->in[node], node == play->root ? 0 : nodes);
            for (int block = 0; block < nodes; block++)
                ck_assert(play->value[node * nodes + block] == operand_of(play->root, block));
        }
    }
    for (int i = 0; i < nodes * nodes; i++)
        ck_assert_ptr_null(play->mail[i]);
}

/* To some nodes. */
static void reductions(struct play *play)
{
    int nodes = play->levels->nodes;
    for (int root = 0; root < nodes; root += nodes / 8 + 1) {
        play->root = NOBODY;
        for (int node = 0; node < nodes; node++)
            for (int block = 0; block < nodes; block++)
                play->value[node * nodes + block] = operand_of(node, block);
        all_get_on(play, reduce);
        play->root = root;
        memset(play->in, 0, (size_t)nodes * sizeof *play->in);
        all_get_on(play, gather_to_root);
        for (int node = 0; node < nodes; node++)
            ck_assert_int_eq(play->at[node], 0);
        ck_assert_int_eq(play->in[root], nodes - 1);
        for (int block = 0; block < nodes; block++)
            ck_assert(play->value[root * nodes + block] == sum_of(play->levels, 0, 0, block));
    }
    for (int i = 0; i < nodes * nodes; i++)
        ck_assert_ptr_null(play->mail[i]);
}

/* Returns the messages one node sends at most; *most the blocks. */
static void on_levels(const struct topo_tree *tree, int radix, int *messages, int *most)
{
    struct play play = {.root = NOBODY};
    ck_assert_int_eq(topo_levels_new(tree, radix, &play.levels), TOPO_OK);
    size_t nodes = (size_t)play.levels->nodes;
    play.plan = topo_calloc(nodes, sizeof(struct topo_halving *));
    play.value = topo_calloc(nodes * nodes, sizeof *play.value);
    play.mail = topo_calloc(nodes * nodes, sizeof(uint64_t *));
    play.mailed = topo_calloc(nodes * nodes, sizeof *play.mailed);
    play.sent = topo_calloc(nodes, sizeof *play.sent);
    play.at = topo_calloc(nodes, sizeof *play.at);
    play.out = topo_calloc(nodes, sizeof *play.out);
    play.in = topo_calloc(nodes, sizeof *play.in);
    *messages = *most = 0;
    for (size_t node = 0; node < nodes; node++) {
        ck_assert_int_eq(topo_halving_new(play.levels, (int)node, &play.plan[node]), TOPO_OK);
        for (size_t block = 0; block < nodes; block++)
            play.value[node * nodes + block] = operand_of((int)node, (int)block);
    }
    all_get_on(&play, reduce);
    for (size_t node = 0; node < nodes; node++) {
        const struct topo_halving *plan = play.plan[node];
        ck_assert_msg(play.at[node] == plan->count && plan->spans <= (int)nodes * (play.levels->count + 1),
                      "node %d is through", (int)node);
        ck_assert_msg(plan->count == 0 || plan->step[plan->count - 1].kept.blocks == 1, "its own block is left");
        ck_assert_int_eq(play.out[node], (int)nodes - 1);
        *messages = plan->messages > *messages ? plan->messages : *messages;
    }
    all_get_on(&play, gather);
    for (size_t node = 0; node < nodes; node++) {
        ck_assert_int_eq(play.at[node], 0);
        *most = play.out[node] > *most ? play.out[node] : *most;
        for (size_t block = 0; block < nodes; block++)
            ck_assert_msg(play.value[node * nodes + block] == sum_of(play.levels, 0, 0, (int)block),
                          "node %d has the sum of block %d", (int)node, (int)block);
    }
    broadcasts(&play);
    reductions(&play);
    for (size_t node = 0; node < nodes; node++)
        topo_halving_free(play.plan[node]);
    topo_free(play.plan);
    topo_free(play.value);
    topo_free(play.mail);
    topo_free(play.mailed);
    topo_free(play.sent);
    topo_free(play.at);
    topo_free(play.out);
    topo_free(play.in);
    topo_levels_free(play.levels);
}

START_TEST(every_machine)
{
    static const int radix[] = {0, 2, 3, 4, 8};
    struct topo_tree *tree = machine(_i);
    int messages, most;
    for (int r = 0; r < 5; r++)
        on_levels(tree, radix[r], &messages, &most);
    topo_tree_free(tree);
}
END_TEST

/* Where units are equal: r - 1 messages a level, 2 (1 - 1/N) of the vector, and a run for each message. */
START_TEST(even)
{
    static const struct {
        const char *machine;
        int radix, messages;
    } row[] = {{"node:16 core:1", 4, 6},  {"node:16 core:1", 2, 4}, {"node:64 core:2", 4, 9},
               {"node:64 core:1", 8, 14}, {"node:8 core:1", 4, 4},  {"switch:4 node:4 core:1", 4, 6}};
    for (int i = 0; i < (int)(sizeof row / sizeof *row); i++) {
        struct topo_tree *tree = machine_of(row[i].machine);
        struct topo_levels *levels;
        struct topo_halving *plan;
        int messages, most;
        on_levels(tree, row[i].radix, &messages, &most);
        ck_assert_int_eq(messages, row[i].messages);
        ck_assert_int_eq(topo_levels_new(tree, row[i].radix, &levels), TOPO_OK);
        ck_assert_int_eq(most, 2 * (levels->nodes - 1));
        for (int node = 0; node < levels->nodes; node++) {
            ck_assert_int_eq(topo_halving_new(levels, node, &plan), TOPO_OK);
            for (int k = 0; k < plan->messages; k++)
                ck_assert_int_eq(plan->message[k].set.count, 1);
            for (int k = 0; k < plan->count; k++)
                ck_assert_int_eq(plan->step[k].kept.count, 1);
            topo_halving_free(plan);
        }
        topo_levels_free(levels);
        topo_tree_free(tree);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("switch:2 node:3,2 core:1");
    struct topo_levels *levels;
    struct topo_halving *plan;
    ck_assert_int_eq(topo_levels_new(tree, 4, &levels), TOPO_OK);
    UNIT_OUT_OF_MEMORY(topo_halving_new(levels, 1, &plan), ck_assert((status == TOPO_OK) == (plan != NULL)));
    topo_halving_free(plan);
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("halving", {every_machine, MACHINES}, {even}, {out_of_memory})
