#include "select/verdicts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/memory.h"
#include "catalog/size_class.h"
#include "select/rule.h"
#include "select/tuning.h"

static const char head[] = "# TopoMPI verdicts: what jobs found to be the fastest (docs/GUARD.md). Jobs read them in "
                           "MPI_Init and add theirs.\n";

/* "2026-11-30", so that later days are greater words. */
enum { DAY = 11 };

static void day_of(time_t when, char day[DAY])
{
    struct tm parts = {0};
    gmtime_r(&when, &parts);
    strftime(day, DAY, "%Y-%m-%d", &parts);
}

static void day_before(time_t now, int days, char day[DAY])
{
    day_of(now - (time_t)days * 24 * 3600, day);
}

/* The days for which lines hold; those of a clock that is ahead do not. */
struct days {
    char first[DAY], fresh[DAY], behind[DAY];
};

static struct days days_at(time_t now)
{
    struct days days;
    day_before(now, TOPO_VERDICTS_DAYS, days.first);
    day_before(now, TOPO_VERDICTS_FRESH, days.fresh);
    day_before(now, -2, days.behind);
    return days;
}

void topo_verdict_write(const struct topo_layout *layout, int size_class, const struct topo_algorithm *form,
                        double seconds, double native, time_t now, struct topo_text *out)
{
    const size_t high = (size_t)1 << size_class;
    struct topo_rule rule = topo_rule_here(layout);
    struct topo_text line = {0};
    char day[DAY];
    rule.even = layout->node_ranks_min == layout->node_ranks_max;
    rule.shares = layout->has_shm;
    rule.racks = layout->has_racks;
    rule.processors = layout->has_processors;
    rule.bytes = (struct topo_range){size_class ? high / 2 + 1 : 0, high};
    rule.algorithm = form;
    topo_rule_write(&rule, &line);
    day_of(now, day);
    if (line.failed)
        out->failed = true;
    else
        topo_text_addf(out, "%.*s # %s", (int)line.length - 1, line.text, day);
    if (native > 0 && form != topo_algorithm_native(form->operation))
        topo_text_addf(out, " native %.1f us,", native * 1e6);
    if (seconds > 0)
        topo_text_addf(out, " %s %.1f us", form->name, seconds * 1e6);
    topo_text_add(out, "\n");
    topo_text_free(&line);
}

/* A line in its parts: of which calls, what runs in them, and when that was found. */
struct line {
    const char *text, *form, *day;
    size_t length, calls, form_length;
};

/* The line that begins at `text`; false: it is no verdict. */
static bool read_line(const char *text, struct line *line)
{
    static const char key[] = " bytes=", note[] = " # ";
    *line = (struct line){.text = text, .length = strcspn(text, "\n")};
    const char *bytes = memmem(text, line->length, key, strlen(key));
    const char *noted = memmem(text, line->length, note, strlen(note));
    if (!bytes || !noted || noted < bytes || noted + strlen(note) + DAY - 1 > text + line->length)
        return false;
    line->form = bytes + 1 + strcspn(bytes + 1, " ");
    line->calls = (size_t)(line->form - text);
    line->form_length = (size_t)(noted - line->form);
    line->day = noted + strlen(note);
    return true;
}

static const char *behind(const struct line *line)
{
    return line->text + line->length + (line->text[line->length] == '\n');
}

static bool is_since(const struct line *line, const char day[DAY])
{
    return strncmp(line->day, day, DAY - 1) >= 0;
}

static bool holds(const struct line *line, const struct days *days)
{
    return is_since(line, days->first) && !is_since(line, days->behind);
}

/* The first line of `text` that speaks of the same calls, or NULL. */
static bool find_like(const char *text, const struct line *wanted, struct line *found)
{
    for (; *text; text = behind(found))
        if (read_line(text, found) && found->calls == wanted->calls &&
            !memcmp(found->text, wanted->text, wanted->calls))
            return true;
    return false;
}

static bool is_same_form(const struct line *a, const struct line *b)
{
    return a->form_length == b->form_length && !memcmp(a->form, b->form, a->form_length);
}

static void add_line(const struct line *line, struct topo_text *out)
{
    topo_text_addf(out, "%.*s\n", (int)line->length, line->text);
}

