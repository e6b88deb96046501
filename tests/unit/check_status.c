#include "unit.h"

#include <string.h>

START_TEST(texts)
{
    for (int a = TOPO_OK; a <= TOPO_INTERNAL; a++) {
        ck_assert(topo_status_text(a)[0]);
        for (int b = TOPO_OK; b < a; b++)
            ck_assert_str_ne(topo_status_text(a), topo_status_text(b));
    }
    ck_assert_str_eq(topo_status_text(TOPO_OK), "success");
    ck_assert_str_eq(topo_status_text((enum topo_status)99), "unknown status");
    ck_assert_str_eq(topo_status_text((enum topo_status) - 1), "unknown status");
}
END_TEST

START_TEST(messages_are_one_line)
{
    struct topo_error error;
    ck_assert_int_eq(topo_fail(&error, TOPO_PARSE, "%s:1: '%s'", "a\nb", "\t\x7f\xc3\xa4\r"), TOPO_PARSE);
    ck_assert_str_eq(error.text, "a?b:1: '??\xc3\xa4?'");
    ck_assert_int_eq(topo_fail(NULL, TOPO_IO, "nobody asked"), TOPO_IO);
}
END_TEST

START_TEST(messages_end)
{
    struct topo_error error;
    char text[2 * sizeof error.text];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    topo_fail(&error, TOPO_PARSE, "%s", text);
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
    topo_fail(&error, TOPO_IO, "/%s: File name too long", text);
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
    ck_assert(!strncmp(error.text, "/xxx", 4) && strstr(error.text, "x...x") &&
              strstr(error.text, "x: File name too long"));
    topo_fail(&error, TOPO_IO, "%.*s", (int)sizeof error.text - 1, text);
    ck_assert_msg(!strchr(error.text, '.'), "%s", error.text);
}
END_TEST

UNIT_MAIN("status", {texts}, {messages_are_one_line}, {messages_end})
