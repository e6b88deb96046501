#include "unit.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

static int format(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int format(char *to, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = topo_vsnprintf(to, size, format, args);
    va_end(args);
    return length;
}

static void check_points(void)
{
    char text[16], *end;
    ck_assert_int_eq(format(text, sizeof text, "%.2f %s", 1.25, "x"), 6);
    ck_assert_str_eq(text, "1.25 x");
    ck_assert_int_eq(format(text, 3, "%g", 0.125), 5);
    ck_assert_str_eq(text, "0.");
    ck_assert_double_eq(topo_strtod("2.5e-3,", &end), 2.5e-3);
    ck_assert_str_eq(end, ",");
}

START_TEST(points)
{
    check_points();
}
END_TEST

/* A locale is compiled here, as few hosts have more than C; without the sources of locales nothing is shown. */
START_TEST(commas)
{
    char folder[] = "/tmp/topompi-locale-XXXXXX", command[256], text[16];
    ck_assert(mkdtemp(folder) != NULL);
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    bool compiled = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0;
    if (compiled && setlocale(LC_ALL, "de_DE.UTF-8")) {
        check_points();
        snprintf(text, sizeof text, "%.1f", 0.5);
        ck_assert_str_eq(text, "0,5"); /* the application's stays */
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

UNIT_MAIN("plain", {points}, {commas})
