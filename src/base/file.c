#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_null_device(const struct stat *opened)
{
    struct stat null;
    return S_ISCHR(opened->st_mode) && stat("/dev/null", &null) == 0 && S_ISCHR(null.st_mode) &&
           null.st_rdev == opened->st_rdev;
}

int topo_open_file(const char *path, int flags, struct topo_error *error)
{
    struct stat opened;
    int fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (fd < 0 && errno == ENXIO) { /* a FIFO that nobody reads, a socket */
        topo_fail(error, TOPO_IO, "%s: not a regular file", path);
        return -1;
    }
    if (fd < 0 || fstat(fd, &opened) != 0) {
        topo_fail(error, TOPO_IO, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(opened.st_mode) && !is_null_device(&opened)) {
        topo_fail(error, TOPO_IO, "%s: not a regular file", path);
    } else {
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}