/* Appends what is found, then what was kept of other calls; true: there is something new in it. */
static bool merge(const char *found, const char *kept, time_t now, struct topo_text *out)
{
    struct line line, other, before = {0};
    const struct days days = days_at(now);
    bool news = false;
    int count = 0;
    for (const char *at = found; *at && count < TOPO_VERDICTS_MOST; at = behind(&line)) {
        if (!read_line(at, &line) || (find_like(found, &line, &other) && other.text != at))
            continue;
        const bool known = find_like(kept, &line, &before) && is_same_form(&line, &before) && holds(&before, &days) &&
                           is_since(&before, days.fresh);
        add_line(known ? &before : &line, out);
        news = news || !known;
        count++;
    }
    for (const char *at = kept; *at && count < TOPO_VERDICTS_MOST; at = behind(&line))
        if (read_line(at, &line) && holds(&line, &days) && !find_like(found, &line, &other)) {
            add_line(&line, out);
            count++;
        }
    return news;
}

/* The file's text; NULL: there is none. TOPO_UNSUPPORTED where it does not begin as ours, TOPO_PARSE
 * where it is damaged. */
static enum topo_status read_text(const char *path, char **text, struct topo_error *error)
{
    struct topo_tuning tuning;
    *text = NULL;
    if (access(path, F_OK) != 0)
        return TOPO_OK;
    enum topo_status status = topo_read_file(path, text, NULL, error);
    if (status == TOPO_OK && **text && strncmp(*text, head, strcspn(head, ":")) != 0) {
        topo_free(*text);
        *text = NULL;
        return topo_fail(error, TOPO_UNSUPPORTED, "%s: no file of verdicts", path);
    }
    if (status != TOPO_OK)
        return status;
    status = topo_tuning_parse(*text, path, &tuning, error);
    if (status == TOPO_OK && tuning.measured)
        status = topo_fail(error, TOPO_PARSE, "%s: a line begins with level, which is no verdict", path);
    topo_tuning_free(&tuning);
    return status;
}

static bool is_of(const struct line *line, int ranks)
{
    static const char key[] = " ranks=";
    char word[32];
    size_t of;
    const char *at = memmem(line->text, line->calls, key, strlen(key));
    if (!at)
        return false;
    at += strlen(key);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
    return topo_parse_size(word, &of) && of <= (size_t)ranks;
}

enum topo_status topo_verdicts_read(const char *path, int ranks, time_t now, char **text, struct topo_error *error)
{
    TOPO_SCOPED char *all = NULL;
    struct topo_text lines = {0};
    struct line line;
    const struct days days = days_at(now);
    *text = NULL;
    enum topo_status status = read_text(path, &all, error);
    if (status != TOPO_OK || !all)
        return status;
    topo_text_add(&lines, "");
    for (const char *at = all; *at; at = behind(&line))
        if (read_line(at, &line) && holds(&line, &days) && is_of(&line, ranks))
            add_line(&line, &lines);
    if (lines.failed) {
        topo_text_free(&lines);
        return topo_fail(error, TOPO_NOMEM, "%s: out of memory", path);
    }
    *text = lines.text;
    return TOPO_OK;
}

/* Only one process at a time is between this and the close of what it gives; -1: nobody keeps others out, as the folder
 * is not there or its file system has no locks, or one that is stopped has it. */
static int lock_folder(const char *path)
{
    enum { TRIES = 100, WAIT_US = 10000 };
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    if (access(folder, F_OK) != 0)
        topo_cache_usable(path); /* makes it; why it cannot be made shows as the file is written */
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), tries = 0;
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR) && tries++ < TRIES)
        usleep(WAIT_US);
    return fd;
}

static enum topo_status keep(const char *path, const char *found, time_t now, struct topo_error *error)
{
    TOPO_SCOPED char *kept = NULL;
    struct topo_error why = {""};
    struct topo_text text = {0};
    enum topo_status status = read_text(path, &kept, &why);
    if (status == TOPO_NOMEM || (status != TOPO_OK && !kept))
        return topo_fail(error, status, "%s", why.text);
    topo_text_add(&text, head);
    const bool news = merge(found, status == TOPO_OK && kept ? kept : "", now, &text);
    if (text.failed)
        status = topo_fail(error, TOPO_NOMEM, "%s: out of memory", path);
    else
        status = news ? topo_cache_keep(path, text.text, error) : TOPO_OK;
    topo_text_free(&text);
    return status;
}

enum topo_status topo_verdicts_keep(const char *path, const char *found, time_t now, struct topo_error *error)
{
    const int folder = lock_folder(path);
    const enum topo_status status = keep(path, found, now, error);
    if (folder >= 0)
        close(folder);
    return status;
}
