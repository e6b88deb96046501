#include "machine/topology_yaml.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

/* What a line is made of: "- " of a list, "key:", a word. */
enum kind { DASH, KEY, WORD, END };

struct reader {
    const char *at, *end, *origin;
    const char *begin; /* of the line */
    int lines;         /* the number of that line */
    struct topo_error *error;
    topo_conf_visitor *visit;
    void *context;
    /* The token that it stands at. */
    enum kind kind;
    int line, column; /* END: -1 */
    struct topo_text word;
};

static enum topo_status refuse(const struct reader *reader, int line, const char *what, const char *token)
{
    return topo_fail(reader->error, TOPO_PARSE,
                     "%s:%d: %s '%.60s'; allowed: a list of '- topology: NAME', each with 'tree:' and 'switches:' of "
                     "'- switch: NAME' with 'nodes: LIST' or 'children: LIST', or with 'block:', 'block_sizes:' and "
                     "'blocks:'",
                     reader->origin, line, what, token);
}

/* -- tokens -- */

static bool blank_at(const struct reader *reader, const char *at)
{
    return at == reader->end || *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n';
}

static bool line_ends(const struct reader *reader)
{
    return reader->at == reader->end || *reader->at == '\n';
}

static void take(struct reader *reader)
{
    char character[2] = {*reader->at++, '\0'};
    topo_text_add(&reader->word, character);
}

/* Passes blanks, comments, line ends and marks of documents. */
static enum topo_status skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && (blank_at(reader, reader->at) || *reader->at == '#')) {
        if (*reader->at == '\t' && strspn(reader->begin, " ") == (size_t)(reader->at - reader->begin))
            return refuse(reader, reader->lines, "a tab", "in the indentation");
        if (*reader->at == '#')
            while (!line_ends(reader))
                reader->at++;
        if (reader->at < reader->end && *reader->at++ == '\n') {
            reader->begin = reader->at;
            reader->lines++;
            size_t left = (size_t)(reader->end - reader->at);
            if (left >= 3 && !memcmp(reader->at, "---", 3) && blank_at(reader, reader->at + 3))
                reader->at += 3;
        }
    }
    return TOPO_OK;
}

static enum topo_status take_quoted(struct reader *reader, char quote)
{
    reader->at++;
    while (!line_ends(reader)) {
        bool twice = quote == '\'' && reader->end - reader->at > 1 && reader->at[0] == quote && reader->at[1] == quote;
        if (*reader->at == quote && !twice) {
            reader->at++;
            return TOPO_OK;
        }
        if (quote == '"' && *reader->at == '\\')
            return refuse(reader, reader->lines, "an escape in", reader->word.text ? reader->word.text : "");
        reader->at += twice;
        take(reader);
    }
    return refuse(reader, reader->lines, "no closing quote behind", reader->word.text ? reader->word.text : "");
}

/* [a, b] as "a,b". */
static enum topo_status take_list(struct reader *reader)
{
    for (reader->at++; !line_ends(reader) && *reader->at != ']';) {
        if (strchr("[{\"'#", *reader->at))
            return refuse(reader, reader->lines, "more than words in the list",
                          reader->word.text ? reader->word.text : "");
        if (blank_at(reader, reader->at))
            reader->at++;
        else
            take(reader);
    }
    if (line_ends(reader))
        return refuse(reader, reader->lines, "no ] behind", reader->word.text ? reader->word.text : "");
    reader->at++;
    return TOPO_OK;
}

static bool key_ends(const struct reader *reader)
{
    return reader->at < reader->end && *reader->at == ':' && blank_at(reader, reader->at + 1);
}

static void take_plain(struct reader *reader)
{
    while (!line_ends(reader) && !key_ends(reader) && !(*reader->at == '#' && blank_at(reader, reader->at - 1)))
        take(reader);
    while (reader->word.length && strchr(" \t\r", reader->word.text[reader->word.length - 1]))
        reader->word.text[--reader->word.length] = '\0';
}

