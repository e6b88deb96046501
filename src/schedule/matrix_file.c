#include "schedule/matrix_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { SIDE_MAX = 1 << 20 };

/* Where the reader is, and the messages so far. */
struct reader {
    const char *name;
    char *next; /* rest of the text; cut into lines as it goes */
    int line;
    struct topo_message *message;
    int64_t count, total;
    struct topo_error *error;
};

static bool take_line(struct reader *reader, char **line)
{
    if (!*reader->next)
        return false;
    *line = reader->next;
    reader->next += strcspn(reader->next, "\n");
    if (*reader->next)
        *reader->next++ = '\0';
    reader->line++;
    size_t length = strlen(*line);
    while (length && isspace((unsigned char)(*line)[length - 1]))
        (*line)[--length] = '\0';
    *line += strspn(*line, " \t");
    return true;
}

/* The next line that holds something; what follows `comment` is cut off. */
static bool take_content(struct reader *reader, char comment, char **line)
{
    while (take_line(reader, line)) {
        char *cut = strchr(*line, comment);
        if (cut)
            *cut = '\0';
        if (**line)
            return true;
    }
    return false;
}

static enum topo_status complain(const struct reader *reader, const char *what, const char *word)
{
    return topo_fail(reader->error, TOPO_PARSE, "%.200s:%d: '%.40s': %s", reader->name, reader->line, word, what);
}

static enum topo_status add(struct reader *reader, int sender, int receiver, int64_t weight)
{
    if (!weight)
        return TOPO_OK;
    if (__builtin_add_overflow(reader->total, weight, &reader->total))
        return topo_fail(reader->error, TOPO_PARSE, "%.200s:%d: the weights add up to more than %lld", reader->name,
                         reader->line, (long long)INT64_MAX);
    if (!topo_grow(&reader->message, (size_t)reader->count, sizeof *reader->message))
        return topo_fail(reader->error, TOPO_NOMEM, "out of memory for the matrix in %.200s", reader->name);
    reader->message[reader->count++] = (struct topo_message){sender, receiver, weight};
    return TOPO_OK;
}

/* Cuts the next field off; *more tells whether a comma followed. */
static char *take_field(char **at, bool *more)
{
    char *field = *at + strspn(*at, " \t");
    char *end = field + strcspn(field, ",");
    *more = *end == ',';
    *at = *more ? end + 1 : end;
    *end = '\0';
    size_t length = strlen(field);
    while (length && isspace((unsigned char)field[length - 1]))
        field[--length] = '\0';
    return field;
}

static bool parse_bytes(const char *field, int64_t *weight)
{
    size_t bytes;
    if (!topo_parse_size(field, &bytes) || bytes > INT64_MAX)
        return false;
    *weight = (int64_t)bytes;
    return true;
}

static const char bytes_allowed[] = "a weight is a number of 0 or more, as 4096 or 4K";

static enum topo_status read_list(struct reader *reader, int *senders, int *receivers)
{
    enum topo_status status = TOPO_OK;
    char *line;
    int side = 0;
    while (status == TOPO_OK && take_content(reader, '#', &line)) {
        bool more[3];
        char *at = line, *field[3];
        long end[2];
        int64_t weight;
        for (int k = 0; k < 3; k++)
            field[k] = take_field(&at, &more[k]);
        if (!more[0] || !more[1] || more[2])
            return complain(reader, "three fields are needed: sender,receiver,bytes", line);
        for (int k = 0; k < 2; k++) {
            if (!topo_parse_long(field[k], 0, SIDE_MAX - 1, &end[k]))
                return complain(reader, "senders and receivers are numbers of 0 to 1048575", field[k]);
            if (end[k] >= side)
                side = (int)end[k] + 1;
        }
        if (!parse_bytes(field[2], &weight))
            return complain(reader, bytes_allowed, field[2]);
        status = add(reader, (int)end[0], (int)end[1], weight);
    }
    *senders = *receivers = side;
    return status;
}

