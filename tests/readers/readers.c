#include "readers/readers.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "predict/interval.h"

enum { SCARCE_MAX = 64 };

static char folder[256];

char *reader_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    MUST(text, "%zu bytes", size);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

char *reader_line(char **rest)
{
    char *line = *rest, *end;
    if (!line)
        return NULL;
    end = strchr(line, '\n');
    if (end)
        *end = '\0';
    *rest = end ? end + 1 : NULL;
    return line;
}

void reader_one_line(const char *text)
{
    MUST(*text, "an error without a text");
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        MUST(*at >= ' ' && *at != 0x7f, "byte %d in the message '%s'", *at, text);
}

void reader_status(enum topo_status status, const struct topo_error *error)
{
    MUST(status != TOPO_NOMEM, "too much memory: %s", error->text);
    if (status == TOPO_OK)
        MUST(!error->text[0], "TOPO_OK with the message '%s'", error->text);
    else
        reader_one_line(error->text);
}

void reader_interval(const struct topo_interval *interval)
{
    double parts = interval->productive + interval->sum.insufficient + interval->sum.communication +
                   interval->sum.synchronization + interval->sum.idle;
    MUST(isfinite(interval->execution) && isfinite(parts), "an interval of %g s", interval->execution);
    MUST(fabs(parts - interval->total) <= 1e-6 * (fabs(interval->total) + 1e-3), "%g s in all, %g s in parts",
         interval->total, parts);
    for (int i = 0; i < interval->child_count; i++)
        reader_interval(interval->children[i]);
}

void reader_notes(enum topo_status status, struct topo_notes *notes)
{
    long errors = 0, warnings = 0;
    MUST(status != TOPO_NOMEM, "too much memory");
    MUST((status == TOPO_OK) == (notes->errors == 0), "%s with %ld errors", topo_status_text(status), notes->errors);
    for (int i = 0; i < notes->kept; i++) {
        reader_one_line(notes->list[i].text);
        errors += notes->list[i].is_error;
        warnings += !notes->list[i].is_error;
    }
    MUST(notes->kept == TOPO_NOTES_KEPT || (errors == notes->errors && warnings == notes->warnings),
         "%ld errors and %ld warnings kept", errors, warnings);
    topo_notes_free(notes);
}

void reader_scarce(const uint8_t *data, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
    topo_memory_fail_after((long)(hash >> 32) % SCARCE_MAX);
}

void reader_plenty(void)
{
    topo_memory_fail_after(-1);
}

const char *reader_folder(void)
{
    const char *where = getenv("TMPDIR");
    if (folder[0])
        return folder;
    snprintf(folder, sizeof folder, "%s/topo-reader-XXXXXX", where ? where : "/tmp");
    MUST(mkdtemp(folder), "%s: %s", folder, strerror(errno));
    return folder;
}

const char *reader_file(const char *name, const void *content, size_t size)
{
    static char path[sizeof folder + 64];
    snprintf(path, sizeof path, "%s/%s", reader_folder(), name);
    FILE *file = fopen(path, "wb");
    MUST(file && fwrite(content, 1, size, file) == size, "%s: %s", path, strerror(errno));
    fclose(file);
    return path;
}

void reader_remove(void)
{
    char path[sizeof folder + 300];
    DIR *open_folder = folder[0] ? opendir(folder) : NULL;
    if (!open_folder)
        return;
    for (struct dirent *entry; (entry = readdir(open_folder));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(open_folder);
    rmdir(folder);
    folder[0] = '\0';
}
