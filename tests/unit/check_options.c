#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "catalog/flag.h"
#include "catalog/options.h"

/* A source that reads NAME=VALUE lines, as rank 0's options travel. */
static enum topo_status load(const char *lines, struct topo_options *options, struct topo_error *error)
{
    struct topo_option_lines packed = {.lines = lines};
    error->text[0] = '\0';
    enum topo_status status = topo_options_load(options, topo_option_packed, &packed, error);
    topo_text_free(&packed.value);
    return status;
}

/* A source with one value, the context, of TOPOMPI_MACHINE. */
static const char *machine_only(const char *name, void *context)
{
    return strcmp(name, "TOPOMPI_MACHINE") ? NULL : context;
}

START_TEST(defaults)
{
    struct topo_options options;
    struct topo_error error;
    ck_assert_int_eq(load("", &options, &error), TOPO_OK);
    ck_assert_str_eq(options.value[TOPO_OPTION_MACHINE].text, "auto");
    ck_assert(!options.value[TOPO_OPTION_STRICT].flag);
    ck_assert(!options.value[TOPO_OPTION_ALLGATHER].from_environment);
    topo_options_free(&options);
}
END_TEST

START_TEST(values_travel)
{
    struct topo_options options, again;
    struct topo_error error;
    struct topo_text packed = {0};
    ck_assert_int_eq(load("TOPOMPI_ALLGATHER=bruck_reorder\nTOPOMPI_STRICT=yes\n"
                          "TOPOMPI_MACHINE=synthetic:node:2 core:4\n",
                          &options, &error),
                     TOPO_OK);
    topo_options_pack(&options, &packed);
    ck_assert_int_eq(load(packed.text, &again, &error), TOPO_OK);
    ck_assert_str_eq(again.value[TOPO_OPTION_ALLGATHER].text, "bruck_reorder");
    ck_assert_str_eq(again.value[TOPO_OPTION_MACHINE].text, "synthetic:node:2 core:4");
    ck_assert(again.value[TOPO_OPTION_STRICT].flag);
    topo_text_free(&packed);
    topo_options_free(&options);
    topo_options_free(&again);
}
END_TEST

START_TEST(long_values_travel)
{
    struct topo_options options, again;
    struct topo_error error = {""};
    struct topo_text value = {0}, packed = {0};
    topo_text_add(&value, "synthetic:node:4000 core:1");
    for (int node = 1; node < 4000; node++)
        topo_text_addf(&value, ",%d", node % 9 + 1);
    ck_assert_int_eq(topo_options_load(&options, machine_only, value.text, &error), TOPO_OK);
    topo_options_pack(&options, &packed);
    ck_assert_int_eq(load(packed.text, &again, &error), TOPO_OK);
    ck_assert_str_eq(again.value[TOPO_OPTION_MACHINE].text, value.text);
    topo_text_free(&value);
    topo_text_free(&packed);
    topo_options_free(&options);
    topo_options_free(&again);
}
END_TEST

static enum topo_status load_packed(struct topo_option_lines *packed, struct topo_options *options)
{
    *packed = (struct topo_option_lines){.lines = "TOPOMPI_ALLGATHER=ring\nTOPOMPI_SHARED=4M\nTOPOMPI_TRACE=here\n"};
    enum topo_status status = topo_options_load(options, topo_option_packed, packed, NULL);
    return packed->failed ? TOPO_NOMEM : status;
}

/* Ranks must not differ in their options: who has not all of them knows. */
START_TEST(a_value_that_memory_lacks_for_is_missed)
{
    struct topo_option_lines packed;
    struct topo_options options;
    UNIT_OUT_OF_MEMORY(
        load_packed(&packed, &options),
        if (status == TOPO_OK) {
            ck_assert_str_eq(options.value[TOPO_OPTION_ALLGATHER].text, "ring");
            ck_assert_str_eq(options.value[TOPO_OPTION_TRACE].text, "here");
            ck_assert_uint_eq(options.value[TOPO_OPTION_SHARED].size, 4 << 20);
        } topo_text_free(&packed.value);
        topo_options_free(&options));
}
END_TEST

