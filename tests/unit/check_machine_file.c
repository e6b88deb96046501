/* Machine files: what they say, where they are wrong, and that no text breaks the reader. */
#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "predict/mpi/machine_file.h"
#include "damage.h"

static struct topo_machine_file file;
static struct topo_error error;

static enum topo_status parse(const char *text)
{
    topo_machine_file_free(&file);
    error.text[0] = '\0';
    return topo_machine_file_parse(text, "m.txt", &file, &error);
}

START_TEST(a_whole_file)
{
    ck_assert_msg(parse("# measured\n"
                        "machine switch:2 node:2 core:3 by:node # two racks\n"
                        "speed 1.5\n"
                        "level node alpha=1e-5 beta=8e-9 overhead=4e-6 cpu=1e-9 packet=3e-5 from=2048\n"
                        "level memory alpha=1e-6 beta=2e-10 shared=1e-10\n"
                        "cores 2 per machine\n"
                        "turn 5e-6\n"
                        "allgather bytes=8K- ring\n") == TOPO_OK,
                  "%s", error.text);
    ck_assert_int_eq(file.tree->ranks, 12);
    ck_assert_int_eq(file.tree->levels, 3);
    const struct topo_params *params = &file.tuning.params;
    ck_assert(file.speed == 1.5 && params->cores == 2 && params->turn == 5e-6 &&
              params->link[TOPO_LEVEL_NODE].overhead == 4e-6);
    ck_assert(params->link[TOPO_LEVEL_NODE].cpu == 1e-9 && params->link[TOPO_LEVEL_KINDS].shared == 1e-10);
    ck_assert_int_eq(file.tuning.count, 1);
    ck_assert_msg(parse("") == TOPO_OK && !file.tree && file.speed == 1, "nothing said: the defaults");
}
END_TEST

/* What params are written is read again. */
START_TEST(parameters_survive)
{
    struct topo_params params;
    struct topo_text text = {0};
    topo_params_default(&params);
    params.link[TOPO_LEVEL_NODE] = (struct topo_link){.alpha = 1e-5,
                                                      .beta = 2e-9,
                                                      .shared = 3e-9,
                                                      .overhead = 4e-6,
                                                      .cpu = 5e-10,
                                                      .packet = 3e-5,
                                                      .from = 2048,
                                                      .wait = 6e-6};
    params.cores = 2;
    params.turn = 5e-6;
    topo_params_write(&params, &text);
    ck_assert_msg(parse(text.text) == TOPO_OK, "%s", error.text);
    ck_assert(memcmp(&file.tuning.params.link[TOPO_LEVEL_NODE], &params.link[TOPO_LEVEL_NODE], sizeof params.link[0]) ==
              0);
    ck_assert(file.tuning.params.cores == 2 && file.tuning.params.turn == 5e-6);
    topo_text_free(&text);
}
END_TEST

START_TEST(errors_name_the_line)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"\nmachine rack:3\n", "m.txt:2: machine "},
        {"machine node:2 core:2\n\nmachine node:2 core:2\n", "m.txt:3: a second machine line"},
        {"speed 0\n", "m.txt:1: speed 0: allowed: a number of 1e-6 to 1e6"},
        {"speed 1e300\n", "m.txt:1: speed 1e300: "},
        {"speed 1e-300\n", "m.txt:1: speed 1e-300: "},
        {"speed 1 2\n", "m.txt:1: speed 1 2"},
        {"# c\nlevel node alpha=1 bet=2\n", "m.txt:2: "},
        {"level node alpha=1 beta=2 cpu=-1\n", "[cpu=SECONDS_PER_BYTE]"},
        {"level node alpha=1 beta=2 speed=1\n", "m.txt:1: "},
        {"machines node:2\n", "m.txt:1: 'machines"},
        {"allgather fastest\n", "m.txt:1: rule for allgather"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(parse(wrong[i].text) == TOPO_PARSE, "'%s' is taken", wrong[i].text);
        ck_assert_msg(strstr(error.text, wrong[i].message), "'%s' says '%s'", wrong[i].text, error.text);
    }
}
END_TEST

START_TEST(any_text)
{
    static const char sample[] = "# measured\nmachine node:4 core:4,3,2,1 by:node\nspeed 2\n"
                                 "level switch alpha=2e-5 beta=1e-9\nlevel node alpha=1e-5 beta=8e-9 cpu=1\n"
                                 "level memory alpha=1e-6 beta=2e-10 shared=1e-10\ngamma 1e-10\ncopy 1e-10\n"
                                 "cores 2 per node\nallreduce ranks=2-64 bytes=8K- cyclic\nallgather nodes=2- ring\n";
    damage_seed(11);
    for (int round = 0; round < 30000; round++) {
        size_t length = sizeof sample - 1;
        char *copy = damaged(sample, &length);
        enum topo_status status = parse(copy);
        ck_assert_msg(status == TOPO_OK || (status == TOPO_PARSE && strstr(error.text, "m.txt:")), "'%s': %s", copy,
                      error.text);
        ck_assert(status != TOPO_OK || (file.speed > 0 && file.tuning.params.gamma >= 0));
        topo_free(copy);
    }
    UNIT_OUT_OF_MEMORY(parse(sample));
}
END_TEST

UNIT_MAIN("machine_file", {a_whole_file}, {parameters_survive}, {errors_name_the_line}, {any_text})
