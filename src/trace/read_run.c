/* The files of one run. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/read.h"

/* Ranks of the files in a folder, ascending. */
static enum topo_status list_ranks(const char *folder, int **ranks, int *count, struct topo_notes *notes)
{
    enum topo_status status = TOPO_OK;
    DIR *open_folder = opendir(folder);
    *ranks = NULL;
    *count = 0;
    if (!open_folder) {
        topo_note_error(notes, "%s: %s", folder, strerror(errno));
        return TOPO_IO;
    }
    for (struct dirent *entry; status == TOPO_OK && (entry = readdir(open_folder));) {
        char name[40];
        int rank, *grown;
        if (sscanf(entry->d_name, "rank-%6d.", &rank) != 1 || rank < 0)
            continue;
        snprintf(name, sizeof name, TOPO_TRACE_FILE, rank);
        if (strcmp(name, entry->d_name) != 0)
            continue;
        grown = topo_realloc(*ranks, (size_t)*count + 1, sizeof *grown);
        if (!grown) {
            status = TOPO_NOMEM;
            break;
        }
        *ranks = grown;
        int place = (*count)++;
        for (; place > 0 && grown[place - 1] > rank; place--)
            grown[place] = grown[place - 1];
        grown[place] = rank;
    }
    closedir(open_folder);
    if (status == TOPO_OK && *count == 0) {
        topo_note_error(notes, "%s: no trace: no file rank-000000.topotrace or of another rank", folder);
        status = TOPO_IO;
    }
    return status;
}

static enum topo_status read_one(const char *folder, int rank, struct topo_trace_run *run, struct topo_notes *notes)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text path = {0};
    struct topo_trace_rank one = {0};
    struct topo_error error = {""};
    TOPO_SCOPED char *content = NULL;
    size_t length = 0;
    enum topo_status status = TOPO_NOMEM;
    topo_text_addf(&path, "%s/" TOPO_TRACE_FILE, folder, rank);
    if (path.failed)
        goto out;
    status = topo_read_file(path.text, &content, &length, &error);
    if (status != TOPO_OK) {
        topo_note_error(notes, "%s", error.text);
        goto out;
    }
    status = topo_trace_parse(content, length, path.text, &one, notes);
    if (status == TOPO_NOMEM || !one.job.ranks)
        goto out;
    const struct topo_trace_rank *first = NULL;
    for (int i = 0; i < run->ranks && !first; i++)
        if (run->rank[i].path)
            first = &run->rank[i];
    if (first && (first->job.id != one.job.id || first->job.ranks != one.job.ranks)) {
        topo_note_warning(notes, "%s: left out, it is of another run than %s", path.text, first->path);
        goto out;
    }
    if (one.job.rank != rank) {
        topo_note_error(notes, "%s: it is rank %d's", path.text, one.job.rank);
        status = TOPO_PARSE;
        goto out;
    }
    if (!run->rank) { /* the first file that is in its place says how many there are */
        run->rank = topo_calloc((size_t)one.job.ranks, sizeof *run->rank);
        if (!run->rank) {
            status = TOPO_NOMEM;
            goto out;
        }
        run->ranks = one.job.ranks;
    }
    run->rank[rank] = one;
    one = (struct topo_trace_rank){0};
out:
    topo_trace_rank_free(&one);
    return status;
}

enum topo_status topo_trace_read(const char *folder, struct topo_trace_run *run, const struct topo_watch *watch,
                                 struct topo_notes *notes)
{
    int *ranks = NULL, count = 0, early = 0, first_early = -1, first_missing = -1;
    long errors = notes->errors;
    *run = (struct topo_trace_run){0};
    enum topo_status status = list_ranks(folder, &ranks, &count, notes);
    for (int i = 0; i < count && (status == TOPO_OK || status == TOPO_PARSE || status == TOPO_IO); i++) {
        enum topo_status one = read_one(folder, ranks[i], run, notes);
        if (one == TOPO_NOMEM)
            status = one;
        topo_tell(watch, (i + 1.0) / count);
    }
    topo_free(ranks);
    if (status == TOPO_NOMEM)
        topo_note_error(notes, "%s: out of memory", folder);
    if (status != TOPO_OK)
        return status;
    for (int r = 0; r < run->ranks; r++) {
        if (!run->rank[r].path) {
            first_missing = run->missing++ ? first_missing : r;
        } else if (!run->rank[r].finished) {
            first_early = early++ ? first_early : r;
        }
    }
    if (run->missing)
        topo_note_error(notes, "%s: %d of %d ranks are missing, the first is %d", folder, run->missing, run->ranks,
                        first_missing);
    if (early)
        topo_note_warning(notes, "%s: %d ranks ended early, the first is %d; their last computation is not known",
                          folder, early, first_early);
    if (!run->ranks)
        return TOPO_IO;
    return notes->errors > errors ? TOPO_PARSE : TOPO_OK;
}

void topo_trace_run_free(struct topo_trace_run *run)
{
    for (int r = 0; r < run->ranks; r++)
        topo_trace_rank_free(&run->rank[r]);
    topo_free(run->rank);
    *run = (struct topo_trace_run){0};
}