START_TEST(a_value_is_one_line)
{
    struct topo_options options;
    struct topo_error error = {""};
    char value[] = "auto\nTOPOMPI_ALLGATHER=ring";
    ck_assert_int_eq(topo_options_load(&options, machine_only, value, &error), TOPO_PARSE);
    ck_assert_msg(strstr(error.text, "TOPOMPI_MACHINE=auto") && strstr(error.text, "allowed:"), "%s", error.text);
    ck_assert_str_eq(options.value[TOPO_OPTION_MACHINE].text, "auto");
    ck_assert(!options.value[TOPO_OPTION_MACHINE].from_environment);
    topo_options_free(&options);
}
END_TEST

START_TEST(bad_value_is_named)
{
    struct topo_options options;
    struct topo_error error;
    ck_assert_int_eq(load("TOPOMPI_ALLGATHER=brick\nTOPOMPI_STRICT=1\n", &options, &error), TOPO_PARSE);
    ck_assert_msg(strstr(error.text, "TOPOMPI_ALLGATHER=brick"), "names variable and value: %s", error.text);
    ck_assert_msg(strstr(error.text, "auto native ring"), "lists what is allowed: %s", error.text);
    ck_assert_msg(!strcmp(options.value[TOPO_OPTION_ALLGATHER].text, "native"), "the operation concerned is native");
    ck_assert_str_eq(options.value[TOPO_OPTION_ALLGATHER].complaint, error.text);
    ck_assert_str_eq(options.value[TOPO_OPTION_ALLREDUCE].text, "auto");
    ck_assert_ptr_null(options.value[TOPO_OPTION_ALLREDUCE].complaint);
    ck_assert_msg(options.value[TOPO_OPTION_STRICT].flag, "the options after it are still read");
    topo_options_free(&options);
}
END_TEST

START_TEST(prefix_of_a_word_is_not_the_word)
{
    struct topo_options options;
    struct topo_error error;
    ck_assert_int_eq(load("TOPOMPI_ALLGATHER=recursive\n", &options, &error), TOPO_PARSE);
    topo_options_free(&options);
}
END_TEST

/* on, yes, true and 1 are one word in every switch and in every choice of an algorithm, as are their opposites. */
START_TEST(one_rule_for_words)
{
    static const char *const on[] = {"on", "ON", "yes", "Yes", "true", "TRUE", "1"};
    static const char *const off[] = {"off", "Off", "no", "NO", "false", "False", "0"};
    static const char *const flags[] = {"TOPOMPI", "TOPOMPI_STATS", "TOPOMPI_VERBOSE", "TOPOMPI_STRICT"};
    static const enum topo_option flag[] = {TOPO_OPTION_ENABLED, TOPO_OPTION_STATS, TOPO_OPTION_VERBOSE,
                                            TOPO_OPTION_STRICT};
    for (int word = 0; word < 14; word++) {
        struct topo_text lines = {0};
        struct topo_options options;
        struct topo_error error;
        const char *given = word < 7 ? on[word] : off[word - 7];
        for (int i = 0; i < 4; i++)
            topo_text_addf(&lines, "%s=%s\n", flags[i], given);
        topo_text_addf(&lines, "TOPOMPI_BCAST=%s\n", given);
        ck_assert_msg(load(lines.text, &options, &error) == TOPO_OK, "%s", error.text);
        for (int i = 0; i < 4; i++)
            ck_assert_msg(options.value[flag[i]].flag == (word < 7), "%s=%s", flags[i], given);
        ck_assert_int_eq(options.value[TOPO_OPTION_BCAST].choice, word < 7 ? 0 : 1); /* auto native ... */
        topo_options_free(&options);
        topo_text_free(&lines);
    }
}
END_TEST

