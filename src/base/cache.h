/* Files that are kept from one job to the next, in the user's folder for what can be found out again. */
#ifndef TOPO_BASE_CACHE_H
#define TOPO_BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

/* The folder: `given` where that is not empty, else topompi in `xdg` (XDG_CACHE_HOME, which counts if it is absolute),
 * else in `home`/.cache. Arguments may be NULL. False: there is none. Nothing is looked at in the file system. */
bool topo_cache_folder(const char *given, const char *xdg, const char *home, struct topo_text *folder);

/* Appends `text` as a part of a file's name: letters in small ones, digits and points as they are, others one '-'
 * together, at most `most` characters; nothing of "(R)" and such. */
void topo_cache_word(const char *text, size_t most, struct topo_text *name);

/* Makes the folders of `path` that are missing, for the user alone; true: files can be made beside it. */
bool topo_cache_usable(const char *path);

/* Makes `path` hold `text`, whoever reads or writes it at the same time: written beside and renamed. Folders that are
 * missing are made, for the user alone. Errors: TOPO_IO with the path and the reason, TOPO_NOMEM. */
enum topo_status topo_cache_keep(const char *path, const char *text, struct topo_error *error);

#endif
