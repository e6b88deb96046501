/* In-node places on machines made up by hwloc's own means: HWLOC_SYNTHETIC, HWLOC_XMLFILE. */
#include "unit.h"

#include <sched.h>
#include <string.h>

#include "machine/build.h"

enum { RANKS_MAX = 8 };

/* A list of CPUs such as "0-3,8" as a mask; "" is the empty mask. */
static cpu_set_t mask_of(const char *list)
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    while (*list) {
        char *end;
        long low = strtol(list, &end, 10), high = low;
        if (*end == '-')
            high = strtol(end + 1, &end, 10);
        for (long cpu = low; cpu <= high; cpu++)
            CPU_SET((size_t)cpu, &mask);
        list = *end == ',' ? end + 1 : end;
    }
    return mask;
}

/* One row a rank: its CPUs and the expected package, numa, l3, core. */
struct row {
    const char *cpus;
    int package, numa, l3, core;
};

static void check_rows(const struct row *rows, int count)
{
    cpu_set_t masks[RANKS_MAX] = {0};
    struct topo_place places[RANKS_MAX];
    struct topo_error error = {""};
    memset(places, 0x55, sizeof places);
    const struct topo_place before = places[0];
    for (int i = 0; i < count; i++)
        masks[i] = mask_of(rows[i].cpus);
    enum topo_status status = topo_hwloc_places((const unsigned char *)masks, sizeof *masks, count, places, &error);
    ck_assert_msg(status == TOPO_OK, "places are found: %s", error.text);
    for (int i = 0; i < count; i++) {
        const struct topo_place *got = &places[i];
        ck_assert_msg(got->package == rows[i].package && got->numa == rows[i].numa && got->l3 == rows[i].l3 &&
                          got->core == rows[i].core,
                      "CPUs '%s' are in package %d numa %d l3 %d core %d, not %d %d %d %d", rows[i].cpus,
                      rows[i].package, rows[i].numa, rows[i].l3, rows[i].core, got->package, got->numa, got->l3,
                      got->core);
        ck_assert_msg(got->host == before.host && got->slurm_address == before.slurm_address,
                      "the rest of a place is not touched");
    }
}

static void machine(const char *synthetic)
{
    setenv("HWLOC_SYNTHETIC", synthetic, 1);
}

START_TEST(two_packages)
{
    machine("package:2 numa:2 l3:2 core:2 pu:2");
    static const struct row rows[] = {{"0", 0, 0, 0, 0},    {"0-1", 0, 0, 0, 0},     {"2,3", 0, 0, 0, 1},
                                      {"1-2", 0, 0, 0, -1}, {"0-7", 0, 0, -1, -1},   {"4,9", 0, -1, -1, -1},
                                      {"31", 1, 3, 7, 15},  {"0-31", -1, -1, -1, -1}};
    check_rows(rows, 8);
}
END_TEST

/* More CPUs than one word of the mask holds. */
START_TEST(many_cpus)
{
    machine("package:2 l3:4 core:32 pu:2");
    static const struct row rows[] = {
        {"0", 0, 0, 0, 0}, {"63-64", 0, 0, -1, -1}, {"511", 1, 0, 7, 255}, {"448-511", 1, 0, 7, -1}};
    check_rows(rows, 4);
}
END_TEST

/* A machine without L3: that kind stays unknown, the others do not. */
START_TEST(no_l3)
{
    machine("package:2 core:2 pu:1");
    static const struct row rows[] = {{"0", 0, 0, -1, 0}, {"3", 1, 0, -1, 3}};
    check_rows(rows, 2);
}
END_TEST

START_TEST(odd_masks)
{
    machine("package:2 core:2 pu:1");
    /* Nothing but CPUs that the machine does not have; and some of each. */
    static const struct row rows[] = {{"", -1, -1, -1, -1}, {"100", -1, -1, -1, -1}, {"3,100", 1, 0, -1, 3}};
    check_rows(rows, 3);
}
END_TEST

/* An uneven machine: its CPUs and cores have gaps, its packages 1 and 2 NUMA nodes
 * (hwloc's "package:2 numa:2 l3:1 core:3 pu:2" restricted to CPUs 0-5,12-19). */
START_TEST(uneven_xml)
{
    char path[4096];
    const char *source = getenv("TOP_SRCDIR");
    snprintf(path, sizeof path, "%s/tests/data/machine/uneven.xml", source ? source : ".");
    setenv("HWLOC_XMLFILE", path, 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    static const struct row rows[] = {{"4-5", 0, 0, 0, 2},      {"12", 1, 1, 1, 3},   {"18-19", 1, 2, 2, 6},
                                      {"17,18", 1, -1, -1, -1}, {"0-5", 0, 0, 0, -1}, {"5,12", -1, -1, -1, -1},
                                      {"6-12", 1, 1, 1, 3}};
    check_rows(rows, 7);
}
END_TEST

START_TEST(equal_sets_need_no_machine)
{
    /* Were hwloc loaded, it would fail. */
    setenv("HWLOC_XMLFILE", "/nonexistent.xml", 1);
    setenv("HWLOC_COMPONENTS", "xml,stop", 1);
    static const struct row rows[] = {{"1", -1, -1, -1, -1}, {"1", -1, -1, -1, -1}, {"1", -1, -1, -1, -1}};
    check_rows(rows, 3);
    check_rows(rows, 1);
    check_rows(rows, 0);
}
END_TEST

START_TEST(no_machine)
{
    cpu_set_t masks[2] = {mask_of("0"), mask_of("1")};
    struct topo_place places[2];
    struct topo_error error = {""};
    memset(places, 0, sizeof places);
    setenv("HWLOC_XMLFILE", "/nonexistent.xml", 1);
    setenv("HWLOC_COMPONENTS", "xml,stop", 1);
    ck_assert_msg(topo_hwloc_places((const unsigned char *)masks, sizeof *masks, 2, places, &error) == TOPO_UNSUPPORTED,
                  "a machine that cannot be loaded is said");
    ck_assert(error.text[0]);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(places[i].package == -1 && places[i].core == -1, "and the places are unknown");
}
END_TEST

UNIT_MAIN("places", {two_packages}, {many_cpus}, {no_l3}, {odd_masks}, {uneven_xml}, {equal_sets_need_no_machine},
          {no_machine})
