/* What the command-line tools share: messages, exit statuses, where output goes. */
#ifndef TOPO_TOOLS_CLI_H
#define TOPO_TOOLS_CLI_H

#include "base/text.h"

/* Exit statuses of the tools; 2 is for what the user typed. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* One line "<tool>: <message>" on stderr; returns `status`, so that a function
 * ends with `return cli_fail("topo-dump", CLI_USAGE, ...)`. */
int cli_fail(const char *tool, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The one complaint about an argument that getopt_long() refused ('?' or ':'):
 * `argv` and `index` (optind) name it, `short_option` is optopt, `missing` says
 * that its value is missing. Returns CLI_USAGE. */
int cli_bad_option(const char *tool, char *const *argv, int index, int short_option, bool missing);

/* Writes the text to the file `path`, or to stdout when it is NULL or "-".
 * Returns CLI_OK, or CLI_FAILED after saying why (out of memory included: text->failed). */
int cli_write(const char *tool, const char *path, const struct topo_text *text);

#endif
