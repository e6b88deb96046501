#include "common/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int cli_replace(const char *tool, const char *path, const struct topo_text *text)
{
    char beside[PATH_MAX], target[PATH_MAX];
    struct stat old;
    /* A link stays one; what is no file (/dev/stdout, a FIFO) is written as it is. */
    if (!realpath(path, target))
        snprintf(target, sizeof target, "%s", path);
    if (stat(target, &old) == 0 && !S_ISREG(old.st_mode))
        return cli_write(tool, path, text);
    if ((size_t)snprintf(beside, sizeof beside, "%s.new", target) >= sizeof beside)
        return cli_fail(tool, CLI_FAILED, "%s: %s", path, strerror(ENAMETOOLONG));
    int status = cli_write(tool, beside, text);
    if (status == CLI_OK && rename(beside, target) != 0)
        status = cli_fail(tool, CLI_FAILED, "%s: %s", path, strerror(errno));
    if (status != CLI_OK)
        unlink(beside);
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
