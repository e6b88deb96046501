#include "unit.h"

#include <string.h>

#include "machine/address.h"

/* The switches' names, comma behind each. */
START_TEST(parts)
{
    static const struct {
        const char *address, *host, *switches;
    } cases[] = {{"n0", "n0", ""},
                 {"s.n0", "n0", "s,"},
                 {"s.n0", "other", "s,"},
                 {"a.b.n0.x.y", "n0.x.y", "a,b,"},
                 {"a.b.n0.x.y", "n0", "a,b,"},
                 {"a.b.n0", "n0.x.y", "a,b,"},
                 {"n0.n0", "n0", "n0,"},
                 {"a[1.2].n0", "n0", "a[1.2],"},
                 {"a[1.n0", "n0", "a[1,"},
                 {"...", "n0", ",,,"},
                 {".", "", ","},
                 {"a.b", "", "a,"},
                 {"", "n0", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t first[4], length[4];
        char got[64] = "";
        int switches = topo_address_switches(cases[i].address, cases[i].host, 4, first, length);
        for (int k = 0; k < switches; k++) {
            strncat(got, cases[i].address + first[k], length[k]);
            strcat(got, ",");
        }
        ck_assert_msg(!strcmp(got, cases[i].switches), "%s of host %s: %s", cases[i].address, cases[i].host, got);
    }
}
END_TEST

START_TEST(no_more_than_there_is_room)
{
    size_t first[2] = {99, 99}, length[2] = {99, 99};
    ck_assert_int_eq(topo_address_switches("a.bc.d.e.n0", "n0", 1, first, length), 4);
    ck_assert(first[0] == 0 && length[0] == 1 && first[1] == 99 && length[1] == 99);
    ck_assert_int_eq(topo_address_switches("a.bc.d.e.n0", "n0", 2, first, length), 4);
    ck_assert(first[1] == 2 && length[1] == 2);
}
END_TEST

UNIT_MAIN("address", {parts}, {no_more_than_there_is_room})
