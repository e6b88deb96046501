#include "job/device.h"

#include <dlfcn.h>
#include <stddef.h>

bool topo_device_loaded(void)
{
    static const char *const names[] = {"libcuda.so.1",     "libamdhip64.so.7", "libamdhip64.so.6",
                                        "libamdhip64.so.5", "libamdhip64.so.4", "libamdhip64.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!library)
            continue;
        dlclose(library);
        return true;
    }
    return false;
}
