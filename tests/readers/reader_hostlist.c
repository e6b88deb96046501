/* Slurm host lists. */
#include "readers/readers.h"

#include "machine/hostlist.h"

static enum topo_status see(const char *name, size_t length, void *context)
{
    long *names = context;
    ++*names;
    MUST(strlen(name) == length && length > 0 && length < TOPO_HOST_NAME_MAX, "a name of %zu bytes", length);
    MUST(!strpbrk(name, "[]= "), "the name '%s'", name);
    return TOPO_OK;
}

READER(hostlist)
{
    char *text = reader_text(data, size);
    struct topo_error error = {""};
    long names = 0;
    enum topo_status status = topo_hostlist_walk(text, size, see, &names, &error);
    reader_status(status, &error);
    MUST(names <= TOPO_HOSTLIST_MAX && (status != TOPO_OK || names > 0), "%ld names", names);
    free(text);
    return 0;
}
