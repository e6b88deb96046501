#include "unit.h"

#include <string.h>

#include "base/numbers.h"

enum { MOST = 4096 };

static unsigned next(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* The list of `table`, shortened. */
static struct topo_numbers shortened(const int *table, int count)
{
    struct topo_numbers numbers;
    int *own = topo_alloc((size_t)count, sizeof *own);
    memcpy(own, table, (size_t)count * sizeof *own);
    topo_numbers_take(&numbers, own, count);
    topo_numbers_shorten(&numbers);
    return numbers;
}

static void check_same(const struct topo_numbers *numbers, const int *table, int count, const char *what)
{
    ck_assert_int_eq(numbers->count, count);
    for (int i = 0; i < count; i++)
        ck_assert_msg(topo_numbers_at(numbers, i) == table[i], "%s: number %d of %d is %d, not %d", what, i, count,
                      topo_numbers_at(numbers, i), table[i]);
}

/* Shortened it has the same numbers, and takes so many bytes; so has what comes out of its integers. */
static void check_kept(const int *table, int count, size_t bytes, const char *what)
{
    struct topo_numbers numbers = shortened(table, count), back;
    const struct topo_numbers plain = topo_numbers_view(table, count);
    check_same(&numbers, table, count, what);
    ck_assert_msg(topo_numbers_bytes(&numbers) == bytes, "%s: %zu bytes, not %zu", what, topo_numbers_bytes(&numbers),
                  bytes);
    ck_assert(topo_numbers_equal(&numbers, &plain) && topo_numbers_equal(&plain, &numbers));
    size_t length = topo_numbers_packed(&numbers);
    int *ints = topo_alloc(length + 1, sizeof *ints), end = 0;
    bool out_of_memory;
    for (int i = 0; i < count; i++)
        end = table[i] >= end ? table[i] + 1 : end;
    topo_numbers_pack(&numbers, ints);
    ints[length] = 1; /* of what follows */
    ck_assert_msg(topo_numbers_unpack(ints, length + 1, count, end, &back, &out_of_memory) == length, "%s", what);
    check_same(&back, table, count, what);
    topo_numbers_free(&back);
    ck_assert_msg(topo_numbers_unpack(ints, length, count, end - 1, &back, &out_of_memory) == 0 && !out_of_memory,
                  "%s: a number that is too high", what);
    ck_assert(topo_numbers_unpack(ints, length - 1, count, end, &back, &out_of_memory) == 0);
    topo_numbers_unpack(ints, length, count + 1, end, &back, &out_of_memory);
    for (int i = 0; i < back.count && (back.table || back.digits || back.runs); i++)
        ck_assert_msg(topo_numbers_at(&back, i) >= 0 && topo_numbers_at(&back, i) < end, "%s, one more", what);
    topo_numbers_free(&back);
    topo_free(ints);
    topo_numbers_free(&numbers);
}

/* What placements on `nodes` nodes of `each` ranks, of which the last `missing` are not there, give. */
static void check_placements(int nodes, int each, int missing)
{
    static int table[MOST];
    int count = nodes * each - missing;
    for (int i = 0; i < count; i++)
        table[i] = i;
    check_kept(table, count, 0, "order by slot");
    for (int i = 0; i < count; i++)
        table[i] = i / each;
    check_kept(table, count, 0, "nodes by slot");
    for (int i = 0; i < count; i++)
        table[i] = i % nodes;
    check_kept(table, count, 0, "nodes by node");
    for (int i = 0; i < count; i++)
        table[i] = 3 * i;
    check_kept(table, count, 0, "every third rank");
    for (int i = 0; i < count && each % 2 == 0 && missing == 0; i++)
        table[i] = i % nodes * 2 + i / nodes / (each / 2);
    if (each % 2 == 0 && missing == 0)
        check_kept(table, count, 0, "packages by node");
    for (int i = 0; i < count && missing == 0; i++)
        table[i] = i % each * nodes + i / each;
    if (missing == 0)
        check_kept(table, count, 0, "order by node");
}

START_TEST(placements)
{
    topo_numbers_short = 0;
    check_placements(1, 1, 0);
    check_placements(1, 7, 0);
    check_placements(7, 1, 0);
    check_placements(4, 4, 0);
    check_placements(64, 64, 0);
    check_placements(100, 36, 0);
    check_placements(17, 24, 5);
    check_placements(3, 2, 1);
}
END_TEST

/* Nodes of different sizes: a run each. */
START_TEST(uneven)
{
    static int table[MOST];
    unsigned seed = 7;
    int count = 0, node = 0;
    topo_numbers_short = 0;
    for (; count + 64 < MOST; node++)
        for (int size = 33 + (int)next(&seed, 31); size > 0; size--)
            table[count++] = node;
    check_kept(table, count, (size_t)node * sizeof(struct topo_numbers_run), "nodes by slot, uneven");
}
END_TEST

/* Any numbers, with a rule for a part of them. */
START_TEST(random_numbers)
{
    static int table[MOST];
    unsigned seed = 100u + (unsigned)_i;
    topo_numbers_short = 0;
    int count = 2 + (int)next(&seed, 200), radix = 1 + (int)next(&seed, 9), step = (int)next(&seed, 4),
        other = (int)next(&seed, 50);
    for (int i = 0; i < count; i++)
        table[i] = i % radix * step + i / radix * other;
    for (unsigned changes = next(&seed, 4); changes > 0; changes--)
        table[next(&seed, (unsigned)count)] = (int)next(&seed, 500);
    struct topo_numbers numbers = shortened(table, count);
    size_t bytes = topo_numbers_bytes(&numbers);
    ck_assert_msg(bytes == (size_t)count * sizeof *table || bytes <= (size_t)count * sizeof *table / 2,
                  "%zu bytes for %d numbers", bytes, count);
    topo_numbers_free(&numbers);
    check_kept(table, count, bytes, "random");
}
END_TEST

START_TEST(short_ones_stay)
{
    static int table[MOST];
    struct topo_numbers numbers;
    topo_numbers_short = 1024;
    for (int i = 0; i < MOST; i++)
        table[i] = i;
    numbers = shortened(table, topo_numbers_short);
    ck_assert(numbers.table);
    topo_numbers_free(&numbers);
    numbers = shortened(table, topo_numbers_short + 1);
    ck_assert(!numbers.table && topo_numbers_bytes(&numbers) == 0);
    topo_numbers_free(&numbers);
}
END_TEST

/* Integers that were changed are refused, or are a list whose numbers are all below the end. */
START_TEST(damaged)
{
    static const int wrong[] = {-1, 0, 1, 2, 3, 5, 9, 12, 0x7fffffff, -0x7fffffff - 1};
    static const int lists[3][12] = {{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3},
                                     {0, 1, 2, 3, 4, 5, 9, 8, 7, 6, 5, 4},
                                     {5, 0, 3, 3, 1, 2, 9, 0, 0, 7, 1, 4}};
    topo_numbers_short = 0;
    for (int l = 0; l < 3; l++) {
        struct topo_numbers numbers = shortened(lists[l], 12), back;
        ck_assert_int_eq(l == 0 ? numbers.digits : l == 1 ? numbers.runs : numbers.table != NULL, l == 2 ? 1 : 2);
        size_t length = topo_numbers_packed(&numbers);
        int ints[32], changed[32];
        bool out_of_memory;
        topo_numbers_pack(&numbers, ints);
        for (size_t at = 0; at < length; at++)
            for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
                memcpy(changed, ints, sizeof ints);
                changed[at] = wrong[i];
                if (topo_numbers_unpack(changed, length, 12, 10, &back, &out_of_memory) == 0)
                    continue;
                for (int k = 0; k < 12; k++)
                    ck_assert(topo_numbers_at(&back, k) >= 0 && topo_numbers_at(&back, k) < 10);
                topo_numbers_free(&back);
            }
        topo_numbers_free(&numbers);
    }
}
END_TEST

