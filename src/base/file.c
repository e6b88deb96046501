#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
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

uint64_t topo_file_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

int topo_append_file(int fd, const char *text)
{
    size_t length = strlen(text);
    struct stat before;
    if (fstat(fd, &before) != 0)
        return errno;
    if (S_ISREG(before.st_mode) && (uint64_t)before.st_size + length > topo_file_limit())
        return EFBIG;
    while (length > 0) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        text += written;
        length -= (size_t)written;
    }
    return 0;
}