/* The first line is at hand already. */
static enum topo_status read_table(struct reader *reader, char *line, int *senders, int *receivers)
{
    enum topo_status status = TOPO_OK;
    do {
        bool more = true;
        int column = 0;
        if (*senders == SIDE_MAX)
            return complain(reader, "more than 1048576 rows", line);
        for (char *at = line; more && status == TOPO_OK; column++) {
            char *field = take_field(&at, &more);
            int64_t weight;
            if (!parse_bytes(field, &weight))
                return complain(reader, bytes_allowed, field);
            if (column == SIDE_MAX)
                return complain(reader, "more than 1048576 columns", field);
            status = add(reader, *senders, column, weight);
        }
        if (status == TOPO_OK && *senders > 0 && column != *receivers)
            return topo_fail(reader->error, TOPO_PARSE, "%.200s:%d: %d fields, the rows above have %d", reader->name,
                             reader->line, column, *receivers);
        *receivers = column;
        ++*senders;
    } while (status == TOPO_OK && take_content(reader, '#', &line));
    return status;
}

/* -- MatrixMarket -- */

struct banner {
    bool coordinate, pattern, symmetric;
};

static enum topo_status read_banner(struct reader *reader, char *line, struct banner *banner)
{
    char word[4][20];
    if (sscanf(line, "%%%%MatrixMarket %19s %19s %19s %19s", word[0], word[1], word[2], word[3]) != 4)
        return complain(reader, "the form is %%MatrixMarket matrix FORMAT FIELD SYMMETRY", line);
    for (int k = 0; k < 4; k++)
        for (char *letter = word[k]; *letter; letter++)
            *letter = (char)tolower((unsigned char)*letter);
    if (strcmp(word[0], "matrix"))
        return complain(reader, "only 'matrix' can be read", word[0]);
    banner->coordinate = !strcmp(word[1], "coordinate");
    if (!banner->coordinate && strcmp(word[1], "array"))
        return complain(reader, "allowed formats: coordinate array", word[1]);
    banner->pattern = !strcmp(word[2], "pattern");
    if ((banner->pattern && !banner->coordinate) ||
        (!banner->pattern && strcmp(word[2], "integer") && strcmp(word[2], "real")))
        return complain(reader, "allowed fields: integer real, and pattern for coordinate", word[2]);
    banner->symmetric = !strcmp(word[3], "symmetric");
    if (!banner->symmetric && strcmp(word[3], "general"))
        return complain(reader, "allowed symmetries: general symmetric", word[3]);
    return TOPO_OK;
}

/* Splits a line at blanks into at most `most` words; the number found, most + 1 when there are more. */
static int split(char *line, char **word, int most)
{
    char *save = NULL;
    int count = 0;
    for (char *next = strtok_r(line, " \t", &save); next; next = strtok_r(NULL, " \t", &save)) {
        if (count == most)
            return most + 1;
        word[count++] = next;
    }
    return count;
}

/* A number of 0 or more, rounded up. */
static bool parse_weight(const char *word, int64_t *weight)
{
    char *end;
    long whole;
    if (topo_parse_long(word, 0, INT64_MAX, &whole)) {
        *weight = whole;
        return true;
    }
    if (strspn(word, "0123456789.eE+-") != strlen(word))
        return false;
    double value = topo_strtod(word, &end);
    if (end == word || *end || !(value >= 0) || value > 9e18)
        return false;
    *weight = (int64_t)ceil(value);
    return true;
}

static enum topo_status read_coordinates(struct reader *reader, const struct banner *banner, int senders, int receivers,
                                         long entries)
{
    enum topo_status status = TOPO_OK;
    char *line, *word[3];
    long seen = 0;
    for (; status == TOPO_OK && take_content(reader, '%', &line); seen++) {
        long i, j;
        int64_t weight = 1;
        if (seen == entries)
            return complain(reader, "more entries than the size line says", line);
        if (split(line, word, 3) != (banner->pattern ? 2 : 3))
            return complain(reader, banner->pattern ? "an entry is: row column" : "an entry is: row column weight",
                            line);
        if (!topo_parse_long(word[0], 1, senders, &i))
            return complain(reader, "rows are numbered from 1 to what the size line says", word[0]);
        if (!topo_parse_long(word[1], 1, receivers, &j))
            return complain(reader, "columns are numbered from 1 to what the size line says", word[1]);
        if (!banner->pattern && !parse_weight(word[2], &weight))
            return complain(reader, "a weight is a number of 0 or more", word[2]);
        status = add(reader, (int)i - 1, (int)j - 1, weight);
        if (status == TOPO_OK && banner->symmetric && i != j)
            status = add(reader, (int)j - 1, (int)i - 1, weight);
    }
    if (status == TOPO_OK && seen < entries)
        status = topo_fail(reader->error, TOPO_PARSE, "%.200s:%d: %ld entries, the size line says %ld", reader->name,
                           reader->line, seen, entries);
    return status;
}

