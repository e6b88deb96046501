#include "unit.h"

#include <string.h>

#include "base/text.h"
#include "damage.h"
#include "topo-predict-dvm/dvm_par.h"
#include "base/notes.h"

static struct topo_notes notes;

static void says(const char *part)
{
    bool found = false;
    for (int i = 0; i < notes.kept; i++)
        found = found || strstr(notes.list[i].text, part);
    ck_assert_msg(found, "a note says '%s'; the first says '%s'", part, notes.kept ? notes.list[0].text : "");
}

static enum topo_status par_of(const char *text, struct topo_dvm_par *par)
{
    topo_notes_free(&notes);
    topo_dvm_par_default(par);
    return topo_dvm_par_parse(text, "P.par", par, &notes);
}

START_TEST(par_files)
{
    struct topo_dvm_par par;
    ck_assert(
        par_of("// all\n power=2;\n\nsend  byte\ttime = 0.4 ; type\n= transputer; topology={2,3 , 4};start time = 10;",
               &par) == TOPO_OK);
    ck_assert(par.machine.network == TOPO_NETWORK_GRID && par.power == 2);
    ck_assert_double_eq_tol(par.machine.byte, 0.4e-6, 1e-18);
    ck_assert_double_eq_tol(par.machine.start, 10e-6, 1e-18);
    ck_assert(par.machine.dimensions == 3 && par.machine.size[2] == 4);
    ck_assert(par_of("", &par) == TOPO_OK && par.machine.start == 75e-6);
    ck_assert(par_of("type = bus;", &par) == TOPO_PARSE);
    says("P.par:1: 'type = bus'; allowed: network or transputer");
    ck_assert(par_of("\n\npowr = 1;", &par) == TOPO_PARSE);
    says("P.par:3: 'powr = 1'; allowed: type, start time");
    ck_assert(par_of("start time = -1;", &par) == TOPO_PARSE);
    says("allowed: a number of 0 to 1e15");
    ck_assert(par_of("power = 0;", &par) == TOPO_PARSE);
    ck_assert(par_of("power = 1e7;", &par) == TOPO_PARSE);
    says("allowed: a number of 1e-6 to 1e6");
    ck_assert(par_of("topology = {};", &par) == TOPO_PARSE);
    ck_assert(par_of("topology = {2,0};", &par) == TOPO_PARSE);
    ck_assert(par_of("topology = {99999,99999};", &par) == TOPO_PARSE);
    ck_assert(par_of("power = 1", &par) == TOPO_PARSE);
    says("P.par:1: the statement does not end with ;");
    ck_assert(par_of("power; type = transputer;", &par) == TOPO_PARSE);
    ck_assert_msg(par.machine.network == TOPO_NETWORK_GRID, "the sound statement counts");
}
END_TEST

START_TEST(topologies)
{
    static const struct {
        const char *text;
        int dimensions, last;
    } good[] = {{"2x3", 2, 3}, {"{2, 2}", 2, 2}, {"7", 1, 7}, {"1,1,1,1,1,1,1,5", 8, 5}, {"1024 x 1024", 2, 1024}};
    static const char *const bad[] = {"", "x", "2x", "2x0", "-1", "1,1,1,1,1,1,1,1,1", "1024x1025", "2x2 2", "2.5"};
    struct topo_transfer_machine machine = {.dimensions = 99};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!topo_dvm_par_topology(bad[i], &machine) && machine.dimensions == 99, "'%s'", bad[i]);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(topo_dvm_par_topology(good[i].text, &machine), "'%s'", good[i].text);
        ck_assert_int_eq(machine.dimensions, good[i].dimensions);
        ck_assert_int_eq(machine.size[machine.dimensions - 1], good[i].last);
    }
}
END_TEST

START_TEST(damaged_par_files)
{
    static const char *const files[] = {"grid22", "grid4", "network2", "network22", "network4", "power2"};
    char path[300], *text = NULL;
    size_t length;
    damage_seed(300 + (unsigned)_i);
    snprintf(path, sizeof path, TEST_DATA "/dvm/%s.par", files[_i]);
    ck_assert(topo_read_file(path, &text, &length, NULL) == TOPO_OK);
    for (int round = 0; round < 5000; round++) {
        struct topo_dvm_par par;
        size_t size = length;
        char *copy = damaged(text, &size);
        ck_assert(par_of(copy, &par) == TOPO_OK || (notes.errors && strstr(notes.list[0].text, "P.par:")));
        ck_assert_msg(par.power > 0 && par.machine.start >= 0 && par.machine.byte >= 0 &&
                          par.machine.dimensions <= TOPO_GRID_DIMENSIONS_MAX,
                      "a machine that can be: %s", copy);
        topo_free(copy);
    }
    topo_free(text);
}
END_TEST

UNIT_MAIN("dvm_par", {par_files}, {topologies}, {damaged_par_files, 6})
