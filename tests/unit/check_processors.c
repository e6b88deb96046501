/* What a process may run on is what it says, and numbers tell bytes apart. */
#include "unit.h"

#include <math.h>

#include "base/hash.h"
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

static void check_whole(double number)
{
    ck_assert(number == floor(number) && number >= 0 && number < ldexp(1, 48));
}

START_TEST(numbers)
{
    check_whole(topo_kernel());
    ck_assert(topo_kernel() == topo_kernel());
    double a = topo_hash_number("node 1", 6), b = topo_hash_number("node 2", 6);
    check_whole(a);
    ck_assert(a != b && a == topo_hash_number("node 1", 6) && a != topo_hash_number("node 1", 5));
}
END_TEST

UNIT_MAIN("processors", {bound_to_one}, {pretended}, {numbers})
