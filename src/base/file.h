/* Files that the user names, and limits on files. */
#ifndef TOPO_BASE_FILE_H
#define TOPO_BASE_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

/* Opens `path` with open()'s `flags`, a new file with mode 0666, and gives the descriptor, or -1 with one line that
 * names the path. It must be a regular file or /dev/null: a FIFO would wait for somebody at its other end, a device may
 * never end. Never waits. Errors: TOPO_IO. */
int topo_open_file(const char *path, int flags, struct topo_error *error);

/* What `ulimit -f` leaves this process: to make a longer file, in memory or not, ends it by SIGXFSZ. */
uint64_t topo_file_limit(void);

/* Writes `text` at the end of what is opened for writing: 0 or an errno; EFBIG, with nothing written, where the file
 * would be longer than topo_file_limit(). */
int topo_append_file(int fd, const char *text);

/* As posix_fallocate(), but for topo_file_limit(), which gives EFBIG, and whatever signals come: 0 or an errno. File
 * systems in memory give back all that a call has taken when one comes (Linux, shmem_fallocate()), so a profiler's
 * timer would interrupt a long one each time it is tried again; a short one gets through. */
static inline int topo_reserve_file(int fd, off_t from, size_t bytes)
{
    enum { AT_A_TIME = 256 << 10 };
    int code = bytes > 0 && (uint64_t)from + bytes > topo_file_limit() ? EFBIG : 0;
    for (size_t done = 0; done < bytes && code == 0;) {
        size_t part = bytes - done < AT_A_TIME ? bytes - done : AT_A_TIME;
        code = posix_fallocate(fd, from + (off_t)done, (off_t)part);
        if (code == 0)
            done += part;
        else if (code == EINTR)
            code = 0;
    }
    return code;
}

#endif
