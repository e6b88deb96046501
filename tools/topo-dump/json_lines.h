/* How topo-dump writes JSON objects, for the files that make them with jansson. */
#ifndef TOPO_DUMP_JSON_LINES_H
#define TOPO_DUMP_JSON_LINES_H

#include <jansson.h>

#include "base/text.h"
#include "machine/tree.h"

/* Appends the object, one key a line, so that long lists stay readable, and frees it.
 * out->failed says that memory was out. */
void dump_json_lines(json_t *root, struct topo_text *out);

json_t *dump_json_numbers(const int64_t *values, int count);

/* What crosses each level z (0..levels), in words. */
json_t *dump_json_labels(const struct topo_tree *tree);

#endif