/* Goes to the next token. */
static enum topo_status advance(struct reader *reader)
{
    enum topo_status status = skip_blanks(reader);
    topo_text_free(&reader->word);
    reader->line = reader->lines;
    reader->column = (int)(reader->at - reader->begin);
    reader->kind = reader->at == reader->end ? END : WORD;
    if (status != TOPO_OK || reader->kind == END) {
        reader->column = -1;
        return status;
    }
    char first = *reader->at;
    if (first == '-' && blank_at(reader, reader->at + 1)) {
        reader->kind = DASH;
        take(reader);
    } else if (first == '"' || first == '\'') {
        status = take_quoted(reader, first);
    } else if (first == '[') {
        status = take_list(reader);
    } else if (strchr("&*!|>%@`{}],?", first)) {
        char token[2] = {first, '\0'};
        status = refuse(reader, reader->line, "a form of YAML that is not read:", token);
    } else {
        take_plain(reader);
    }
    while (!line_ends(reader) && reader->kind == WORD && blank_at(reader, reader->at))
        reader->at++;
    if (status == TOPO_OK && reader->kind == WORD && key_ends(reader)) {
        reader->kind = KEY;
        reader->at++;
    }
    if (status == TOPO_OK && reader->word.failed)
        status = topo_fail(reader->error, TOPO_NOMEM, "%s:%d: out of memory", reader->origin, reader->line);
    return status;
}

static const char *word_of(const struct reader *reader)
{
    return reader->kind == END ? "the end" : reader->word.length ? reader->word.text : "";
}

/* -- what stands behind a key, at `column` of `line`; the reader stands behind the key -- */

/* A word, or several as a list; joined by commas. Empty: nothing stands there. */
static enum topo_status read_words(struct reader *reader, int column, int line, struct topo_text *words)
{
    enum topo_status status = TOPO_OK;
    int dash = -1;
    if (reader->kind == WORD && reader->line == line) {
        const char *word = word_of(reader);
        if (strcmp(word, "~") != 0 && strcmp(word, "null") != 0)
            topo_text_add(words, word);
        status = advance(reader);
    } else if (reader->kind == DASH && reader->line > line && reader->column >= column) {
        dash = reader->column;
    }
    while (status == TOPO_OK && reader->kind == DASH && reader->column == dash) {
        status = advance(reader);
        if (status == TOPO_OK && reader->kind != WORD)
            status = refuse(reader, reader->line, "not a word in a list:", word_of(reader));
        if (status == TOPO_OK) {
            topo_text_addf(words, "%s%s", words->length ? "," : "", word_of(reader));
            status = advance(reader);
        }
    }
    if (status == TOPO_OK && words->failed)
        status = topo_fail(reader->error, TOPO_NOMEM, "%s:%d: out of memory", reader->origin, line);
    return status;
}

static enum topo_status pass_over(struct reader *reader, int column, int line)
{
    enum topo_status status = TOPO_OK;
    while (status == TOPO_OK && reader->kind != END &&
           (reader->line == line || reader->column > column || (reader->kind == DASH && reader->column == column)))
        status = advance(reader);
    return status;
}

static bool is_key_at(const struct reader *reader, int column)
{
    return reader->kind == KEY && reader->column == column;
}

/* Number of the key among `names`, which end with NULL. */
static int key_among(const struct reader *reader, const char *const *names)
{
    int key = 0;
    while (names[key] && strcmp(names[key], word_of(reader)) != 0)
        key++;
    return key;
}

/* A switch or a block. */
static enum topo_status read_unit(struct reader *reader, enum topo_conf_kind kind)
{
    static const char *const names[][4] = {{"switch", "nodes", "children"}, {"block", "nodes"}};
    struct topo_text values[3] = {{0}};
    int first = reader->line, column = reader->column;
    enum topo_status status = TOPO_OK;
    while (status == TOPO_OK && is_key_at(reader, column)) {
        int key = key_among(reader, names[kind]), line = reader->line;
        if (!names[kind][key] || values[key].length)
            status = refuse(reader, line, names[kind][key] ? "a second" : "unknown key", word_of(reader));
        if (status == TOPO_OK)
            status = advance(reader);
        if (status == TOPO_OK)
            status = read_words(reader, column, line, &values[key]);
    }
    const char *name = values[0].length ? values[0].text : "";
    if (status == TOPO_OK && (!*name || strpbrk(name, "[],")))
        status = refuse(reader, first, *name ? "more than one name in" : "no name of a", *name ? name : names[kind][0]);
    if (status == TOPO_OK && !values[1].length && !values[2].length)
        status =
            refuse(reader, first, kind == TOPO_CONF_SWITCH ? "neither nodes nor children of" : "no nodes of", name);
    if (status == TOPO_OK) {
        struct topo_conf_line found = {first, kind, values[0], values[1], values[2]};
        status = reader->visit(&found, reader->context, reader->error);
    }
    for (int i = 0; i < 3; i++)
        topo_text_free(&values[i]);
    return status;
}

