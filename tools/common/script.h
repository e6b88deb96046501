/* Python scripts that the tools carry: reports and charts are made of their JSON. */
#ifndef TOPO_TOOLS_SCRIPT_H
#define TOPO_TOOLS_SCRIPT_H

#include "base/text.h"

/* Runs the script by the first python3 in PATH, with `arguments` (NULL ends them) and with `input` (NULL: nothing) as
 * its standard input; it writes to this process's standard output and error. The exit status of the script, or
 * CLI_FAILED after one line, as when python3 is missing. */
int cli_script(const char *tool, const char *script, const char *const *arguments, const struct topo_text *input);

#endif
