/* Reports of topompi-run --stats that are in files, read and compared. */
#ifndef TOPO_DUMP_STATS_FILE_H
#define TOPO_DUMP_STATS_FILE_H

#include <jansson.h>

#include "base/text.h"

/* Reads a report: FILE.json, or FILE.html, which has one inside. Free with json_decref(). CLI_OK, or CLI_FAILED after
 * one line. Of `all` there are the arrays calls and ranks and the object total. */
int dump_stats_read(const char *path, json_t **report);

/* What differs between two such files, what changed most first. CLI_... */
int dump_stats_diff(char *const path[2], struct topo_text *out);

#endif
