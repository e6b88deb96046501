#include "job/device.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

static int is_wanted(struct dl_phdr_info *object, size_t size, void *context)
{
    static const char *const names[] = {"libcuda.so", "libamdhip64.so"}; /* numbers of versions may follow */
    const char *slash = strrchr(object->dlpi_name, '/'), *name = slash ? slash + 1 : object->dlpi_name;
    (void)size;
    (void)context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (!strncmp(name, names[i], length) && (!name[length] || name[length] == '.'))
            return 1;
    }
    return 0;
}

/* By the names of what is loaded: dlopen() with RTLD_NOLOAD would leave an error where there is none, which the program
 * may find by dlerror() and take for one of its own calls. */
bool topo_device_loaded(void)
{
    return dl_iterate_phdr(is_wanted, NULL) != 0;
}
