#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
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

void topo_say_once(const char *text)
{
    enum { SAID = 512, PLACES = 8 }; /* where many were said before, one of them may be said again */
    static _Atomic uint64_t said[SAID];
    const uint64_t hash = topo_hash_text(TOPO_HASH_START, text) | 1;
    for (uint64_t i = 0; i < PLACES; i++) {
        uint64_t none = 0;
        _Atomic uint64_t *place = &said[((hash >> 1) + i) % SAID];
        if (atomic_load(place) == hash || (!atomic_compare_exchange_strong(place, &none, hash) && none == hash))
            return;
        if (none == 0)
            break;
        if (i == PLACES - 1)
            atomic_store(place, hash);
    }
    topo_say("%s", text);
}
