/* What a process may run on is what it says, and ranks share processors where these are few. */
#include "unit.h"

#include <string.h>

#include "base/processors.h"

START_TEST(bound_to_one)
{
    cpu_set_t all, one;
    int usable = topo_processors_usable(&all), first = 0;
    ck_assert_int_ge(usable, 1);
    ck_assert_int_eq(CPU_COUNT(&all), usable);
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_int_eq(topo_processors_usable(&one), 1);
    ck_assert(CPU_ISSET(first, &one));
    ck_assert_int_eq(topo_bound(), topo_processors() > 1);
}
END_TEST

START_TEST(pretended)
{
    int online = topo_processors();
    ck_assert_int_ge(online, 1);
    topo_processors_pretended = online + 3;
    ck_assert_int_eq(topo_processors(), online + 3);
    topo_processors_pretended = 0;
    ck_assert_int_eq(topo_processors(), online);
}
END_TEST

/* What a rank of this kernel says, or of another one, that may use processors first .. first + count - 1. */
static void say(uint64_t words[TOPO_PROCESSORS_WORDS], bool elsewhere, int first, int count)
{
    topo_processors_pretended = count;
    topo_processors_say(words);
    topo_processors_pretended = 0;
    if (elsewhere) {
        words[0] += 2;
        words[1] = ~words[0];
    }
    cpu_set_t *set = (cpu_set_t *)&words[2];
    ck_assert_int_eq(CPU_COUNT(set), count);
    CPU_ZERO(set);
    for (int i = first; i < first + count; i++)
        CPU_SET(i, set);
}

static const struct {
    const char *name;
    bool elsewhere; /* the second rank's kernel is another one */
    int first[2], count[2];
    int ranks, node_ranks;
    struct topo_sharing sharing;
} cases[] = {
    {"a processor each", false, {0, 0}, {8, 8}, 8, 4, {0, false}},
    {"containers", false, {0, 0}, {8, 8}, 9, 3, {8, false}},
    {"one node", false, {0, 0}, {2, 2}, 3, 3, {2, false}},
    {"nodes", true, {0, 0}, {8, 8}, 64, 8, {0, true}},
    {"crowded nodes", true, {0, 0}, {8, 8}, 64, 9, {8, true}},
    {"bound, each to its own", false, {0, 1}, {1, 1}, 2, 2, {0, false}},
    {"bound, all to one", false, {3, 3}, {1, 1}, 2, 2, {1, false}},
    {"containers with processors of their own", false, {0, 4}, {4, 4}, 8, 4, {0, false}},
    {"bound on two nodes", true, {0, 0}, {1, 1}, 2, 1, {0, true}},
};

START_TEST(sharing)
{
    uint64_t one[TOPO_PROCESSORS_WORDS], other[TOPO_PROCESSORS_WORDS];
    say(one, false, cases[_i].first[0], cases[_i].count[0]);
    say(other, cases[_i].elsewhere, cases[_i].first[1], cases[_i].count[1]);
    for (int i = 0; i < TOPO_PROCESSORS_WORDS; i++)
        one[i] |= other[i];
    struct topo_sharing found = topo_sharing_of(one, cases[_i].ranks, cases[_i].node_ranks);
    ck_assert_msg(found.processors == cases[_i].sharing.processors && found.of_node == cases[_i].sharing.of_node,
                  "%s: %d processors%s", cases[_i].name, found.processors, found.of_node ? " of a node" : "");
}
END_TEST

/* This process: what it may use, and not what it may not. */
START_TEST(words_of_this_process)
{
    uint64_t words[TOPO_PROCESSORS_WORDS];
    cpu_set_t usable, said;
    topo_processors_usable(&usable);
    topo_processors_say(words);
    memcpy(&said, &words[2], sizeof said);
    ck_assert(CPU_EQUAL(&usable, &said));
}
END_TEST

UNIT_MAIN("processors", {bound_to_one}, {pretended}, {sharing, sizeof cases / sizeof *cases}, {words_of_this_process})
