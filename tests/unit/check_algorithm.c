#include "unit.h"

#include <ctype.h>
#include <string.h>

#include "catalog/algorithm.h"

START_TEST(rows)
{
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *row = topo_algorithm(id);
        const char *name = topo_operation_name(row->operation);
        ck_assert_int_eq((int)row->id, id);
        ck_assert_msg(topo_algorithm_find(row->operation, row->name) == row, "%s %s: one row of that name", name,
                      row->name);
        ck_assert_msg(row->help && row->help[0] && row->source, "%s %s says what it is", name, row->name);
        for (const char *at = row->name; *at; at++)
            ck_assert_msg(islower((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '_', "%s", row->name);
        if (id)
            ck_assert_msg(row->operation == topo_algorithm(id - 1)->operation ||
                              row == topo_algorithm_native(row->operation),
                          "%s %s: rows of an operation stand together, the native one first", name, row->name);
    }
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++) {
        const struct topo_algorithm *native = topo_algorithm_native(operation);
        ck_assert_str_eq(native->name, "native");
        ck_assert_msg((int)native->operation == operation && native->traits == TOPO_TRAIT_ANY,
                      "%s: the native one is always a candidate", topo_operation_name(operation));
        ck_assert_ptr_null(topo_algorithm_find(operation, "nativ"));
        ck_assert_ptr_null(topo_algorithm_find(operation, ""));
        for (int other = 0; other < operation; other++)
            ck_assert_str_ne(topo_operation_name(operation), topo_operation_name(other));
    }
}
END_TEST

/* By counting bits. */
START_TEST(numbers_of_ranks)
{
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (int n = 1; n <= 130; n++) {
            const struct topo_algorithm *row = topo_algorithm(id);
            const char *why = "unset";
            bool applies = !(row->traits & TOPO_TRAIT_POWER_OF_TWO) || __builtin_popcount((unsigned)n) == 1;
            ck_assert_msg(topo_algorithm_applies(row, n, &why) == applies, "%s of %d ranks", row->name, n);
            ck_assert_msg(applies ? !why : why && strstr(why, "power of two"), "it says why");
            ck_assert(topo_algorithm_applies(row, n, NULL) == applies);
        }
}
END_TEST

START_TEST(operators)
{
    int ordered = 0;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *row = topo_algorithm(id);
        const char *why = NULL;
        bool needs = row->traits & TOPO_TRAIT_COMMUTATIVE;
        ck_assert(topo_algorithm_misses(row, TOPO_TRAIT_COMMUTATIVE, &why) == needs && (why != NULL) == needs);
        ck_assert(!topo_algorithm_misses(row, 0, NULL) && !topo_algorithm_misses(row, TOPO_TRAIT_POWER_OF_TWO, NULL));
        ordered += needs;
    }
    ck_assert_msg(ordered > 0, "some rows need it");
}
END_TEST

static bool adds_up(enum topo_operation operation)
{
    return strstr(topo_operation_name(operation), "reduce") != NULL;
}

/* Each row of a reduction says whether it cuts, but for those that send whole vectors and the native ones. */
START_TEST(cuts)
{
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *row = topo_algorithm(id);
        const char *why = NULL;
        bool cuts = row->traits & TOPO_TRAIT_CUTS, cuts_long = row->traits & TOPO_TRAIT_CUTS_LONG;
        bool whole = row == topo_algorithm_native(row->operation) || !strncmp(row->name, "recursive_doubling", 18);
        ck_assert_msg(adds_up(row->operation) && !whole ? cuts != cuts_long : !cuts && !cuts_long, "%s %s",
                      topo_operation_name(row->operation), row->name);
        ck_assert(topo_algorithm_misses(row, TOPO_TRAIT_CUTS, &why) == cuts);
        ck_assert(!cuts || strstr(why, "whole vector"));
        ck_assert(topo_algorithm_misses(row, TOPO_TRAIT_CUTS | TOPO_TRAIT_CUTS_LONG, &why) == (cuts || cuts_long));
        ck_assert(!cuts_long || strstr(why, "long"));
    }
}
END_TEST

UNIT_MAIN("algorithm", {rows}, {numbers_of_ranks}, {operators}, {cuts})
