#include "base/log.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"

void topo_say(const char *format, ...)
{
    char line[1024] = "topompi: ";
    size_t used = strlen(line);
    va_list args;
    va_start(args, format);
    topo_vsnprintf(line + used, sizeof line - used - 1, format, args);
    va_end(args);
    used = strlen(line);
    line[used++] = '\n';
    if (write(STDERR_FILENO, line, used) < 0)
        return; /* a closed stderr must not stop the job */
}
