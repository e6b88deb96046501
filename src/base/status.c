#include "base/status.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *topo_status_text(enum topo_status status)
{
    static const char *const texts[] = {TOPO_STATUS_MAP(TOPO_WORD)};
    if ((unsigned)status >= sizeof texts / sizeof *texts)
        return "unknown status";
    return texts[status];
}

void topo_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

/* What is too long loses its middle: in front stands what it is about, such as a path, behind it why. */
static void shorten(char *to, size_t size, const char *whole)
{
    static const char gap[] = "...";
    size_t length = strlen(whole), end = size / 2;
    if (length < size) {
        memcpy(to, whole, length + 1);
        return;
    }
    memcpy(to, whole, size - end - (sizeof gap - 1));
    memcpy(to + size - end - (sizeof gap - 1), gap, sizeof gap - 1);
    memcpy(to + size - end, whole + length + 1 - end, end);
}

enum topo_status topo_fail(struct topo_error *error, enum topo_status status, const char *format, ...)
{
    if (error) {
        char whole[PATH_MAX + sizeof error->text];
        va_list args;
        va_start(args, format);
        vsnprintf(whole, sizeof whole, format, args);
        va_end(args);
        shorten(error->text, sizeof error->text, whole);
        topo_one_line(error->text);
    }
    return status;
}
