/* Sheets of a job in files, one a node, so that they outlive its ranks (TOPOMPI_STATS_KEEP). */
#ifndef TOPO_REPORT_SHEETS_H
#define TOPO_REPORT_SHEETS_H

#include <stdint.h>

#include "report/report.h"

/* Bytes from one sheet of a file to the next: pages of any machine. */
enum { TOPO_SHEETS_APART = 3 << 16 };
_Static_assert(sizeof(struct topo_report_sheet) <= TOPO_SHEETS_APART, "it fits");

/* Appends the name of a node's file. */
void topo_sheets_name(const char *folder, uint64_t job, int node, struct topo_text *out);

/* Adds the sheets of all files of the first job that is found in `folder`, and sets its number; 0: there is none.
 * Errors: TOPO_IO with path and reason, TOPO_NOMEM. */
enum topo_status topo_sheets_read(const char *folder, struct topo_report *report, uint64_t *job,
                                  struct topo_error *error);

/* Removes the files of a job. */
void topo_sheets_remove(const char *folder, uint64_t job);

#endif
