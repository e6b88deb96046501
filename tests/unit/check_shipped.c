/* The shipped rules. What they answer is recorded in tests/data/rules_answers.txt, layout by layout: ranks, nodes, the
 * fewest and most ranks a node, their placement, what there is (shared `memory`, processors of each rank's `own`,
 * `racks`; -: nothing), the operation, and from which byte on which algorithm. Where rules change on purpose,
 * ANSWERS=FILE makes this program write the new table. */
#include "unit/unit.h"

#include <string.h>

#include "select/shipped.h"

static size_t sizes[1024];
static int count;

static int ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void add_around(size_t bytes)
{
    for (int i = -1; i < 2; i++)
        if ((long)bytes + i >= 0)
            sizes[count++] = bytes + (size_t)(long)i;
}

/* Where rules could change their mind: round numbers, and such numbers of a node, of a rank, of all. */
static void find_sizes(const struct topo_layout *layout)
{
    count = 0;
    for (size_t round = 1; round < (size_t)1 << 28; round *= 2) {
        add_around(round);
        add_around(3 * round);
        add_around(round / (size_t)layout->node_ranks_max);
        add_around(round / (size_t)layout->ranks);
        add_around(round * (size_t)layout->nodes);
        add_around(round * (size_t)layout->nodes / (size_t)layout->ranks);
    }
    qsort(sizes, (size_t)count, sizeof *sizes, ascending);
}

static const char *taken(enum topo_operation operation, const struct topo_layout *layout, size_t bytes)
{
    return topo_select(NULL, operation, layout, bytes)->name;
}

/* " 0 radix 16384 lanes" */
static void answers(enum topo_operation operation, const struct topo_layout *layout, struct topo_text *out)
{
    const char *last = taken(operation, layout, 0);
    topo_text_addf(out, " 0 %s", last);
    for (int i = 1; i < count; i++) {
        const char *now = taken(operation, layout, sizes[i]);
        size_t low = sizes[i - 1] + 1, high = sizes[i];
        if (!strcmp(now, last))
            continue;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (!strcmp(taken(operation, layout, middle), now))
                high = middle;
            else
                low = middle + 1;
        }
        topo_text_addf(out, " %zu %s", high, now);
        last = now;
    }
}

static enum topo_operation operation_of(const char *name)
{
    int operation = 0;
    while (operation < TOPO_OPERATION_COUNT && strcmp(name, topo_operation_name((enum topo_operation)operation)) != 0)
        operation++;
    ck_assert_msg(operation < TOPO_OPERATION_COUNT, "%s", name);
    return (enum topo_operation)operation;
}

START_TEST(answers_as_recorded)
{
    FILE *file = fopen(TEST_DATA "/rules_answers.txt", "r"), *made = NULL;
    char line[512], placement[8], has[32], operation[32];
    int lines = 0;
    if (getenv("ANSWERS"))
        ck_assert_ptr_nonnull(made = fopen(getenv("ANSWERS"), "w"));
    ck_assert_ptr_nonnull(file);
    for (; fgets(line, sizeof line, file); lines++) {
        struct topo_layout layout = {0};
        struct topo_text now = {0};
        int used = 0;
        line[strcspn(line, "\n")] = '\0';
        ck_assert_msg(sscanf(line, "%d %d %d %d %7s %31s %31s%n", &layout.ranks, &layout.nodes, &layout.node_ranks_min,
                             &layout.node_ranks_max, placement, has, operation, &used) == 7,
                      "line %d: %s", lines + 1, line);
        layout.by_slot = !strcmp(placement, "slot");
        layout.has_shm = strstr(has, "memory");
        layout.has_processors = strstr(has, "own");
        layout.has_racks = strstr(has, "racks");
        find_sizes(&layout);
        answers(operation_of(operation), &layout, &now);
        if (made)
            fprintf(made, "%.*s%s\n", used, line, now.text);
        else
            ck_assert_msg(!strcmp(now.text, line + used), "recorded: %s\nnow: %s", line, now.text);
        topo_text_free(&now);
    }
    ck_assert_int_gt(lines, 1000);
    fclose(file);
    if (made)
        fclose(made);
}
END_TEST

START_TEST(is_whole)
{
    const struct topo_tuning *shipped = topo_shipped();
    struct topo_tuning file;
    struct topo_params defaults;
    struct topo_text first = {0}, second = {0};
    ck_assert_ptr_nonnull(shipped);
    ck_assert_msg(!shipped->measured, "nothing was measured here");
    ck_assert_msg(topo_shipped() == shipped, "read once");
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++) {
        const struct topo_rule *last = NULL;
        for (int i = shipped->first[operation]; i > 0; i = last->next)
            last = &shipped->rules[i - 1];
        ck_assert_msg(last, "%s has rules", topo_operation_name((enum topo_operation)operation));
    }
    topo_params_default(&defaults);
    ck_assert_int_eq(topo_tuning_parse(topo_rules_text, "shipped", &file, NULL), TOPO_OK);
    topo_params_write(&defaults, &first);
    topo_params_write(&file.params, &second);
    ck_assert_str_eq(first.text, second.text);
    ck_assert_ptr_nonnull(strstr(first.text, "level node alpha=1e-05 beta=1e-09\n"));
    topo_text_free(&first);
    topo_text_free(&second);
    topo_tuning_free(&file);
}
END_TEST

