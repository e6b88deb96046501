#include "family/family.h"

#include <stddef.h>

const char *topo_family_start(void)
{
#define FIND(name) \
    topo_handles.name = topo_family_symbol(#name); \
    if (!topo_handles.name) \
        return #name;
    TOPO_HANDLES(FIND)
    return NULL;
}
