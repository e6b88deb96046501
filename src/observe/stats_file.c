#include "observe/stats_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "job/job.h"
#include "report/sheets.h"

/* The job's number, and its step's behind a point. */
static void add_job(struct topo_text *out)
{
    static const char *const jobs[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "FLUX_JOB_ID"};
    const char *step = topo_environment("SLURM_STEP_ID");
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        const char *job = topo_environment(jobs[i]);
        if (job) {
            topo_text_addf(out, "%s%s%s", job, i == 0 && step ? "." : "", i == 0 && step ? step : "");
            return;
        }
    }
    topo_text_addf(out, "%ld", (long)getpid());
}

/* The name as it is meant, in the text; the number of the try, if it is not the first, before its end, ".json". */
static void name_file(const char *path, int number, struct topo_text *out)
{
    const char *end = path + strlen(path) - strlen(".json");
    for (const char *at = path; *at; at++) {
        if (at == end && number > 1)
            topo_text_addf(out, "-%d", number);
        if (at[0] == '%' && at[1] == 'j')
            add_job(out), at++;
        else
            topo_text_addf(out, "%c", *at);
    }
}

/* A new file; -1: *error says why there is none. Nothing but a file, as a FIFO, is opened to say what it is. */
static int open_report(const char *path, struct topo_text *name, struct topo_error *error)
{
    enum { TRIES = 10000 };
    for (int number = 1; number <= TRIES; number++) {
        topo_text_free(name);
        name_file(path, number, name);
        if (name->failed) {
            topo_fail(error, TOPO_NOMEM, "%s: %s", path, strerror(ENOMEM));
            return -1;
        }
        int fd = open(name->text, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, 0600);
        if (fd >= 0)
            return fd;
        if (errno != EEXIST || number == 1)
            fd = topo_open_file(name->text, O_WRONLY, error);
        if (fd < 0)
            return -1;
        close(fd);
    }
    topo_fail(error, TOPO_IO, "%s: %s", path, strerror(EEXIST));
    return -1;
}

void topo_stats_file_write(const struct topo_text *out, const char *path)
{
    struct topo_error error = {""};
    struct topo_text name = {0};
    int fd = path ? open_report(path, &name, &error) : STDERR_FILENO;
    if (fd < 0) {
        topo_say("TOPOMPI_STATS=%s; there is no report", error.text);
        topo_text_free(&name);
        return;
    }
    int code = topo_append_file(fd, out->text);
    if (path && close(fd) != 0 && !code)
        code = errno;
    if (code)
        topo_say("TOPOMPI_STATS=%s: %s; there is no report", path ? name.text : "json", strerror(code));
    else if (path && strcmp(name.text, path) != 0 && !strstr(path, "%j"))
        topo_say("%s is there already: the report is in %s", path, name.text);
    topo_text_free(&name);
}

static bool is_mapped;

static bool is_kept(void)
{
    return topo_job.options.value[TOPO_OPTION_STATS_KEEP].text[0] != '\0';
}

struct topo_report_sheet *topo_stats_file_map(void)
{
    const int level = topo_tree_node_level(topo_job.tree), node = topo_tree_unit(topo_job.tree, level, topo_job.rank);
    struct topo_text path = {0};
    off_t at = 0;
    is_mapped = false;
    if (!is_kept())
        return NULL;
    for (int i = 0; i < topo_job.rank; i++)
        at += topo_tree_unit(topo_job.tree, level, i) == node ? TOPO_SHEETS_APART : 0;
    topo_sheets_name(topo_job.options.value[TOPO_OPTION_STATS_KEEP].text, topo_job.number, node, &path);
    int fd = path.failed ? -1 : open(path.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int code = fd < 0 ? errno : topo_reserve_file(fd, at, TOPO_SHEETS_APART);
    void *base = code ? MAP_FAILED : mmap(NULL, TOPO_SHEETS_APART, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
    if (!code && base == MAP_FAILED)
        code = errno;
    if (code && topo_job.rank == 0)
        topo_say("TOPOMPI_STATS_KEEP=%s: %s; nothing is kept", topo_job.options.value[TOPO_OPTION_STATS_KEEP].text,
                 strerror(code));
    if (fd >= 0)
        close(fd);
    topo_text_free(&path);
    is_mapped = base != MAP_FAILED;
    return is_mapped ? base : NULL;
}

void topo_stats_file_unmap(struct topo_report_sheet *sheet)
{
    if (!is_mapped)
        topo_free(sheet);
    else if (sheet)
        munmap(sheet, TOPO_SHEETS_APART);
    is_mapped = false;
}

void topo_stats_file_remove(void)
{
    const int nodes = topo_job.tree->units[topo_tree_node_level(topo_job.tree)];
    for (int node = 0; is_kept() && node < nodes; node++) {
        struct topo_text path = {0};
        topo_sheets_name(topo_job.options.value[TOPO_OPTION_STATS_KEEP].text, topo_job.number, node, &path);
        if (!path.failed)
            unlink(path.text);
        topo_text_free(&path);
    }
}
