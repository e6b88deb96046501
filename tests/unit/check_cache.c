#include "unit.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cache.h"

static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/check_cache.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(folders)
{
    static const struct {
        const char *given, *xdg, *home, *is; /* NULL: none */
    } rows[] = {
        {"/a/b", "/x", "/h", "/a/b"},           {"", "/x", "/h", "/x/topompi"}, {NULL, "", "/h", "/h/.cache/topompi"},
        {NULL, "x", "/h", "/h/.cache/topompi"}, {NULL, NULL, NULL, NULL},       {NULL, NULL, "", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct topo_text text = {0};
        bool there = topo_cache_folder(rows[i].given, rows[i].xdg, rows[i].home, &text);
        ck_assert_int_eq(there, rows[i].is != NULL);
        if (there)
            ck_assert_str_eq(text.text, rows[i].is);
        topo_text_free(&text);
    }
}
END_TEST

START_TEST(words)
{
    static const char *const rows[][2] = {{"AMD EPYC 7763 64-Core Processor", "amd-epyc-7763-64-core-proces"},
                                          {" Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", "intel-xeon-gold-6148-cpu-2.4"},
                                          {"../../etc/x", "..-..-etc-x"},
                                          {"\303\244b\nc/", "b-c"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct topo_text text = {0};
        topo_text_add(&text, "");
        topo_cache_word(rows[i][0], 28, &text);
        ck_assert_str_eq(text.text, rows[i][1]);
        topo_text_free(&text);
    }
}
END_TEST

static int entries(const char *path)
{
    DIR *dir = opendir(path);
    int count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return count;
}

/* Folders are made, what was there is replaced, nothing is left beside it. */
START_TEST(kept)
{
    char path[256], inner[128], *text = NULL;
    struct stat about;
    make_folder();
    snprintf(inner, sizeof inner, "%s/one/two", folder);
    snprintf(path, sizeof path, "%s/file", inner);
    ck_assert_int_eq(topo_cache_keep(path, "first\n", NULL), TOPO_OK);
    ck_assert_int_eq(topo_cache_keep(path, "second\n", NULL), TOPO_OK);
    ck_assert_int_eq(topo_read_file(path, &text, NULL, NULL), TOPO_OK);
    ck_assert_str_eq(text, "second\n");
    topo_free(text);
    ck_assert_int_eq(entries(inner), 1);
    ck_assert_int_eq(stat(inner, &about), 0);
    ck_assert_int_eq(about.st_mode & 0777, 0700);
    UNIT_OUT_OF_MEMORY(topo_cache_keep(path, "third\n", NULL));
    remove_folder();
}
END_TEST

/* Where it cannot be written the reason is told, and what was there stays. */
START_TEST(not_writable)
{
    struct topo_error error = {""};
    char path[128];
    make_folder();
    ck_assert_int_eq(topo_cache_keep("/dev/null/topompi/file", "text", &error), TOPO_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "/dev/null/topompi/file: Not a directory"));
    snprintf(path, sizeof path, "%s/file", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(topo_cache_keep(path, "text", &error), TOPO_IO);
    ck_assert_int_eq(entries(folder), 1);
    remove_folder();
}
END_TEST

/* Many at once: whoever reads finds one of the texts, whole. */
START_TEST(at_once)
{
    enum { WRITERS = 4, TIMES = 200, BYTES = 40000 };
    char path[128], own[BYTES + 1];
    make_folder();
    snprintf(path, sizeof path, "%s/sub/file", folder);
    for (int writer = 0; writer < WRITERS; writer++)
        if (fork() == 0) {
            int bad = 0;
            memset(own, 'a' + writer, BYTES);
            own[BYTES] = '\0';
            for (int i = 0; i < TIMES; i++) {
                char *text = NULL;
                size_t length = 0;
                bad |= topo_cache_keep(path, own, NULL) != TOPO_OK;
                bad |= topo_read_file(path, &text, &length, NULL) != TOPO_OK || length != BYTES ||
                       text[0] != text[BYTES - 1];
                topo_free(text);
            }
            _exit(bad);
        }
    for (int writer = 0; writer < WRITERS; writer++) {
        int status = 1;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    snprintf(path, sizeof path, "%s/sub", folder);
    ck_assert_int_eq(entries(path), 1);
    remove_folder();
}
END_TEST

START_TEST(usable)
{
    char path[128];
    make_folder();
    snprintf(path, sizeof path, "%s/new/sub/file", folder);
    ck_assert(topo_cache_usable(path));
    ck_assert_int_eq(topo_cache_keep(path, "text", NULL), TOPO_OK);
    ck_assert(!topo_cache_usable("/dev/null/there/file"));
    UNIT_OUT_OF_MEMORY(topo_cache_usable(path) ? TOPO_OK : TOPO_NOMEM);
    remove_folder();
}
END_TEST

UNIT_MAIN("cache", {folders}, {words}, {kept}, {not_writable}, {at_once}, {usable})
