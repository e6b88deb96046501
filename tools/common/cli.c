#include "common/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int cli_fail(const char *tool, int status, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "%s: %s\n", tool, line);
    return status;
}

int cli_write(const char *tool, const char *path, const struct topo_text *text)
{
    int status = CLI_OK;
    FILE *file = stdout;
    if (text->failed)
        return cli_fail(tool, CLI_FAILED, "out of memory");
    if (path && !strcmp(path, "-"))
        path = NULL;
    if (path && !(file = fopen(path, "w")))
        return cli_fail(tool, CLI_FAILED, "%s: %s", path, strerror(errno));
    if (text->length && fwrite(text->text, 1, text->length, file) != text->length)
        status = cli_fail(tool, CLI_FAILED, "%s: %s", path ? path : "standard output", strerror(errno));
    if ((path ? fclose(file) : fflush(file)) && status == CLI_OK)
        status = cli_fail(tool, CLI_FAILED, "%s: %s", path ? path : "standard output", strerror(errno));
    return status;
}
