#include "observe/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"

enum { WINDOW = 1 << 20 };

/* The next window: from the page that holds the next byte. The space is reserved
 * first, since a full file system would end the program by SIGBUS otherwise. */
static bool next_window(struct topo_trace_writer *writer, size_t bytes)
{
    struct topo_trace_file *file = writer->context;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = writer->written / page * page;
    size_t length = (size_t)(writer->written - start) + bytes;
    int code;
    void *map;
    length = (length + WINDOW - 1) / WINDOW * WINDOW;
    if (file->fd < 0)
        return false;
    code = topo_reserve_file(file->fd, (off_t)start, length);
    map = code ? MAP_FAILED : mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, (off_t)start);
    if (map == MAP_FAILED) {
        topo_say("%s: %s; the trace ends here", file->path, strerror(code ? code : errno));
        topo_trace_file_close(file, writer);
        writer->room = 0; /* of the window that went: a shorter record would find it there */
        return false;
    }
    if (file->map)
        munmap(file->map, file->map_bytes);
    file->map = map;
    file->map_bytes = length;
    file->allocated = start + length;
    writer->window = file->map + (writer->written - start);
    writer->room = length - (size_t)(writer->written - start);
    return true;
}

enum topo_status topo_trace_file_open(const char *folder, int rank, struct topo_trace_file *file,
                                      struct topo_trace_writer *writer, struct topo_error *error)
{
    int length = snprintf(file->path, sizeof file->path, "%s/" TOPO_TRACE_FILE, folder, rank);
    *writer = (struct topo_trace_writer){.reserve = next_window, .context = file};
    file->fd = -1;
    file->map = NULL;
    if (length < 0 || (size_t)length >= sizeof file->path)
        return topo_fail(error, TOPO_IO, "TOPOMPI_TRACE=%.80s...: the name is too long", folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return topo_fail(error, TOPO_IO, "TOPOMPI_TRACE=%.300s: %s", folder, strerror(errno));
    (void)unlink(file->path); /* a reader of the older file keeps it */
    file->fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd < 0)
        return topo_fail(error, TOPO_IO, "%.400s: %s", file->path, strerror(errno));
    return TOPO_OK;
}

void topo_trace_file_close(struct topo_trace_file *file, const struct topo_trace_writer *writer)
{
    if (file->map)
        munmap(file->map, file->map_bytes);
    file->map = NULL;
    if (file->fd < 0)
        return;
    if (ftruncate(file->fd, (off_t)writer->written) != 0)
        topo_say("%s: %s", file->path, strerror(errno));
    close(file->fd);
    file->fd = -1;
}
