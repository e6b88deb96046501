/* The line on standard error that overwrites itself: what a tool is at, and about how long the rest takes. */
#ifndef TOPO_TOOLS_PROGRESS_H
#define TOPO_TOOLS_PROGRESS_H

#include <stdbool.h>

#include "base/text.h"

/* ", about 40 s left" appended to `out`, where `share` (0 .. 1) of the work took `seconds`; nothing while less than a
 * twentieth is done, since beginnings are not like the rest. */
void cli_time_left(double seconds, double share, struct topo_text *out);

/* Seconds on a clock that only goes on. */
double cli_now(void);

/* Shows the line: "TOOL: ", the text, a blank. */
void cli_progress(const char *tool, const char *text);

/* The line goes. */
void cli_progress_clear(void);

#endif
