#include "predict/mpi/machine_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/synthetic.h"

/* Beyond these a speed is a typing error, and what is divided by it nothing or endless. */
static const double slowest = 1e-6, fastest = 1e6;

bool topo_machine_speed(const char *text, double *speed)
{
    char *end;
    double value = topo_strtod(text, &end);
    if (end == text || *end || !(value >= slowest && value <= fastest))
        return false;
    *speed = value;
    return true;
}

/* What follows `word` on a line, without blanks round it and comment, in place; NULL: another line. */
static char *after(char *line, const char *word)
{
    size_t length = strlen(word);
    line += strspn(line, " \t\r");
    if (strncmp(line, word, length) != 0 || !line[length] || !strchr(" \t\r", line[length]))
        return NULL;
    line += length + strspn(line + length, " \t\r");
    line[strcspn(line, "#")] = '\0';
    for (length = strlen(line); length > 0 && strchr(" \t\r", line[length - 1]); length--)
        line[length - 1] = '\0';
    return line;
}

/* One line that a tuning file has not; *taken says whether it is. */
static enum topo_status own_line(char *line, int number, const char *name, struct topo_machine_file *file, bool *taken,
                                 struct topo_error *error)
{
    struct topo_error inner = {""};
    char *value = after(line, "machine");
    *taken = value != NULL;
    if (value) {
        if (file->tree)
            return topo_fail(error, TOPO_PARSE, "%s:%d: a second machine line", name, number);
        enum topo_status status = topo_synthetic_tree(value, 0, &file->tree, &inner);
        return status == TOPO_OK ? status : topo_fail(error, status, "%s:%d: machine %s", name, number, inner.text);
    }
    value = after(line, "speed");
    *taken = value != NULL;
    if (value && !topo_machine_speed(value, &file->speed))
        return topo_fail(error, TOPO_PARSE, "%s:%d: speed %.40s: allowed: a number of 1e-6 to 1e6", name, number,
                         value);
    return TOPO_OK;
}

enum topo_status topo_machine_file_parse(const char *text, const char *name, struct topo_machine_file *file,
                                         struct topo_error *error)
{
    /* Own lines are blanked and the rest is read as a tuning file, so that its line numbers stay right. */
    TOPO_SCOPED char *rest = topo_strdup(text), *line = topo_alloc(strlen(text) + 1, 1);
    enum topo_status status = rest && line ? TOPO_OK : topo_fail(error, TOPO_NOMEM, "%s: out of memory", name);
    *file = (struct topo_machine_file){.speed = 1};
    int number = 0;
    for (char *at = rest; status == TOPO_OK && *at;) {
        size_t length = strcspn(at, "\n");
        bool taken;
        memcpy(line, at, length);
        line[length] = '\0';
        status = own_line(line, ++number, name, file, &taken, error);
        if (status == TOPO_OK && taken)
            memset(at, ' ', length);
        at += length + (at[length] == '\n');
    }
    if (status == TOPO_OK)
        status = topo_tuning_parse(rest, name, &file->tuning, error);
    return status;
}

void topo_machine_file_free(struct topo_machine_file *file)
{
    topo_tree_free(file->tree);
    topo_tuning_free(&file->tuning);
    *file = (struct topo_machine_file){0};
}
