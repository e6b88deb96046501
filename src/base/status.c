#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

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

enum topo_status topo_fail(struct topo_error *error, enum topo_status status, const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
        topo_one_line(error->text);
    }
    return status;
}