/* Beside the words of a switch, TOPOMPI_STATS has json and files. */
START_TEST(reports_as_json)
{
    static const struct {
        const char *given;
        bool good, on, json;
    } rows[] = {{"json", true, true, true},          {"JSON", true, true, true},    {"/tmp/a.json", true, true, true},
                {"on", true, true, false},           {"0", true, false, false},     {".json", false, false, false},
                {"/tmp/a.jso", false, false, false}, {"jsons", false, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct topo_text line = {0};
        struct topo_options options;
        struct topo_error error = {""};
        topo_text_addf(&line, "TOPOMPI_STATS=%s\n", rows[i].given);
        ck_assert_msg((load(line.text, &options, &error) == TOPO_OK) == rows[i].good, "%s: %s", rows[i].given,
                      error.text);
        ck_assert_msg(options.value[TOPO_OPTION_STATS].flag == rows[i].on, "%s", rows[i].given);
        ck_assert(topo_report_is_json(options.value[TOPO_OPTION_STATS].text) == rows[i].json);
        ck_assert_msg(topo_flag_wanted("off", rows[i].given, NULL, NULL) == rows[i].on, "%s with TOPOMPI=off",
                      rows[i].given);
        topo_options_free(&options);
        topo_text_free(&line);
    }
    ck_assert(topo_flag_wanted("off", NULL, NULL, "/tmp/trace") && !topo_flag_wanted("off", NULL, NULL, ""));
}
END_TEST

START_TEST(words_in_any_case)
{
    struct topo_options options;
    struct topo_error error;
    ck_assert_int_eq(load("TOPOMPI_ALLGATHER=Bruck_Reorder\nTOPOMPI_MACHINE=File:/Tmp/Name\nTOPOMPI_CYCLIC_GRID=AUTO\n"
                          "TOPOMPI_TUNING=LEARN:Here\nTOPOMPI_PACKET=Auto\nTOPOMPI_PREPARE=Create\n",
                          &options, &error),
                     TOPO_OK);
    ck_assert_int_gt(options.value[TOPO_OPTION_ALLGATHER].choice, 1);
    ck_assert_msg(!strcmp(options.value[TOPO_OPTION_MACHINE].text, "file:/Tmp/Name"), "a path stays: %s",
                  options.value[TOPO_OPTION_MACHINE].text);
    ck_assert_str_eq(options.value[TOPO_OPTION_CYCLIC_GRID].text, "auto");
    ck_assert_str_eq(options.value[TOPO_OPTION_TUNING].text, "learn:Here");
    ck_assert_uint_eq(options.value[TOPO_OPTION_PACKET].size, TOPO_SIZE_AUTO);
    topo_options_free(&options);
}
END_TEST

START_TEST(only_what_is_wrong_goes_native)
{
    struct topo_options options;
    struct topo_error error;
    struct topo_text text = {0};
    ck_assert_int_eq(load("TOPOMPI_REDUCE=chian\nTOPOMPI_BCAST=chain\nTOPOMPI_SHARED=lots\n", &options, &error),
                     TOPO_PARSE);
    ck_assert_msg(strstr(error.text, "TOPOMPI_REDUCE=chian"), "the first in the table: %s", error.text);
    ck_assert_ptr_nonnull(strstr(options.value[TOPO_OPTION_SHARED].complaint, "TOPOMPI_SHARED=lots"));
    ck_assert_uint_eq(options.value[TOPO_OPTION_SHARED].size, 64 << 20);
    ck_assert_str_eq(options.value[TOPO_OPTION_REDUCE].text, "native");
    ck_assert_str_eq(options.value[TOPO_OPTION_BCAST].text, "chain");
    ck_assert_int_eq(topo_option_refuse(&options, TOPO_OPTION_CYCLIC_GRID, "no grid"), TOPO_OK);
    ck_assert_str_eq(options.value[TOPO_OPTION_CYCLIC_GRID].complaint, "no grid");
    ck_assert_str_eq(options.value[TOPO_OPTION_CYCLIC_GRID].text, "auto");
    topo_options_pack(&options, &text);
    ck_assert_str_eq(text.text, "TOPOMPI_BCAST=chain\nTOPOMPI_REDUCE=native\n");
    topo_text_free(&text);
    topo_option_consequence(TOPO_OPTION_REDUCE_SCATTER, &text);
    ck_assert_str_eq(text.text, "MPI_Reduce_scatter runs natively");
    topo_text_free(&text);
    topo_options_free(&options);
    ck_assert_int_eq(load("TOPOMPI=never\n", &options, &error), TOPO_PARSE);
    ck_assert(!options.value[TOPO_OPTION_ENABLED].flag);
    topo_options_off(&options);
    ck_assert_int_eq(options.value[TOPO_OPTION_ALLREDUCE].choice, 1);
    topo_options_free(&options);
}
END_TEST

START_TEST(old_names)
{
    struct topo_options options;
    struct topo_error error;
    ck_assert_int_eq(load("TOPOMPI_BARRIER=send\nTOPOMPI_MPI_BARRIER=leader\n", &options, &error), TOPO_OK);
    ck_assert_str_eq(options.value[TOPO_OPTION_ALLTOALLV_SYNC].text, "send");
    ck_assert_str_eq(options.value[TOPO_OPTION_BARRIER].text, "leader");
    topo_options_free(&options);
    ck_assert_int_eq(load("TOPOMPI_BARRIER=leader\nTOPOMPI_MPI_BARRIER=native\n", &options, &error), TOPO_OK);
    ck_assert_str_eq(options.value[TOPO_OPTION_ALLTOALLV_SYNC].text, "auto");
    ck_assert_msg(!strcmp(options.value[TOPO_OPTION_BARRIER].text, "leader"), "the new name goes first");
    topo_options_free(&options);
    ck_assert_int_eq(load("TOPOMPI_BARRIER=fence\n", &options, &error), TOPO_PARSE);
    ck_assert_msg(strstr(error.text, "TOPOMPI_BARRIER=fence") && strstr(error.text, "auto native leader"), "%s",
                  error.text);
    topo_options_free(&options);

    struct topo_option_lines lines = {.lines = "TOPOMPI_BARRIER=none\nTOPOMPI_MPI_BARRIER=native\n"};
    struct topo_text told = {0};
    topo_options_renamed(topo_option_packed, &lines, &told);
    ck_assert_str_eq(told.text, "TOPOMPI_MPI_BARRIER=native is now TOPOMPI_BARRIER=native, "
                                "TOPOMPI_BARRIER=none is now TOPOMPI_ALLTOALLV_SYNC=none");
    topo_text_free(&told);
    topo_text_free(&lines.value);
}
END_TEST

START_TEST(unknown_names)
{
    char *const environment[] = {
        "PATH=/bin",         "TOPOMPI_ALGATHER=ring", "TOPOMPI=on", "TOPOMPI_MACHINE=auto", "TOPOMPI_MPI_BARRIER=auto",
        "TOPOMPI_ROOT=/opt", "TOPOMPI_ROOTS=1",       NULL};
    struct topo_text unknown = {0};
    topo_options_unknown(environment, &unknown);
    ck_assert_str_eq(unknown.text, "TOPOMPI_ALGATHER TOPOMPI_ROOTS");
    topo_text_free(&unknown);
}
END_TEST

UNIT_MAIN("options", {defaults}, {values_travel}, {long_values_travel}, {a_value_that_memory_lacks_for_is_missed},
          {a_value_is_one_line}, {bad_value_is_named}, {prefix_of_a_word_is_not_the_word}, {one_rule_for_words},
          {reports_as_json}, {words_in_any_case}, {only_what_is_wrong_goes_native}, {old_names}, {unknown_names})
