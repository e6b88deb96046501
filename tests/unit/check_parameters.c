#include "unit/unit.h"

#include <string.h>

#include "catalog/algorithm.h"

static enum topo_status read_into(enum topo_operation operation, const char *name, const char *word,
                                  struct topo_parameters *parameters, struct topo_error *error)
{
    const struct topo_algorithm *row = topo_algorithm_find(operation, name);
    return topo_parameters_read(row->name, row->traits, word, parameters, error);
}

START_TEST(reads_what_it_writes)
{
    struct topo_parameters parameters = {0}, same = {.radix = 8};
    struct topo_text text = {0};
    ck_assert(read_into(TOPO_OPERATION_allgather, "radix", "radix=8", &parameters, NULL) == TOPO_OK);
    ck_assert(topo_parameters_equal(&parameters, &same));
    ck_assert(read_into(TOPO_OPERATION_allgather, "radix", "drivers=2", &parameters, NULL) == TOPO_OK);
    ck_assert(!topo_parameters_equal(&parameters, &same));
    topo_parameters_write(&parameters, &text);
    ck_assert_str_eq(text.text, " radix=8 drivers=2");
    topo_text_free(&text);
    struct topo_parameters long_ones = {0}, odd = {0};
    struct topo_text again = {0};
    ck_assert(read_into(TOPO_OPERATION_bcast, "chain", "segment=16K", &long_ones, NULL) == TOPO_OK);
    ck_assert(read_into(TOPO_OPERATION_reduce, "circulant", "segment=5000", &odd, NULL) == TOPO_OK);
    ck_assert_uint_eq(long_ones.segment, 16384);
    topo_parameters_write(&long_ones, &again);
    topo_parameters_write(&odd, &again);
    ck_assert_str_eq(again.text, " segment=16K segment=5000");
    topo_text_free(&again);
    ck_assert_int_eq(topo_given(parameters.radix, 4), 8);
    ck_assert_int_eq(topo_given(0, 4), 4);
}
END_TEST

START_TEST(names)
{
    ck_assert(topo_parameter_is("radix=x") && topo_parameter_is("drivers="));
    ck_assert(!topo_parameter_is("radix") && !topo_parameter_is("radi=2") && !topo_parameter_is("bytes=2"));
    const struct topo_parameters parameters = {.drivers = 3};
    size_t given = 0, sum = 0;
    for (int i = 0; topo_parameter(&parameters, i, &given); i++) {
        ck_assert(!given || !strcmp(topo_parameter(&parameters, i, &given), "drivers"));
        sum += given;
    }
    ck_assert_uint_eq(sum, 3);
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *name, *word, *needle;
    } wrong[] = {{"radix", "radix=1", "'radix=1': allowed for radix: radix=2-1024, drivers=1-1024"},
                 {"radix", "radix=1025", "allowed for radix: radix=2-1024"},
                 {"radix", "radix=", "allowed for radix"},
                 {"radix", "radix=2K", "allowed for radix"},
                 {"radix", "radix=-2", "allowed for radix"},
                 {"radix", "radix=99999999999999999999", "allowed for radix"},
                 {"radix", "drivers=0", "drivers=1-1024"},
                 {"lanes", "segment=64K", "'segment=64K': allowed for lanes: segment=4K-32K"},
                 {"lanes", "segment=4095", "segment=4K-32K"},
                 {"lanes", "segment=x", "segment=4K-32K"},
                 {"lanes", "radix=2", "'radix=2': parameters of lanes: segment=4K-32K"},
                 {"leader", "drivers=2", "'drivers=2': parameters of leader: radix=2-1024"},
                 {"ring", "radix=2", "'radix=2': parameters of ring: none"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct topo_parameters parameters = {0}, none = {0};
        struct topo_error error = {""};
        ck_assert(read_into(TOPO_OPERATION_allgather, wrong[i].name, wrong[i].word, &parameters, &error) == TOPO_PARSE);
        ck_assert_msg(strstr(error.text, wrong[i].needle), "%s: %s", wrong[i].word, error.text);
        ck_assert(topo_parameters_equal(&parameters, &none));
    }
    struct topo_parameters twice = {.radix = 4};
    struct topo_error error = {""};
    ck_assert(read_into(TOPO_OPERATION_allgather, "radix", "radix=2", &twice, &error) == TOPO_PARSE);
    ck_assert_msg(strstr(error.text, "radix= is allowed once"), "%s", error.text);
    UNIT_OUT_OF_MEMORY(read_into(TOPO_OPERATION_allgather, "radix", "drivers=2", &(struct topo_parameters){0}, NULL),
                       (void)0);
}
END_TEST

/* No row of the table gives any, and sums have none that their bits would depend on. */
START_TEST(of_rows)
{
    const struct topo_parameters none = {0};
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *row = topo_algorithm((enum topo_algorithm_id)id);
        ck_assert(topo_parameters_equal(&row->parameters, &none));
        if (row->traits & TOPO_TRAIT_ORDERED)
            ck_assert_msg(!(row->traits & TOPO_TRAIT_RADIX), "%s", row->name);
    }
}
END_TEST

UNIT_MAIN("parameters", {reads_what_it_writes}, {names}, {refused}, {of_rows})
