#include "catalog/parameters.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/algorithm.h"

struct row {
    const char *name;
    unsigned trait;
    size_t least, most;
    bool is_bytes;
    size_t offset; /* in struct topo_parameters */
};
static const struct row rows[] = {
#define PARAMETER(name, trait, least, most, is_bytes, help) \
    {#name, trait, least, most, is_bytes, offsetof(struct topo_parameters, name)},
#include "catalog/parameters.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static size_t value_of(const struct topo_parameters *parameters, const struct row *row)
{
    size_t value;
    memcpy(&value, (const char *)parameters + row->offset, sizeof value);
    return value;
}

static const struct row *row_of(const char *word)
{
    for (int i = 0; i < ROWS; i++) {
        size_t length = strlen(rows[i].name);
        if (!strncmp(word, rows[i].name, length) && word[length] == '=')
            return &rows[i];
    }
    return NULL;
}

bool topo_parameter_is(const char *word)
{
    return row_of(word) != NULL;
}

static void add_number(const struct row *row, size_t number, struct topo_text *out)
{
    char text[32];
    topo_format_size(number, text, sizeof text);
    if (row->is_bytes)
        topo_text_add(out, text);
    else
        topo_text_addf(out, "%zu", number);
}

void topo_parameters_allowed(unsigned traits, struct topo_text *out)
{
    int said = 0;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        if (!(traits & row->trait))
            continue;
        topo_text_addf(out, "%s%s=", said++ ? ", " : "", row->name);
        add_number(row, row->least, out);
        topo_text_add(out, "-");
        add_number(row, row->most, out);
    }
    if (!said)
        topo_text_add(out, "none");
}

static bool parse_count(const char *text, size_t *number)
{
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 9)
        return false;
    *number = strtoul(text, &end, 10);
    return !*end;
}

enum topo_status topo_parameters_read(const char *name, unsigned traits, const char *word,
                                      struct topo_parameters *parameters, struct topo_error *error)
{
    const struct row *row = row_of(word);
    TOPO_SCOPED_BY(topo_text_free) struct topo_text allowed = {0};
    topo_parameters_allowed(traits, &allowed);
    if (allowed.failed)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    if (!row || !(traits & row->trait))
        return topo_fail(error, TOPO_PARSE, "'%.40s': parameters of %s: %s", word, name, allowed.text);
    const char *text = word + strlen(row->name) + 1;
    size_t value = 0;
    if (!(row->is_bytes ? topo_parse_size(text, &value) : parse_count(text, &value)) || value < row->least ||
        value > row->most)
        return topo_fail(error, TOPO_PARSE, "'%.40s': allowed for %s: %s", word, name, allowed.text);
    if (value_of(parameters, row))
        return topo_fail(error, TOPO_PARSE, "'%.40s': %s= is allowed once behind an algorithm", word, row->name);
    memcpy((char *)parameters + row->offset, &value, sizeof value);
    return TOPO_OK;
}

void topo_parameters_write(const struct topo_parameters *parameters, struct topo_text *out)
{
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (value_of(parameters, row)) {
            topo_text_addf(out, " %s=", row->name);
            add_number(row, value_of(parameters, row), out);
        }
}

const char *topo_parameter(const struct topo_parameters *parameters, int i, size_t *given)
{
    if (i >= ROWS)
        return NULL;
    *given = value_of(parameters, &rows[i]);
    return rows[i].name;
}

bool topo_parameters_equal(const struct topo_parameters *a, const struct topo_parameters *b)
{
    return !memcmp(a, b, sizeof *a);
}
