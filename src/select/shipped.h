/* What the library ships with: level parameters and rules as a tuning file. */
#ifndef TOPO_SELECT_SHIPPED_H
#define TOPO_SELECT_SHIPPED_H

#include <stddef.h>

#include "select/tuning.h"

/* The file as it is installed: model/levels.conf, then select/rules.conf. */
extern const char topo_rules_text[];

/* The built-in one, read when first asked for and kept; NULL when memory was out for it, then and for good, so that
 * what is taken does not change. */
const struct topo_tuning *topo_shipped(void);

/* Frees it, while nobody uses it; it is read again when asked for. */
void topo_shipped_free(void);

/* Where it lies as a file that can be read and edited, beside a program or library that lies in `module` and was to be
 * installed into the folder `installed`: the installed file's path moved along with it. Nothing for one that lies in
 * another kind of folder, as in a build's, or was copied alone: an older installation must not speak for it. */
void topo_shipped_path(const char *module, const char *installed, char *path, size_t size);

#endif