/* No memory when it is first asked for: native from then on. */
START_TEST(lost)
{
    const struct topo_layout layout = {16, 4, 4, 4, true, true};
    topo_memory_fail_after(0);
    ck_assert_ptr_null(topo_shipped());
    topo_memory_fail_after(-1);
    ck_assert_ptr_null(topo_shipped());
    ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_allreduce, &layout, 8)->name, "native");
}
END_TEST

START_TEST(layers)
{
    const struct topo_layout layout = {16, 4, 4, 4, true, true}, one = {4, 1, 4, 4, true, true};
    struct topo_tuning other, mine;
    ck_assert_int_eq(topo_tuning_parse("allreduce link=2G- lanes\nallreduce cyclic\n", "other", &other, NULL), TOPO_OK);
    ck_assert_int_eq(topo_tuning_parse("allreduce bytes=0-63 native\n", "mine", &mine, NULL), TOPO_OK);
    ck_assert_str_eq(topo_select(&mine, TOPO_OPERATION_allreduce, &layout, 8)->name, "native");
    ck_assert_str_eq(topo_select(&mine, TOPO_OPERATION_allreduce, &layout, 64)->name, "leader");
    mine.shipped = &other;
    ck_assert_msg(!strcmp(topo_select(&mine, TOPO_OPERATION_allreduce, &layout, 64)->name, "cyclic"),
                  "the link is not known");
    mine.measured = true;
    mine.params.link[TOPO_LEVEL_NODE].beta = 8 / 10e9;
    ck_assert_str_eq(topo_select(&mine, TOPO_OPERATION_allreduce, &layout, 64)->name, "lanes");
    mine.params.link[TOPO_LEVEL_NODE].beta = 8 / 1e9;
    ck_assert_str_eq(topo_select(&mine, TOPO_OPERATION_allreduce, &layout, 64)->name, "cyclic");
    mine.params.link[TOPO_LEVEL_NODE].beta = 8 / 10e9;
    ck_assert_msg(!strcmp(topo_select(&mine, TOPO_OPERATION_allreduce, &one, 64)->name, "cyclic"), "no link is crossed");
    ck_assert_msg(!strcmp(topo_select(&mine, TOPO_OPERATION_bcast, &layout, 64)->name, "native"), "no rule at all");
    topo_tuning_free(&mine);
    topo_tuning_free(&other);
}
END_TEST

/* TOPO_PKGDATADIR of this build: PREFIX/share/topompi. */
START_TEST(moved_along)
{
    char data[512], prefix[512], installed[600], module[700], expected[700], path[700];
    snprintf(data, sizeof data, "%s", TOPO_PKGDATADIR);
    snprintf(prefix, sizeof prefix, "%s", TOPO_PKGDATADIR);
    for (int i = 0; i < 2; i++)
        *strrchr(prefix, '/') = '\0';
    snprintf(installed, sizeof installed, "%s/lib/mpi", prefix);
    snprintf(expected, sizeof expected, "/elsewhere%s/tuning.conf", data + strlen(prefix));
    topo_shipped_path("/elsewhere/lib/mpi/libtopompi-core-ompi.so", installed, path, sizeof path);
    ck_assert_str_eq(path, expected);
    snprintf(module, sizeof module, "%s/lib/mpi/libtopompi-core-ompi.so", prefix);
    snprintf(expected, sizeof expected, "%s/tuning.conf", data);
    topo_shipped_path(module, installed, path, sizeof path);
    ck_assert_str_eq(path, expected);
    static const char *const alone[] = {"/build/src/.libs/libtopompi-core-ompi.so", "libtopompi-core-ompi.so", "/tmp/x.so", "/x.so",
                                        "/elsewhere/mpi/x.so", ""};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        topo_shipped_path(alone[i], installed, path, sizeof path);
        ck_assert_msg(!*path, "%s: %s", alone[i], path);
    }
    topo_shipped_path("/elsewhere/lib/mpi/libtopompi-core-ompi.so", installed, path, 8);
    ck_assert_msg(!*path, "no room");
}
END_TEST

UNIT_MAIN("shipped", {answers_as_recorded}, {is_whole}, {lost}, {layers}, {moved_along})
