/* What the command-line tools share: messages, exit statuses, where output goes. */
#ifndef TOPO_TOOLS_CLI_H
#define TOPO_TOOLS_CLI_H

#include "base/text.h"

/* Exit statuses of the tools; 2 is for what the user typed. CLI_DONE is none: all went well and nothing is left to do.
 */
enum { CLI_DONE = -1, CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* One line "<tool>: <message>" on stderr; returns `status`, so that a function
 * ends with `return cli_fail("topo-dump", CLI_USAGE, ...)`. */
int cli_fail(const char *tool, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes the text to the file `path`, or to stdout when it is NULL or "-".
 * Returns CLI_OK, or CLI_FAILED after saying why (out of memory included: text->failed). */
int cli_write(const char *tool, const char *path, const struct topo_text *text);

/* The same for a file that is to stay whole whatever happens: written beside, as PATH.new, and renamed. */
int cli_replace(const char *tool, const char *path, const struct topo_text *text);

#endif
