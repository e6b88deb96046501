/* Verdicts: which form was found to be the fastest, kept from one job to the next. A file of them is a tuning file
 * (select/tuning.h), a rule a line, for the calls of one size class in communicators of one layout:
 *
 *   allreduce ranks=4 nodes=2 per_node=2 ... bytes=33-64 leader # 2026-11-30 native 12.3 us, leader 8.1 us
 *
 * The line's day says when it was found; what is too old is nothing. Jobs that end at the same time lose none of them.
 */
#ifndef TOPO_SELECT_VERDICTS_H
#define TOPO_SELECT_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/status.h"
#include "base/text.h"
#include "catalog/algorithm.h"
#include "select/select.h"

/* Lines of a file at most, the latest; days for which they hold, and after which the same is written again. */
enum { TOPO_VERDICTS_MOST = 128, TOPO_VERDICTS_DAYS = 30, TOPO_VERDICTS_FRESH = 7 };

/* Appends a line: of the calls of size class `size_class` in communicators of this layout `form` was the fastest.
 * `seconds` of a call of it, `native` of the native algorithm; 0: not known. */
void topo_verdict_write(const struct topo_layout *layout, int size_class, const struct topo_algorithm *form,
                        double seconds, double native, time_t now, struct topo_text *out);

/* The lines of a file that hold and that are of at most `ranks` ranks, in *text (free with topo_free()); NULL: there is
 * no file. Errors: TOPO_UNSUPPORTED where it is no file of verdicts, TOPO_PARSE where it is damaged, TOPO_IO,
 * TOPO_NOMEM. */
enum topo_status topo_verdicts_read(const char *path, int ranks, time_t now, char **text, struct topo_error *error);

/* Adds the lines `found` to the file in place of those of the same calls, and drops what is too old; of `found` the
 * first line of its calls counts. Nothing is written where it says the same already. A damaged file is replaced, one
 * that does not begin as files of verdicts do stays as it is (TOPO_UNSUPPORTED). Errors besides: TOPO_IO, TOPO_NOMEM.
 */
enum topo_status topo_verdicts_keep(const char *path, const char *found, time_t now, struct topo_error *error);

#endif
