#include "machine/topology_conf.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

/* The first ones begin a line. */
enum key { SWITCH_NAME, BLOCK_NAME, BLOCK_SIZES, NODES, SWITCHES, LINK_SPEED, KEYS };

static const char *const key_names[KEYS] = {"SwitchName", "BlockName", "BlockSizes", "Nodes", "Switches", "LinkSpeed"};
static const char allowed[] =
    "allowed: SwitchName=NAME with Nodes=LIST or Switches=LIST, and LinkSpeed=ANY; BlockName=NAME with "
    "Nodes=LIST; BlockSizes=NUMBER,...";

struct reader {
    const char *at, *end, *origin;
    int line;
    struct topo_error *error;
};

static enum topo_status refuse(const struct reader *reader, const char *what, const char *token, size_t length)
{
    return topo_fail(reader->error, TOPO_PARSE, "%s:%d: %s '%.*s'; %s", reader->origin, reader->line, what,
                     length < 60 ? (int)length : 60, token, allowed);
}

/* Passes a '\' with the end of line behind it. */
static bool skip_continuation(struct reader *reader)
{
    size_t left = (size_t)(reader->end - reader->at);
    size_t length = left > 1 && !memcmp(reader->at, "\\\n", 2)     ? 2
                    : left > 2 && !memcmp(reader->at, "\\\r\n", 3) ? 3
                                                                   : 0;
    reader->at += length;
    reader->line += length > 0;
    return length > 0;
}

static bool at_blank(const struct reader *reader)
{
    return reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r');
}

static bool at_line_end(const struct reader *reader)
{
    return reader->at == reader->end || *reader->at == '\n';
}

/* Passes blanks, continuations and a comment. */
static void skip_blanks(struct reader *reader)
{
    while (at_blank(reader) || skip_continuation(reader))
        reader->at += at_blank(reader);
    if (reader->at < reader->end && *reader->at == '#')
        while (!at_line_end(reader))
            reader->at++;
}

static enum topo_status read_value(struct reader *reader, const char *key, struct topo_text *value)
{
    bool quoted = reader->at < reader->end && *reader->at == '"';
    reader->at += quoted;
    for (;;) {
        if (skip_continuation(reader))
            continue;
        if (at_line_end(reader) || (quoted ? *reader->at == '"' : at_blank(reader) || *reader->at == '#'))
            break;
        char character[2] = {*reader->at++, '\0'};
        if (!character[0])
            return refuse(reader, "a NUL byte in the value of", key, strlen(key));
        topo_text_add(value, character);
    }
    if (quoted && at_line_end(reader))
        return refuse(reader, "no closing quote in the value of", key, strlen(key));
    reader->at += quoted;
    if (value->failed)
        return topo_fail(reader->error, TOPO_NOMEM, "%s:%d: out of memory", reader->origin, reader->line);
    if (!value->length)
        return refuse(reader, "no value for", key, strlen(key));
    return TOPO_OK;
}

/* Reads "Key = value" into the text that belongs to the key. */
static enum topo_status read_pair(struct reader *reader, struct topo_text *values, bool first)
{
    const char *key = reader->at;
    while (reader->at < reader->end && (isalnum((unsigned char)*reader->at) || *reader->at == '_'))
        reader->at++;
    size_t length = (size_t)(reader->at - key);
    int number = 0;
    while (number < KEYS && (strlen(key_names[number]) != length || strncasecmp(key_names[number], key, length) != 0))
        number++;
    if (length == 0)
        return refuse(reader, "not a key:", key, 1);
    if (number == KEYS)
        return refuse(reader, "unknown key", key, length);
    if (first != (number <= BLOCK_SIZES))
        return refuse(reader,
                      first ? "the line does not begin with SwitchName, BlockName or BlockSizes but with" : "a second",
                      key, length);
    if (values[number].length)
        return refuse(reader, "a second", key, length);
    skip_blanks(reader);
    if (at_line_end(reader) || *reader->at != '=')
        return refuse(reader, "no '=' behind", key, length);
    reader->at++;
    skip_blanks(reader);
    return read_value(reader, key_names[number], &values[number]);
}

/* The key that a line begins with; KEYS when there is none yet. */
static enum key beginning_of(const struct topo_text *values)
{
    enum key key = SWITCH_NAME;
    while (key <= BLOCK_SIZES && !values[key].length)
        key++;
    return key <= BLOCK_SIZES ? key : KEYS;
}

/* Reads one line up to its end; values[] are empty when it holds nothing. */
static enum topo_status read_line(struct reader *reader, struct topo_text *values)
{
    int first_line = 0;
    skip_blanks(reader);
    while (!at_line_end(reader)) {
        if (!first_line)
            first_line = reader->line;
        enum topo_status status = read_pair(reader, values, beginning_of(values) == KEYS);
        if (status != TOPO_OK)
            return status;
        skip_blanks(reader);
    }
    enum key begins = beginning_of(values);
    if (begins == KEYS)
        return TOPO_OK;
    const struct topo_text *name = &values[begins];
    bool below = values[SWITCHES].length || values[LINK_SPEED].length;
    if (begins == SWITCH_NAME && !values[NODES].length && !values[SWITCHES].length)
        return refuse(reader, "neither Nodes nor Switches for switch", name->text, name->length);
    if (begins == BLOCK_NAME && (!values[NODES].length || below))
        return refuse(reader, values[NODES].length ? "more than Nodes for block" : "no Nodes for block", name->text,
                      name->length);
    if (begins == BLOCK_SIZES && (below || values[NODES].length))
        return refuse(reader, "more than the sizes behind BlockSizes", name->text, name->length);
    if (begins != BLOCK_SIZES && strpbrk(name->text, "[],"))
        return refuse(reader,
                      begins == SWITCH_NAME ? "more than one name in SwitchName" : "more than one name in BlockName",
                      name->text, name->length);
    return TOPO_OK;
}

enum topo_status topo_conf_walk(const char *text, size_t length, const char *origin, topo_conf_visitor *visit,
                                void *context, struct topo_error *error)
{
    struct reader reader = {text, text + length, origin, 1, error};
    enum topo_status status = TOPO_OK;
    while (status == TOPO_OK && reader.at < reader.end) {
        struct topo_text values[KEYS] = {{0}};
        int line = reader.line;
        status = read_line(&reader, values);
        enum key begins = beginning_of(values);
        if (status == TOPO_OK && begins != KEYS) {
            static const enum topo_conf_kind kinds[] = {TOPO_CONF_SWITCH, TOPO_CONF_BLOCK, TOPO_CONF_SIZES};
            struct topo_conf_line found = {line, kinds[begins], values[begins], values[NODES], values[SWITCHES]};
            status = visit(&found, context, error);
        }
        for (int key = 0; key < KEYS; key++)
            topo_text_free(&values[key]);
        if (status == TOPO_OK && reader.at < reader.end) {
            reader.at++;
            reader.line++;
        }
    }
    return status;
}
