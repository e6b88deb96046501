#include "report/sheets.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

void topo_sheets_name(const char *folder, uint64_t job, int node, struct topo_text *out)
{
    topo_text_addf(out, "%s/topompi-%016" PRIx64 "-%d.counts", folder, job, node);
}

/* False: it is no such file's name. */
static bool job_of(const char *name, uint64_t *job)
{
    int node, end = 0;
    return sscanf(name, "topompi-%16" SCNx64 "-%d.counts%n", job, &node, &end) == 2 && end > 0 && !name[end];
}

static enum topo_status add_file(const char *path, struct topo_report *report, struct topo_error *error)
{
    TOPO_SCOPED char *bytes = NULL;
    size_t length;
    enum topo_status status = topo_read_file(path, &bytes, &length, error);
    for (size_t at = 0; status == TOPO_OK && at < length; at += TOPO_SHEETS_APART) {
        const struct topo_report_sheet *sheet = (const void *)(bytes + at);
        if (topo_report_is_sheet(sheet, length - at)) /* else its rank never came to write it */
            status = topo_report_add_sheet(report, sheet);
    }
    return status;
}

/* Each file of *job, of the first job there is where that is 0: its sheets into the report; NULL: it goes. */
static enum topo_status each(const char *folder, uint64_t *job, struct topo_report *report, struct topo_error *error)
{
    DIR *open = opendir(folder);
    enum topo_status status = open ? TOPO_OK : topo_fail(error, TOPO_IO, "%s: %s", folder, strerror(errno));
    bool found = *job != 0;
    for (struct dirent *entry; status == TOPO_OK && (entry = readdir(open));) {
        TOPO_SCOPED_BY(topo_text_free) struct topo_text path = {0};
        uint64_t number;
        if (!job_of(entry->d_name, &number) || (found && number != *job))
            continue;
        found = true;
        *job = number;
        topo_text_addf(&path, "%s/%s", folder, entry->d_name);
        if (path.failed)
            status = TOPO_NOMEM;
        else if (report)
            status = add_file(path.text, report, error);
        else
            unlink(path.text);
    }
    if (open)
        closedir(open);
    return status;
}

enum topo_status topo_sheets_read(const char *folder, struct topo_report *report, uint64_t *job,
                                  struct topo_error *error)
{
    *job = 0;
    return each(folder, job, report, error);
}

void topo_sheets_remove(const char *folder, uint64_t job)
{
    struct topo_error error;
    each(folder, &job, NULL, &error);
}