/* Column by column, one weight a line; symmetric: from the diagonal down. */
static enum topo_status read_array(struct reader *reader, const struct banner *banner, int senders, int receivers)
{
    enum topo_status status = TOPO_OK;
    char *line, *word[1];
    for (int j = 0; j < receivers; j++)
        for (int i = banner->symmetric ? j : 0; i < senders && status == TOPO_OK; i++) {
            int64_t weight;
            if (!take_content(reader, '%', &line))
                return topo_fail(reader->error, TOPO_PARSE, "%.200s:%d: the file ends at row %d, column %d of %d x %d",
                                 reader->name, reader->line, i + 1, j + 1, senders, receivers);
            if (split(line, word, 1) != 1 || !parse_weight(word[0], &weight))
                return complain(reader, "one weight of 0 or more a line", line);
            status = add(reader, i, j, weight);
            if (status == TOPO_OK && banner->symmetric && i != j)
                status = add(reader, j, i, weight);
        }
    if (status == TOPO_OK && take_content(reader, '%', &line))
        return complain(reader, "more weights than the size line says", line);
    return status;
}

static enum topo_status read_market(struct reader *reader, char *line, int *senders, int *receivers)
{
    struct banner banner = {false, false, false};
    char *word[3];
    long rows, columns, entries = 0;
    enum topo_status status = read_banner(reader, line, &banner);
    if (status != TOPO_OK)
        return status;
    if (!take_content(reader, '%', &line))
        return topo_fail(reader->error, TOPO_PARSE, "%.200s:%d: the size line is missing", reader->name, reader->line);
    if (split(line, word, 3) != (banner.coordinate ? 3 : 2) || !topo_parse_long(word[0], 1, SIDE_MAX, &rows) ||
        !topo_parse_long(word[1], 1, SIDE_MAX, &columns) ||
        (banner.coordinate && !topo_parse_long(word[2], 0, INT64_MAX, &entries)))
        return complain(reader,
                        banner.coordinate ? "the size line is: rows columns entries" : "the size line is: rows columns",
                        line);
    if (banner.symmetric && rows != columns)
        return complain(reader, "a symmetric matrix has as many rows as columns", line);
    *senders = (int)rows;
    *receivers = (int)columns;
    return banner.coordinate ? read_coordinates(reader, &banner, *senders, *receivers, entries)
                             : read_array(reader, &banner, *senders, *receivers);
}

enum topo_status topo_matrix_parse(const char *text, const char *name, struct topo_matrix **matrix,
                                   struct topo_error *error)
{
    TOPO_SCOPED char *copy = topo_strdup(text);
    char *line;
    struct reader reader = {.name = name, .next = copy, .error = error};
    int senders = 0, receivers = 0;
    enum topo_status status;
    *matrix = NULL;
    if (!copy)
        return topo_fail(error, TOPO_NOMEM, "out of memory for the matrix in %.200s", name);
    bool market = !strncmp(text, "%%MatrixMarket", strlen("%%MatrixMarket"));
    if (market ? !take_line(&reader, &line) : !take_content(&reader, '#', &line))
        status = topo_fail(error, TOPO_PARSE, "%.200s: no matrix in it; allowed: CSV, MatrixMarket", name);
    else if (market)
        status = read_market(&reader, line, &senders, &receivers);
    else if (!strcmp(line, "sender,receiver,bytes"))
        status = read_list(&reader, &senders, &receivers);
    else
        status = read_table(&reader, line, &senders, &receivers);
    if (status == TOPO_OK && (!senders || !receivers))
        status = topo_fail(error, TOPO_PARSE, "%.200s:%d: no message in it", name, reader.line);
    if (status == TOPO_OK)
        status = topo_matrix_new(senders, receivers, reader.message, reader.count, matrix, error);
    topo_free(reader.message);
    return status;
}

enum topo_status topo_matrix_read(const char *path, struct topo_matrix **matrix, struct topo_error *error)
{
    TOPO_SCOPED char *text = NULL;
    enum topo_status status = topo_read_file(path, &text, NULL, error);
    *matrix = NULL;
    if (status == TOPO_OK)
        status = topo_matrix_parse(text, path, matrix, error);
    return status;
}
