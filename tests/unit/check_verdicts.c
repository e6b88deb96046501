#include "unit.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catalog/size_class.h"
#include "select/tuning.h"
#include "select/verdicts.h"

enum { DAY = 24 * 3600 };
static const time_t today = 1796000000;
static const struct topo_layout two_nodes = {
    .ranks = 4, .nodes = 2, .node_ranks_min = 2, .node_ranks_max = 2, .by_slot = true, .has_shm = true};
static char folder[64], path[96];

static void begin(void)
{
    strcpy(folder, "/tmp/check_verdicts.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/new/verdicts.conf", folder);
}

static void end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* One line: of all-reduces of a size class. */
static char *line(int size_class, enum topo_algorithm_id form, time_t when)
{
    struct topo_text text = {0};
    topo_verdict_write(&two_nodes, size_class, topo_algorithm(form), 5e-6, 2e-5, when, &text);
    ck_assert(!text.failed);
    return text.text;
}

static void keep(int size_class, enum topo_algorithm_id form, time_t when)
{
    char *text = line(size_class, form, when);
    struct topo_error error = {""};
    ck_assert_msg(topo_verdicts_keep(path, text, when, &error) == TOPO_OK, "%s", error.text);
    topo_free(text);
}

static int lines_of(const char *text)
{
    int count = 0;
    for (; text && *text; text++)
        count += *text == '\n';
    return count;
}

/* Verdicts that hold for a job of `ranks`. */
static int count(int ranks, time_t now)
{
    struct topo_error error = {""};
    char *text;
    ck_assert_msg(topo_verdicts_read(path, ranks, now, &text, &error) == TOPO_OK, "%s", error.text);
    int lines = lines_of(text);
    topo_free(text);
    return lines;
}

/* What a job takes for all-reduces of so many bytes; NULL: nothing is known. */
static const struct topo_algorithm *said(size_t bytes, time_t now)
{
    struct topo_error error = {""};
    struct topo_tuning tuning;
    char *text;
    ck_assert_int_eq(topo_verdicts_read(path, 4, now, &text, &error), TOPO_OK);
    ck_assert_msg(topo_tuning_parse(text ? text : "", path, &tuning, &error) == TOPO_OK, "%s", error.text);
    const struct topo_rule *rule = topo_tuning_first(&tuning, TOPO_OPERATION_allreduce, &two_nodes, bytes, 0);
    const struct topo_algorithm *algorithm = rule ? topo_algorithm(rule->algorithm->id) : NULL;
    topo_tuning_free(&tuning);
    topo_free(text);
    return algorithm;
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(size_classes)
{
    static const size_t bytes[] = {0, 1, 2, 3, 4, 5, 1024, 1025};
    static const int classes[] = {0, 0, 1, 2, 2, 3, 10, 11};
    for (int i = 0; i < 8; i++)
        ck_assert_msg(topo_size_class(bytes[i]) == classes[i], "%zu bytes are class %d", bytes[i], classes[i]);
}
END_TEST

START_TEST(one_line)
{
    char *text = line(6, TOPO_ALGORITHM_allreduce_leader, today);
    ck_assert_str_eq(text, "allreduce ranks=4 nodes=2 per_node=2 placement=slot even=yes memory=shared racks=no "
                           "processors=shared bytes=33-64 leader # 2026-11-30 native 20.0 us, leader 5.0 us\n");
    topo_free(text);
}
END_TEST

/* What is found is read by the next job, until it is too old or another one is found. */
START_TEST(kept_and_read)
{
    begin();
    ck_assert_int_eq(count(4, today), 0);
    for (int size_class = 0; size_class < 30; size_class++)
        keep(size_class, TOPO_ALGORITHM_allreduce_leader, today);
    ck_assert_int_eq(count(4, today), 30);
    ck_assert_int_eq(count(3, today), 0); /* of more ranks than that job has */
    ck_assert_int_eq(said(64, today)->id, TOPO_ALGORITHM_allreduce_leader);
    keep(6, TOPO_ALGORITHM_allreduce_native, today);
    ck_assert_int_eq(said(64, today)->id, TOPO_ALGORITHM_allreduce_native);
    ck_assert_int_eq(said(65, today)->id, TOPO_ALGORITHM_allreduce_leader);
    ck_assert_int_eq(count(4, today), 30);
    ck_assert_int_eq(count(4, today + (TOPO_VERDICTS_DAYS + 1) * DAY), 0);
    keep(7, TOPO_ALGORITHM_allreduce_native, today + (TOPO_VERDICTS_DAYS + 1) * DAY);
    ck_assert_int_eq(count(4, today), 0); /* a clock was ahead */
    ck_assert_int_eq(count(4, today + (TOPO_VERDICTS_DAYS + 1) * DAY), 1);
    end();
}
END_TEST

/* Whoever finds the same writes nothing, until that is to be known as found lately. */
START_TEST(nothing_new)
{
    struct stat before, after;
    begin();
    keep(6, TOPO_ALGORITHM_allreduce_leader, today);
    stat(path, &before);
    keep(6, TOPO_ALGORITHM_allreduce_leader, today + DAY);
    stat(path, &after);
    ck_assert(before.st_ino == after.st_ino && said(64, today + TOPO_VERDICTS_DAYS * DAY));
    keep(6, TOPO_ALGORITHM_allreduce_leader, today + (TOPO_VERDICTS_FRESH + 1) * DAY);
    ck_assert_ptr_nonnull(said(64, today + (TOPO_VERDICTS_DAYS + 5) * DAY));
    end();
}
END_TEST

/* The first line of the same calls counts; a file has no more than so many. */
START_TEST(many)
{
    struct topo_text text = {0};
    struct topo_layout layout = two_nodes;
    struct topo_error error = {""};
    begin();
    for (int ranks = 2; ranks < 400; ranks++) {
        layout.ranks = ranks % 200 + 2;
        topo_verdict_write(&layout, 5, topo_algorithm(TOPO_ALGORITHM_allreduce_leader), 0, 0, today, &text);
    }
    ck_assert_int_eq(topo_verdicts_keep(path, text.text, today, &error), TOPO_OK);
    ck_assert_int_eq(count(1000, today), TOPO_VERDICTS_MOST);
    topo_text_free(&text);
    end();
}
END_TEST

/* A damaged file is told of, and replaced; one that is no file of verdicts stays as it is. */
START_TEST(bad_files)
{
    static const char *const rows[][2] = {{"# TopoMPI verdicts: x\nallreduce no_such_form\n", "unknown algorithm"},
                                          {"# TopoMPI verdicts: x\n\1\2\3\n", "neither a rule"},
                                          {"# TopoMPI verdicts: x\nlevel node alpha=1 beta=1\n", "begins with level"},
                                          {"allreduce leader\n", "no file of verdicts"},
                                          {"hello", "no file of verdicts"}};
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool is_foreign = strstr(rows[i][1], "no file") != NULL;
        struct topo_error error = {""};
        char *text, *found = line(6, TOPO_ALGORITHM_allreduce_leader, today);
        if (i == 0)
            keep(1, TOPO_ALGORITHM_allreduce_leader, today);
        write_file(rows[i][0]);
        ck_assert_int_eq(topo_verdicts_read(path, 4, today, &text, &error), is_foreign ? TOPO_UNSUPPORTED : TOPO_PARSE);
        ck_assert_ptr_null(text);
        ck_assert_msg(strstr(error.text, rows[i][1]) && strstr(error.text, path), "%s", error.text);
        ck_assert_int_eq(topo_verdicts_keep(path, found, today, &error), is_foreign ? TOPO_UNSUPPORTED : TOPO_OK);
        if (!is_foreign)
            ck_assert_int_eq(count(4, today), 1);
        topo_free(found);
    }
    end();
}
END_TEST

