#include "unit.h"

#include <math.h>

#include "model/shared_cores.h"

static struct topo_shared_cores of(int ranks, double seconds)
{
    struct topo_shared_cores shared = {0};
    for (int i = 0; i < ranks; i++)
        topo_shared_cores_add(&shared, seconds, 0);
    return shared;
}

START_TEST(equal_ranks)
{
    const struct topo_shared_cores none = {0}, eight = of(8, 3);
    ck_assert_double_eq(topo_shared_cores_busiest(&none, 4), 0);
    ck_assert_msg(topo_shared_cores_busiest(&eight, 2) == 12, "each core has four of them, whichever they are");
    ck_assert_msg(topo_shared_cores_busiest(&eight, 16) == 3, "no rank takes less than its own time");
}
END_TEST

/* Two cores of four ranks each, of which two ranks work, perhaps on one core. */
START_TEST(few_ranks_work)
{
    struct topo_shared_cores shared = of(6, 0);
    topo_shared_cores_add(&shared, 8, 0);
    topo_shared_cores_add(&shared, 8, 0);
    ck_assert_double_eq(topo_shared_cores_busiest(&shared, 2), 8 + 0.564 * sqrt(4 * (128 - 256.0 / 8) / 7));
    topo_shared_cores_add(&shared, 1e3, 0);
    ck_assert_msg(topo_shared_cores_busiest(&shared, 2) >= 1e3, "the busiest rank alone");
}
END_TEST

START_TEST(packets)
{
    struct topo_shared_cores shared = of(4, 1);
    topo_shared_cores_add(&shared, 1, 6);
    ck_assert_msg(topo_shared_cores_busiest(&shared, 5) == 1 + 6.0 / 5, "any core takes them");
}
END_TEST

UNIT_MAIN("shared_cores", {equal_ranks}, {few_ranks_work}, {packets})
