#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/hostlist.h"

static enum topo_status collect(const char *name, size_t length, void *context)
{
    struct topo_text *out = context;
    ck_assert_uint_eq(strlen(name), length);
    topo_text_addf(out, "%s%s", out->length ? " " : "", name);
    return TOPO_OK;
}

static enum topo_status count(const char *name, size_t length, void *context)
{
    (void)name;
    (void)length;
    ++*(long *)context;
    return TOPO_OK;
}

START_TEST(lists)
{
    static const char *const cases[][2] = {
        {"n0", "n0"},
        {"n[0-3,7],m[01-04]x", "n0 n1 n2 n3 n7 m01x m02x m03x m04x"},
        {"n[8-11]", "n8 n9 n10 n11"},
        {"n[08-11]", "n08 n09 n10 n11"},
        {"n[008,1,098-101]", "n008 n1 n098 n099 n100 n101"},
        {"n[5]", "n5"},
        {"a,b.c-d_e,f", "a b.c-d_e f"},
        {"r[0-1]n[1-2]", "r0n1 r0n2 r1n1 r1n2"},
        {"[1-2].x[3]y", "1.x3y 2.x3y"},
        {"n[000000000-000000001]", "n000000000 n000000001"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topo_text out = {0};
        struct topo_error error = {""};
        ck_assert_msg(topo_hostlist_walk(cases[i][0], strlen(cases[i][0]), collect, &out, &error) == TOPO_OK, "%s: %s",
                      cases[i][0], error.text);
        ck_assert_str_eq(out.text, cases[i][1]);
        topo_text_free(&out);
    }
}
END_TEST

START_TEST(nonsense)
{
    static const char *const bad[] = {
        "",       ",",     "n0,",       ",n0",     "n0,,n1",         "n[",
        "n]",     "n[]",   "n[0",       "n[0-]",   "n[-3]",          "n[3-1]",
        "n[0,]",  "n[,0]", "n[0-1-2]",  "n[a]",    "n[0-b]",         "n[[0]]",
        "n[0]]",  "n 0",   "n\t",       "n=0",     "n\"0",           "n[1234567890]",
        "n[0x1]", "n[0-1", "n[0-1],m[", "n[0- 1]", "n[0-999999999]", "[0-999][0-999][0-999][0-999]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct topo_error error = {""};
        long names = 0;
        ck_assert_msg(topo_hostlist_walk(bad[i], strlen(bad[i]), count, &names, &error) == TOPO_PARSE,
                      "'%s' is refused", bad[i]);
        ck_assert_msg(strstr(error.text, "allowed:"), "'%s': what is allowed is said, not '%s'", bad[i], error.text);
        ck_assert_msg(names <= TOPO_HOSTLIST_MAX, "'%s': the walk ends", bad[i]);
    }
}
END_TEST

START_TEST(long_names)
{
    char list[600];
    long names = 0;
    memset(list, 'n', sizeof list);
    ck_assert(topo_hostlist_walk(list, 255, count, &names, NULL) == TOPO_OK && names == 1);
    ck_assert(topo_hostlist_walk(list, 256, count, &names, NULL) == TOPO_PARSE && names == 1);
    memcpy(list + 253, "[0-12]", 6);
    ck_assert_msg(topo_hostlist_walk(list, 259, count, &names, NULL) == TOPO_OK, "n...n12 has 255 bytes");
    ck_assert_int_eq(names, 1 + 13);
    memcpy(list + 253, "[100]", 5);
    ck_assert_msg(topo_hostlist_walk(list, 258, count, &names, NULL) == TOPO_PARSE, "n...n100 has 256 bytes");
    memset(list, '[', sizeof list);
    ck_assert(topo_hostlist_walk(list, sizeof list, count, &names, NULL) == TOPO_PARSE);
}
END_TEST

static enum topo_status stop(const char *name, size_t length, void *context)
{
    (void)length;
    (void)context;
    return strcmp(name, "n2") ? TOPO_OK : TOPO_IO;
}

START_TEST(visitor_ends_the_walk)
{
    ck_assert(topo_hostlist_walk("n[0-3]", 6, stop, NULL, NULL) == TOPO_IO);
    ck_assert_msg(topo_hostlist_walk("n0,n1,n[", 5, stop, NULL, NULL) == TOPO_OK, "the length counts, not the NUL");
}
END_TEST

START_TEST(fuzz)
{
    static const char *const seeds[] = {"n[0-3,7],m[01-04]x", "r[0-1]n[1-2],a.b", "x,y,z[5,6,07-09]"};
    static const char alphabet[] = "n0123456789[]-,. =x\n";
    unsigned state = 3;
    int taken = 0, refused = 0;
    for (int round = 0; round < 20000; round++) {
        char text[64];
        struct topo_error error = {""};
        long names = 0;
        strcpy(text, seeds[round % 3]);
        for (int change = 0; change <= round % 3; change++) {
            state = state * 1664525u + 1013904223u;
            text[(state >> 8) % strlen(text)] = alphabet[(state >> 20) % (sizeof alphabet - 1)];
        }
        enum topo_status status = topo_hostlist_walk(text, strlen(text), count, &names, &error);
        ck_assert_msg(status == TOPO_OK ? names > 0 : status == TOPO_PARSE && error.text[0], "'%s': %d", text, status);
        taken += status == TOPO_OK;
        refused += status != TOPO_OK;
    }
    ck_assert_msg(taken > 100 && refused > 100, "both happen: %d taken, %d refused", taken, refused);
}
END_TEST

UNIT_MAIN("hostlist", {lists}, {nonsense}, {long_names}, {visitor_ends_the_walk}, {fuzz})
