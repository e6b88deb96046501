/* Files that the user names. */
#ifndef TOPO_BASE_FILE_H
#define TOPO_BASE_FILE_H

#include "base/status.h"

/* Opens `path` with open()'s `flags`, a new file with mode 0666, and gives the descriptor, or -1 with one line that
 * names the path. It must be a regular file or /dev/null: a FIFO would wait for somebody at its other end, a device may
 * never end. Never waits. Errors: TOPO_IO. */
int topo_open_file(const char *path, int flags, struct topo_error *error);

#endif
