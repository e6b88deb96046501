#include "unit.h"

#include <string.h>

#include "base/numbers_search.h"

enum { MILLION = 1 << 20, FAILS = 42 };

/* A list, and how many numbers were compared when it was asked, as a group of Open MPI is searched. */
struct list {
    const int *table;
    int count, end;
    uint64_t compared;
    long questions, fails_at; /* the question that fails; 0: none */
};

static int some(void *context, int first, int count, const int *number, int numbers, int *found)
{
    struct list *list = context;
    ck_assert(first >= 0 && count > 0 && first + count <= list->count && numbers > 0);
    for (int i = 0; i < numbers; i++) {
        ck_assert(number[i] >= 0 && number[i] < list->end);
        for (int k = 0; numbers <= 64 && k < i; k++)
            ck_assert_int_ne(number[i], number[k]); /* a group has each once */
    }
    for (int i = 0; i < count; i++) {
        found[i] = -1;
        for (int k = 0; k < numbers && found[i] < 0; k++, list->compared++)
            if (number[k] == list->table[first + i])
                found[i] = k;
    }
    return ++list->questions == list->fails_at ? FAILS : 0;
}

static int any(void *context, int place, int *number)
{
    struct list *list = context;
    ck_assert(place >= 0 && place < list->count);
    *number = list->table[place];
    list->compared += (uint64_t)(*number < 0 ? list->end : *number + 1);
    return ++list->questions == list->fails_at ? FAILS : 0;
}

static int search(struct list *list, uint64_t most, int *table, bool *all)
{
    const struct topo_numbers_asked asked = {list, some, any};
    list->compared = 0;
    list->questions = 0;
    return topo_numbers_search(&asked, list->count, list->end, most, table, all);
}

/* It is found, with so many comparisons for each place and number at most. */
static void check_found(const int *table, int count, int end, int each, const char *what)
{
    struct list list = {.table = table, .count = count, .end = end};
    int *found = topo_alloc((size_t)count + 1, sizeof *found);
    bool all;
    ck_assert_int_eq(search(&list, UINT64_MAX, found, &all), 0);
    ck_assert_msg(all && !memcmp(found, table, (size_t)count * sizeof *found), "%s of %d below %d", what, count, end);
    uint64_t most = (uint64_t)each * ((uint64_t)count + (uint64_t)end + 64);
    ck_assert_msg(list.compared <= most, "%s of %d below %d: %llu numbers compared, not %llu", what, count, end,
                  (unsigned long long)list.compared, (unsigned long long)most);
    topo_free(found);
}

static unsigned next(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Groups as programs make them, of some of `end` ranks or all. */
static void check_all(int end, int per_node)
{
    int *table = topo_alloc((size_t)end, sizeof *table), count, nodes = end / per_node;
    unsigned seed = 7;
    const int parts[] = {1, 2, 3, 64};
    for (int k = 0; k < 4; k++) {
        for (count = 0; count * parts[k] < end; count++)
            table[count] = count * parts[k];
        check_found(table, count, end, 8, "every so manyth");
        for (count = 0; count < end / parts[k]; count++)
            table[count] = end - 1 - count;
        check_found(table, count, end, 8, "backwards");
        for (count = 0; count < end / parts[k]; count++)
            table[count] = count + end - end / parts[k];
        check_found(table, count, end, 8, "the last ones");
    }
    for (int wide = 1; wide < per_node; wide = wide * 5 / 2 + 1) {
        count = 0;
        for (int i = 0; i < end; i++)
            if (i % per_node < wide)
                table[count++] = i;
        check_found(table, count, end, 16, "some of each node");
    }
    for (int i = 0; i < nodes * per_node; i++)
        table[i] = i % per_node * nodes + i / per_node;
    check_found(table, nodes * per_node, end, 10, "by node");
    for (int i = 0; i < nodes * per_node; i++)
        table[i] = i % nodes * per_node + i / nodes;
    check_found(table, nodes * per_node, end, 10, "by node, back");
    for (int sparse = 2; sparse < 2000; sparse *= 4) {
        count = 0;
        for (int i = 0; i < end; i++)
            if (next(&seed, (unsigned)sparse) == 0)
                table[count++] = i;
        check_found(table, count, end, 24, "any, upwards");
    }
    topo_free(table);
}

START_TEST(rules)
{
    check_all(MILLION, 128);
    check_all(100000, 48);
    check_all(4096, 2);
    for (int end = 1; end < 40; end++)
        for (int per_node = 1; per_node <= end; per_node += 3)
            check_all(end, per_node);
}
END_TEST

static void shuffle(int *table, int count, unsigned seed)
{
    for (int i = 0; i < count; i++)
        table[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int k = (int)next(&seed, (unsigned)i + 1), kept = table[i];
        table[i] = table[k];
        table[k] = kept;
    }
}

/* Whatever order: right; given up, soon, where that takes too much. */
START_TEST(no_rule)
{
    static int table[20000], found[20000];
    bool all;
    for (int count = 1; count <= 600; count += 1 + count / 7)
        for (unsigned seed = 1; seed < 6; seed++) {
            shuffle(table, count, seed);
            check_found(table, count, count, 1000, "in no order");
            check_found(table, count / 2, count, 1000, "some, in no order");
        }
    struct list list = {.table = table, .count = 20000, .end = 20000};
    shuffle(table, 20000, 3);
    ck_assert_int_eq(search(&list, 1 << 22, found, &all), 0);
    ck_assert(!all && list.compared < 1 << 23);
}
END_TEST

/* A place that holds no number. */
START_TEST(foreign)
{
    static int table[1000], found[1000];
    bool all;
    for (int place = 0; place < 1000; place += 1 + place / 3) {
        for (int i = 0; i < 1000; i++)
            table[i] = i;
        table[place] = -1;
        struct list list = {.table = table, .count = 1000, .end = 1000};
        ck_assert_int_eq(search(&list, UINT64_MAX, found, &all), 0);
        ck_assert(!all);
    }
}
END_TEST

START_TEST(failures)
{
    static int table[300], found[300];
    bool all;
    shuffle(table, 300, 9);
    struct list list = {.table = table, .count = 300, .end = 300};
    ck_assert_int_eq(search(&list, UINT64_MAX, found, &all), 0);
    for (long fails_at = 1, questions = list.questions; fails_at <= questions; fails_at++) {
        list.fails_at = fails_at;
        ck_assert_int_eq(search(&list, UINT64_MAX, found, &all), FAILS);
        ck_assert_int_eq(list.questions, fails_at);
    }
    list.count = 0;
    list.fails_at = 0;
    ck_assert(search(&list, 0, found, &all) == 0 && all && list.questions == 0);
}
END_TEST

UNIT_MAIN("numbers_search", {rules}, {no_rule}, {foreign}, {failures})