START_TEST(no_memory)
{
    static int table[MOST];
    topo_numbers_short = 0;
    for (int i = 0; i < MOST; i++)
        table[i] = i / 40 + i / 1010 + i / 2300;
    int *own = topo_alloc(MOST, sizeof *own);
    struct topo_numbers numbers;
    memcpy(own, table, sizeof table);
    topo_numbers_take(&numbers, own, MOST);
    topo_memory_fail_after(0);
    topo_numbers_shorten(&numbers);
    topo_memory_fail_after(-1);
    ck_assert_msg(numbers.table == own, "they stay as they are");
    topo_numbers_shorten(&numbers);
    ck_assert(!numbers.table && numbers.runs > 1);
    check_same(&numbers, table, MOST, "later");
    topo_numbers_free(&numbers);
}
END_TEST

/* A list whose numbers lie elsewhere is the same one, and leaves them there. */
START_TEST(lent)
{
    int elsewhere[] = {5, 0, 3, 3, 1, 2, 9, 0, 0, 7, 1, 4}, in_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    topo_numbers_short = 12;
    struct topo_numbers numbers = shortened(elsewhere, 12);
    ck_assert_msg(!topo_numbers_is_long_table(&numbers), "it is short");
    topo_numbers_short = 11;
    ck_assert(topo_numbers_is_long_table(&numbers));
    topo_numbers_lend(&numbers, elsewhere);
    ck_assert(numbers.table == elsewhere && !topo_numbers_is_long_table(&numbers));
    topo_numbers_shorten(&numbers);
    check_same(&numbers, elsewhere, 12, "lent");
    topo_numbers_lend(&numbers, in_order);
    topo_numbers_shorten(&numbers);
    ck_assert_msg(!numbers.table, "it has a rule");
    check_same(&numbers, in_order, 12, "by its rule");
    topo_numbers_free(&numbers);
    numbers = topo_numbers_view(elsewhere, 12);
    ck_assert(!topo_numbers_is_long_table(&numbers));
    topo_numbers_free(&numbers);
}
END_TEST

UNIT_MAIN("numbers", {placements}, {uneven}, {random_numbers, 400}, {short_ones_stay}, {damaged}, {no_memory}, {lent})
