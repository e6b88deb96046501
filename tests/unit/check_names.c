#include "unit.h"

#include <string.h>

#include "machine/names.h"

static int add(struct topo_names *names, int number)
{
    char name[32];
    return topo_names_add(names, name, (size_t)snprintf(name, sizeof name, "n%d", number));
}

START_TEST(dictionary)
{
    struct topo_names names = {0};
    char name[32];
    ck_assert_int_eq(topo_names_find(&names, "n0", 2), -1);
    for (int i = 0; i < 10000; i++) {
        ck_assert_int_eq(add(&names, i), i);
        ck_assert_int_eq(add(&names, i / 2), i / 2);
    }
    for (int i = 0; i < 10000; i++) {
        int length = snprintf(name, sizeof name, "n%d", i);
        ck_assert_int_eq(topo_names_find(&names, name, (size_t)length), i);
        ck_assert_str_eq(topo_names_get(&names, i), name);
    }
    ck_assert_msg(topo_names_find(&names, "n10000", 6) == -1, "a name that was not added");
    ck_assert_msg(topo_names_find(&names, "n10000", 5) == 1000, "the length counts");
    ck_assert_msg(topo_names_add(&names, "a\0b", 3) == -1, "a NUL is no part of a name");
    topo_names_free(&names);
}
END_TEST

static enum topo_status add_200(struct topo_names *names)
{
    for (int i = 0; i < 200; i++) {
        int number = add(names, i);
        if (number == -1)
            return TOPO_NOMEM;
        ck_assert_int_eq(number, i);
    }
    return TOPO_OK;
}

START_TEST(out_of_memory)
{
    struct topo_names names = {0};
    UNIT_OUT_OF_MEMORY(add_200(&names), int count = names.count;
                       ck_assert_msg(add(&names, count) == count, "still usable after a failure");
                       topo_names_free(&names));
}
END_TEST

UNIT_MAIN("names", {dictionary}, {out_of_memory})
