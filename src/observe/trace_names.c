#include "observe/trace_names.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { SLOTS = 2048 };

static struct {
    char *text;
    unsigned id;
} slots[SLOTS];
static unsigned names;

unsigned topo_trace_name(struct topo_trace_writer *writer, const char *text)
{
    if (!text || !*text)
        return 0;
    for (size_t slot = topo_hash_text(TOPO_HASH_START, text) % SLOTS;; slot = (slot + 1) % SLOTS) {
        if (!slots[slot].text) {
            if (names >= SLOTS / 2)
                return 0;
            slots[slot].text = topo_strdup(text);
            if (!slots[slot].text)
                return 0;
            slots[slot].id = ++names;
            topo_trace_write_string(writer, slots[slot].id, text);
            return slots[slot].id;
        }
        if (!strcmp(slots[slot].text, text))
            return slots[slot].id;
    }
}

void topo_trace_names_free(void)
{
    for (int i = 0; i < SLOTS; i++) {
        topo_free(slots[i].text);
        slots[i].text = NULL;
    }
    names = 0;
}

void topo_trace_place(const void *address, char *place)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname) {
        snprintf(place, TOPO_TRACE_PLACE_MAX, "unknown place");
        return;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(place, TOPO_TRACE_PLACE_MAX, "%s+0x%lx", slash ? slash + 1 : info.dli_fname,
             (unsigned long)((const char *)address - (const char *)info.dli_fbase));
}