/* Lines that say nothing of when or of which calls count for nothing. */
START_TEST(half_lines)
{
    begin();
    keep(1, TOPO_ALGORITHM_allreduce_leader, today);
    write_file("# TopoMPI verdicts: x\nallreduce ranks=4 bytes=1 leader\nallreduce leader # 2026-11-29\n"
               "allreduce bytes=5 leader # 2026-11-29\nallreduce ranks=4 bytes=5 leader # 2026");
    ck_assert_int_eq(count(4, today), 0);
    write_file("");
    ck_assert_int_eq(count(4, today), 0);
    keep(6, TOPO_ALGORITHM_allreduce_leader, today);
    ck_assert_int_eq(count(4, today), 1);
    end();
}
END_TEST

/* Jobs that end at once lose nothing of each other. */
START_TEST(at_once)
{
    enum { JOBS = 12 };
    begin();
    for (int job = 0; job < JOBS; job++)
        if (fork() == 0) {
            keep(job, TOPO_ALGORITHM_allreduce_leader, today);
            _exit(0);
        }
    for (int job = 0; job < JOBS; job++)
        wait(NULL);
    ck_assert_int_eq(count(4, today), JOBS);
    end();
}
END_TEST

/* A folder that cannot be made: told, with the path. */
START_TEST(nowhere)
{
    struct topo_error error = {""};
    char *found = line(6, TOPO_ALGORITHM_allreduce_leader, today);
    ck_assert_int_eq(topo_verdicts_keep("/dev/null/x/verdicts.conf", found, today, &error), TOPO_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "/dev/null/x/verdicts.conf"));
    topo_free(found);
}
END_TEST

static enum topo_status attempt(void)
{
    struct topo_error error = {""};
    struct topo_text text = {0};
    char *read = NULL;
    topo_verdict_write(&two_nodes, 6, topo_algorithm(TOPO_ALGORITHM_allreduce_leader), 1e-6, 0, today, &text);
    enum topo_status status = text.failed ? TOPO_NOMEM : topo_verdicts_keep(path, text.text, today, &error);
    if (status == TOPO_OK)
        status = topo_verdicts_read(path, 4, today, &read, &error);
    topo_text_free(&text);
    topo_free(read);
    return status;
}

START_TEST(without_memory)
{
    begin();
    keep(7, TOPO_ALGORITHM_allreduce_leader, today);
    UNIT_OUT_OF_MEMORY(attempt());
    ck_assert_int_eq(count(4, today), 2);
    end();
}
END_TEST

UNIT_MAIN("verdicts", {size_classes}, {one_line}, {kept_and_read}, {nothing_new}, {many}, {bad_files}, {half_lines},
          {at_once}, {nowhere}, {without_memory})
