#include "schedule.h"

#include "schedule/residue_index.h"

/* By walking: from block (0, h) k shifts lead to the place that the index tells for (group h, position k). */
START_TEST(places_are_where_the_walk_comes)
{
    for (int senders = 1; senders <= 12; senders++)
        for (int receivers = 1; receivers <= 12; receivers++)
            for (int m = 0; m < senders; m++)
                for (int n = 0; n < receivers; n++) {
                    struct topo_matrix matrix = {.senders = senders, .receivers = receivers};
                    struct topo_residue_index residues = topo_residue_index_of(&matrix, (struct topo_shift){m, n});
                    int seen = 0;
                    for (int h = 0; h < residues.groups; h++) {
                        int i = 0, j = (int)(h * residues.wide);
                        for (int k = 0; k < residues.s / residues.groups * residues.t; k++) {
                            struct topo_orbit_place place = topo_residue_index_locate(&residues, i, j);
                            ck_assert_msg(place.group == h && place.position == k,
                                          "%d x %d by (%d, %d): element (%d, %d) is %d of group %d", senders, receivers,
                                          m, n, i, j, k, h);
                            seen++;
                            i = (i + m) % senders;
                            j = (j + n) % receivers;
                        }
                    }
                    ck_assert_msg(seen == residues.s * residues.t, "all blocks are walked over");
                    for (int i = 0; i < senders; i++)
                        for (int j = 0; j < receivers; j++) {
                            struct topo_orbit_place place = topo_residue_index_locate(&residues, i, j);
                            struct topo_orbit_place corner = topo_residue_index_locate(
                                &residues, i - i % (int)residues.high, j - j % (int)residues.wide);
                            ck_assert(place.group == corner.group && place.position == corner.position);
                        }
                }
}
END_TEST

START_TEST(numbers)
{
    int64_t lcm;
    for (int64_t a = 1; a < 60; a++)
        for (int64_t b = 1; b < 60; b++) {
            int64_t divisor = a < b ? a : b;
            while (a % divisor || b % divisor)
                divisor--;
            ck_assert_int_eq(topo_gcd(a, b), divisor);
            ck_assert(topo_lcm(a, b, &lcm) && lcm == a / divisor * b);
            ck_assert(divisor > 1 || topo_mul_mod(a % b, topo_inverse(a, b), b) == 1 % b);
        }
    ck_assert(topo_gcd(0, 7) == 7 && topo_gcd(7, 0) == 7);
    ck_assert(!topo_lcm(INT64_MAX, INT64_MAX - 1, &lcm));
    ck_assert(topo_mod(-1, 5) == 4 && topo_mod(-5, 5) == 0 && topo_mod(7, 5) == 2);
    ck_assert(topo_mul_mod(INT64_MAX - 1, INT64_MAX - 1, INT64_MAX) == 1);
}
END_TEST

UNIT_MAIN("residue_index", {places_are_where_the_walk_comes}, {numbers})
