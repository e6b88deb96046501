/* Files of TOPOMPI_STATS: the report, and the sheets while they are counted into. */
#ifndef TOPO_OBSERVE_STATS_FILE_H
#define TOPO_OBSERVE_STATS_FILE_H

#include "base/text.h"
#include "report/report.h"

/* Rank 0: the whole value at once, as a line of the application shall not fall between; NULL: on standard error. %j in
 * the name becomes the job's number where a batch system or launcher says it, with the step's. A file that is there
 * already stays: NAME.json becomes NAME-2.json. Says where it cannot. */
void topo_stats_file_write(const struct topo_text *out, const char *path);

/* This rank's sheet in the file of its node in the folder of TOPOMPI_STATS_KEEP; NULL: no folder is given, or it cannot
 * be had there, which rank 0 says. topo_stats_file_unmap() ends its use, whosever memory it is. */
struct topo_report_sheet *topo_stats_file_map(void);
void topo_stats_file_unmap(struct topo_report_sheet *sheet);

/* Rank 0: the files of all nodes go, as they were reported. */
void topo_stats_file_remove(void);

#endif
