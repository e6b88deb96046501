#include "unit.h"

#include <math.h>

#include "topo-predict-dvm/transfer.h"

static const struct topo_transfer_machine bus = {TOPO_NETWORK_BUS, 75e-6, 0.2e-6, 2, {2, 2}};
static const struct topo_transfer_machine grid = {TOPO_NETWORK_GRID, 75e-6, 0.2e-6, 2, {2, 3}};

static void is(double seconds, double us, const char *what)
{
    ck_assert_msg(fabs(seconds * 1e6 - us) < 1e-6, "%s: %.6f us, by hand %.6f", what, seconds * 1e6, us);
}

START_TEST(distances)
{
    ck_assert_int_eq(topo_transfer_processors(&grid), 6);
    ck_assert_int_eq(topo_transfer_distance(&grid, 0, 5), 3);
    ck_assert_int_eq(topo_transfer_distance(&grid, 2, 3), 3);
    ck_assert_int_eq(topo_transfer_distance(&grid, 4, 4), 0);
    ck_assert_int_eq(topo_transfer_distance(&grid, 1, 4), 1);
}
END_TEST

START_TEST(bus_adds_up)
{
    int64_t bytes[16] = {0};
    is(topo_transfer_cost(&bus, bytes), 0, "nothing to send");
    bytes[0] = 1000; /* to itself */
    bytes[1] = 100;
    bytes[2 * 4 + 3] = 10;
    is(topo_transfer_cost(&bus, bytes), 75 + 20 + 75 + 2, "two messages one after the other");
}
END_TEST

START_TEST(grid_takes_the_farthest)
{
    int64_t bytes[36] = {0};
    bytes[0 * 6 + 1] = 5000;
    is(topo_transfer_cost(&grid, bytes), 75 + 1000, "neighbours");
    bytes[0 * 6 + 5] = 10;
    bytes[2 * 6 + 3] = 16;
    /* l = 3, LB = 16, one packet: (3 - 1 + 1) (75 + 3.2) */
    is(topo_transfer_cost(&grid, bytes), 3 * 78.2, "the longest of the farthest, whatever neighbours send");
}
END_TEST

/* By hand: LB = 3000, l = 2: S near sqrt(3000*75/0.2) = 1060.66; 3 packets of 1000: (1 + 3)(75 + 200) = 1100,
 * 1060: (1 + 3)(75 + 212) = 1148; walking down to 1000 finds it. */
START_TEST(packets)
{
    is(topo_transfer_pipelined(75e-6, 0.2e-6, 2, 3000), 1100, "3 packets of 1000");
    is(topo_transfer_pipelined(75e-6, 0.2e-6, 1, 3000), 675, "no pipeline to a neighbour");
    is(topo_transfer_pipelined(75e-6, 0, 4, 3000), 300, "bytes cost nothing: one packet");
    is(topo_transfer_pipelined(0, 0.2e-6, 3, 10), 12 * 0.2, "starts cost nothing: packets of one byte");
    is(topo_transfer_pipelined(75e-6, 0.2e-6, 3, 0), 0, "nothing to send");
    for (int64_t bytes = 1; bytes < 4000; bytes += 37) {
        double best = HUGE_VAL, found = topo_transfer_pipelined(75e-6, 0.2e-6, 4, bytes);
        for (int64_t packet = 1; packet <= bytes; packet++) {
            double seconds = (double)(3 + (bytes + packet - 1) / packet) * (75e-6 + 0.2e-6 * (double)packet);
            best = seconds < best ? seconds : best;
        }
        ck_assert_msg(found >= best * (1 - 1e-12) && found <= best * 1.1,
                      "%ld bytes: the walk finds %g, the best of all sizes is %g", (long)bytes, found, best);
    }
}
END_TEST

START_TEST(reductions)
{
    const _Bool both[] = {1, 1}, rows[] = {1, 0}, none[] = {0, 0};
    const int zero[] = {0, 0}, all[] = {2, 3}, column[] = {2, 1}, second[] = {0, 1};
    is(topo_transfer_reduction(&bus, 8, both, zero, (const int[]){2, 2}), 76.6 * (4 + 4 - 2), "bus, all processors");
    is(topo_transfer_reduction(&bus, 8, rows, zero, (const int[]){2, 2}), 76.6 * (2 + 4 - 2), "bus, one column adds");
    is(topo_transfer_reduction(&bus, 8, none, zero, (const int[]){2, 2}), 76.6 * 3, "bus, one sends to all others");
    is(topo_transfer_reduction(&grid, 8, both, zero, all), 76.6 * 2 * 2, "grid 2 x 3: centre to corner 1 + 1");
    is(topo_transfer_reduction(&grid, 8, rows, zero, column), 76.6 * (2 * 1 + 2), "first column, far corner 2 away");
    is(topo_transfer_reduction(&grid, 8, rows, second, column), 76.6 * (2 * 1 + 1), "middle column, corners 1 away");
}
END_TEST

UNIT_MAIN("transfer", {distances}, {bus_adds_up}, {grid_takes_the_farthest}, {packets}, {reductions})