static enum topo_status read_units(struct reader *reader, int column, int line, enum topo_conf_kind kind)
{
    if (reader->kind == WORD && reader->line == line && !*word_of(reader))
        return advance(reader); /* [] */
    int dash = reader->column;
    enum topo_status status = TOPO_OK;
    while (status == TOPO_OK && reader->kind == DASH && reader->column == dash && dash >= column) {
        status = advance(reader);
        if (status == TOPO_OK && (reader->kind != KEY || reader->column <= dash))
            status = refuse(reader, reader->line, "no key behind -, but", word_of(reader));
        if (status == TOPO_OK)
            status = read_unit(reader, kind);
    }
    return status;
}

/* What stands below "tree:" or "block:". */
static enum topo_status read_kind(struct reader *reader, int outer, enum topo_conf_kind kind)
{
    static const char *const names[][3] = {{"switches"}, {"blocks", "block_sizes"}};
    int column = reader->column;
    enum topo_status status = TOPO_OK;
    while (status == TOPO_OK && column > outer && is_key_at(reader, column)) {
        int key = key_among(reader, names[kind]), line = reader->line;
        if (!names[kind][key])
            return refuse(reader, line, "unknown key", word_of(reader));
        status = advance(reader);
        if (status == TOPO_OK && key == 0)
            status = read_units(reader, column, line, kind);
        if (status != TOPO_OK || key == 0)
            continue;
        struct topo_conf_line found = {.line = line, .kind = TOPO_CONF_SIZES};
        status = read_words(reader, column, line, &found.name);
        if (status == TOPO_OK && found.name.length)
            status = reader->visit(&found, reader->context, reader->error);
        topo_text_free(&found.name);
    }
    return status;
}

static bool is_true(const char *word)
{
    return !strcasecmp(word, "true") || !strcasecmp(word, "yes") || !strcasecmp(word, "on");
}

static enum topo_status read_topology(struct reader *reader)
{
    static const char *const names[] = {"tree", "block", "cluster_default", NULL};
    int column = reader->column;
    struct topo_conf_line found = {.line = reader->line, .kind = TOPO_CONF_TOPOLOGY};
    enum topo_status status = reader->visit(&found, reader->context, reader->error);
    while (status == TOPO_OK && is_key_at(reader, column)) {
        int key = key_among(reader, names), line = reader->line;
        status = advance(reader);
        if (status == TOPO_OK && key == 2 && reader->line == line && is_true(word_of(reader))) {
            found = (struct topo_conf_line){.line = line, .kind = TOPO_CONF_DEFAULT};
            status = reader->visit(&found, reader->context, reader->error);
        }
        if (status == TOPO_OK && key < 2 && reader->line > line)
            status = read_kind(reader, column, key == 0 ? TOPO_CONF_SWITCH : TOPO_CONF_BLOCK);
        else if (status == TOPO_OK)
            status = pass_over(reader, column, line);
    }
    return status;
}

enum topo_status topo_yaml_walk(const char *text, size_t length, const char *origin, topo_conf_visitor *visit,
                                void *context, struct topo_error *error)
{
    struct reader reader = {text, text + length, origin, text, 1, error, visit, context, END, 0, 0, {0}};
    bool marked = length >= 3 && !memcmp(text, "---", 3) && blank_at(&reader, text + 3);
    reader.at += marked ? 3 : 0;
    if (memchr(text, '\0', length))
        return topo_fail(error, TOPO_PARSE, "%s: a NUL byte; allowed: text", origin);
    enum topo_status status = advance(&reader);
    int dash = reader.column;
    while (status == TOPO_OK && reader.kind == DASH && reader.column == dash) {
        status = advance(&reader);
        if (status == TOPO_OK && (reader.kind != KEY || reader.column <= dash))
            status = refuse(&reader, reader.line, "no key behind -, but", word_of(&reader));
        if (status == TOPO_OK)
            status = read_topology(&reader);
    }
    if (status == TOPO_OK && reader.kind != END)
        status = refuse(&reader, reader.line, "not what may stand here:", word_of(&reader));
    topo_text_free(&reader.word);
    return status;
}
