#include "unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

START_TEST(sizes)
{
    static const struct {
        const char *text;
        size_t bytes;
    } good[] = {{"0", 0},       {"17", 17}, {"256K", 262144}, {"1m", 1048576}, {"2G", 2147483648u},
                {"4KiB", 4096}, {"8B", 8}};
    static const char *const bad[] = {"", "K", "-1", "1T", "1K2", " 1", "99999999999999999999", "20000000000G"};
    size_t bytes;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(topo_parse_size(good[i].text, &bytes), "%s is a size", good[i].text);
        ck_assert_uint_eq(bytes, good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!topo_parse_size(bad[i], &bytes), "'%s' is not a size", bad[i]);
}
END_TEST

START_TEST(size_texts)
{
    static const size_t sizes[] = {0, 1, 1000, 1024, 65536, 1048576, 1572864};
    static const char *const texts[] = {"0", "1", "1000", "1K", "64K", "1M", "1536K"};
    char out[32];
    size_t back;
    for (int i = 0; i < 7; i++) {
        topo_format_size(sizes[i], out, sizeof out);
        ck_assert_str_eq(out, texts[i]);
        ck_assert(topo_parse_size(out, &back));
        ck_assert_uint_eq(back, sizes[i]);
    }
}
END_TEST

START_TEST(plurals)
{
    ck_assert_str_eq(topo_plural(1), "");
    ck_assert_str_eq(topo_plural(0), "s");
    ck_assert_str_eq(topo_plural(2), "s");
}
END_TEST

START_TEST(longs)
{
    long value;
    ck_assert(topo_parse_long("-3", -5, 5, &value) && value == -3);
    ck_assert(!topo_parse_long("6", -5, 5, &value));
    ck_assert(!topo_parse_long("3x", -5, 5, &value));
    ck_assert(!topo_parse_long("", -5, 5, &value));
    ck_assert(!topo_parse_long("-", -5, 5, &value));
}
END_TEST

START_TEST(growing)
{
    struct topo_text text = {0};
    for (int i = 0; i < 1000; i++)
        topo_text_addf(&text, "%d,", i % 10);
    ck_assert(!text.failed);
    ck_assert_uint_eq(text.length, 2000);
    ck_assert_uint_eq(strlen(text.text), 2000);
    topo_text_free(&text);
    ck_assert_ptr_null(text.text);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_text text = {0};
    topo_memory_fail_after(0);
    topo_text_add(&text, "x");
    topo_memory_fail_after(-1);
    ck_assert_msg(text.failed, "a failed allocation is remembered");
    topo_text_add(&text, "y");
    ck_assert_ptr_null(text.text);
}
END_TEST

START_TEST(missing_file)
{
    struct topo_error error;
    char *content;
    ck_assert_int_eq(topo_read_file("/nonexistent/file", &content, NULL, &error), TOPO_IO);
    ck_assert_msg(strstr(error.text, "/nonexistent/file"), "the message names the path: %s", error.text);
}
END_TEST

START_TEST(odd_files)
{
    char folder[] = "/tmp/topompi-text-XXXXXX", fifo[64], plain[64], *content;
    struct topo_error error;
    size_t length = 1;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    snprintf(plain, sizeof plain, "%s/plain", folder);
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    const char *const refused[] = {fifo, folder, "/dev/zero"};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(topo_read_file(refused[i], &content, NULL, &error), TOPO_IO);
        ck_assert_msg(strstr(error.text, refused[i]) && strstr(error.text, "not a regular file"), "%s", error.text);
    }
    ck_assert_int_eq(topo_read_file("/dev/null", &content, &length, &error), TOPO_OK);
    ck_assert_msg(length == 0 && !*content, "nothing is read from /dev/null");
    topo_free(content);
    int fd = topo_open_file(plain, O_WRONLY | O_CREAT, &error);
    ck_assert_int_ge(fd, 0);
    for (int i = 0; i < 10000; i++)
        ck_assert_int_eq(write(fd, "0123456789", 10), 10);
    close(fd);
    ck_assert_int_eq(topo_read_file(plain, &content, &length, &error), TOPO_OK);
    ck_assert_uint_eq(length, 100000);
    ck_assert_uint_eq(strspn(content, "0123456789"), 100000);
    topo_free(content);
    UNIT_OUT_OF_MEMORY(topo_read_file(plain, &content, &length, &error));
    topo_free(content);
    fd = topo_open_file(plain, O_WRONLY | O_TRUNC, &error);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "a\nb\0c\n", 6), 6);
    close(fd);
    ck_assert_int_eq(topo_read_file(plain, &content, NULL, &error), TOPO_PARSE);
    ck_assert_msg(strstr(error.text, "plain:2: a zero byte"), "%s", error.text);
    ck_assert_int_eq(topo_read_file(plain, &content, &length, &error), TOPO_OK);
    ck_assert_uint_eq(length, 6);
    topo_free(content);
    unlink(plain);
    unlink(fifo);
    rmdir(folder);
}
END_TEST

UNIT_MAIN("text", {sizes}, {size_texts}, {plurals}, {longs}, {growing}, {out_of_memory}, {missing_file}, {odd_files})
