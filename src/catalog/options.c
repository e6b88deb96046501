#include "catalog/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/environment.h"
#include "base/memory.h"
#include "catalog/flag.h"

static const struct topo_option_info table[TOPO_OPTION_COUNT] = {
#define OPTION(id, name, kind, fallback, values, help) {name, TOPO_OPTION_KIND_##kind, fallback, values, help},
#include "catalog/options.def"
#undef OPTION
};

/* Operation and name of every algorithm: the allowed words of ALGORITHM options. */
static const struct {
    const char *operation, *name;
} algorithms[] = {
#define ALGORITHM(operation, name, graph, traits, source, help) {#operation, #name},
#include "catalog/algorithms.def"
};

static const struct {
    const char *operation, *old, *name;
} replaced[] = {
#define REPLACED(operation, old, name) {#operation, #old, #name},
#include "catalog/algorithms.def"
};

/* The algorithm that took the place of the one that an option names; NULL: there is none. */
static const char *now_of(const struct topo_option_info *info, const char *given)
{
    for (size_t i = 0; info->kind == TOPO_OPTION_KIND_ALGORITHM && i < sizeof replaced / sizeof *replaced; i++)
        if (!strcmp(replaced[i].operation, info->values) && !strcasecmp(replaced[i].old, given))
            return replaced[i].name;
    return NULL;
}

const struct topo_option_info *topo_option_info(enum topo_option option)
{
    return &table[option];
}

void topo_option_words(enum topo_option option, struct topo_text *out)
{
    const struct topo_option_info *info = &table[option];
    if (info->kind == TOPO_OPTION_KIND_CHOICE) {
        topo_text_add(out, info->values);
    } else if (info->kind == TOPO_OPTION_KIND_ALGORITHM) {
        topo_text_add(out, "auto");
        for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
            if (!strcmp(algorithms[i].operation, info->values))
                topo_text_addf(out, " %s", algorithms[i].name);
    }
}

const char *topo_option_environment(const char *name, void *context)
{
    (void)context;
    return topo_environment(name);
}

/* Index of `word`, in any case, in the blank-separated `words`, or -1. */
static int find_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    int index = 0;
    for (const char *at = words; *at; index++) {
        size_t here = strcspn(at, " ");
        if (here == length && !strncasecmp(at, word, length))
            return index;
        at += here;
        at += strspn(at, " ");
    }
    return -1;
}

/* Text that begins with a word of its row, such as FILE:PATH, gets the word as the row spells it. */
static void spell(const struct topo_option_info *info, char *text)
{
    for (const char *at = info->values; *at; at += strspn(at, " |")) {
        size_t length = strcspn(at, " |"), word = strcspn(at, ": |");
        bool prefix = at[word] == ':';
        word += prefix;
        if (islower((unsigned char)*at) && (prefix || strlen(text) == word) && !strncasecmp(at, text, word))
            memcpy(text, at, word);
        at += length;
    }
}

/* Reads `text` into *value; on TOPO_PARSE *value's parsed members are untouched. */
static enum topo_status parse_value(enum topo_option option, const char *text, struct topo_option_value *value,
                                    struct topo_error *error)
{
    const struct topo_option_info *info = &table[option];
    enum topo_status status = TOPO_OK;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text words = {0};
    /* Rank 0's values go to the others as lines. */
    if (strchr(text, '\n'))
        return topo_fail(error, TOPO_PARSE, "%s=%.80s: a line feed; allowed: values of one line", info->name, text);
    switch (info->kind) {
    case TOPO_OPTION_KIND_CHOICE:
    case TOPO_OPTION_KIND_ALGORITHM: {
        topo_option_words(option, &words);
        if (words.failed) {
            status = topo_fail(error, TOPO_NOMEM, "%s: out of memory", info->name);
            break;
        }
        bool flag;
        int found = find_word(words.text, text);
        if (found < 0 && info->kind == TOPO_OPTION_KIND_ALGORITHM && topo_flag_read(text, &flag))
            found = find_word(words.text, flag ? "auto" : "native");
        if (found < 0 && now_of(info, text))
            found = find_word(words.text, now_of(info, text));
        if (found >= 0)
            value->choice = found;
        else
            status = topo_fail(error, TOPO_PARSE, "%s=%.80s: unknown value; allowed: %s", info->name, text, words.text);
        break;
    }
    case TOPO_OPTION_KIND_SIZE:
        if (!strcmp(info->fallback, "auto") && !strcasecmp(text, "auto"))
            value->size = TOPO_SIZE_AUTO;
        else if (!topo_parse_size(text, &value->size))
            status = topo_fail(error, TOPO_PARSE, "%s=%.80s: not a size; allowed: %sbytes, with K, M or G, e.g. 256K",
                               info->name, text, !strcmp(info->fallback, "auto") ? "auto, " : "");
        break;
    case TOPO_OPTION_KIND_FLAG:
        if (!topo_flag_read(text, &value->flag))
            status =
                topo_fail(error, TOPO_PARSE, "%s=%.80s: unknown value; allowed: " TOPO_FLAG_WORDS, info->name, text);
        break;
    case TOPO_OPTION_KIND_REPORT:
        if (topo_report_is_json(text))
            value->flag = true;
        else if (!topo_flag_read(text, &value->flag))
            status = topo_fail(error, TOPO_PARSE,
                               "%s=%.80s: unknown value; allowed: " TOPO_FLAG_WORDS
                               " json, or a file FILE.json or FILE.html",
                               info->name, text);
        break;
    case TOPO_OPTION_KIND_TEXT: break;
    }
    return status;
}

static const struct {
    enum topo_option option;
    const char *name, *words; /* no words: any value */
} renamed[] = {
#define OPTION(...)
#define RENAMED(id, name, words) {TOPO_OPTION_##id, name, words},
#include "catalog/options.def"
#undef OPTION
};

static bool is_old(size_t row, const char *value)
{
    return value && (!*renamed[row].words || find_word(renamed[row].words, value) >= 0);
}

/* What `source` has for the option, under its name or an old one; NULL: nothing. *row is the old name's, or -1. */
static const char *given_for(enum topo_option option, topo_option_source *source, void *context, int *row)
{
    const size_t rows = sizeof renamed / sizeof *renamed;
    const char *given = source(table[option].name, context);
    *row = -1;
    for (size_t i = 0; i < rows; i++)
        if (!strcmp(renamed[i].name, table[option].name) && is_old(i, given))
            given = NULL; /* it means another option */
    for (size_t i = 0; i < rows && !(given && *given); i++) {
        const char *old = renamed[i].option == option ? source(renamed[i].name, context) : NULL;
        if (!is_old(i, old) || !*old)
            continue;
        given = old;
        *row = (int)i;
    }
    return given;
}

void topo_options_renamed(topo_option_source *source, void *context, struct topo_text *out)
{
    for (int option = 0; option < TOPO_OPTION_COUNT; option++) {
        int row;
        const char *given = given_for((enum topo_option)option, source, context, &row);
        const char *now = given ? now_of(&table[option], given) : NULL;
        if (row >= 0 || now)
            topo_text_addf(out, "%s%s=%.80s is now %s=%.80s", out->length ? ", " : "",
                           row >= 0 ? renamed[row].name : table[option].name, given, table[option].name,
                           now ? now : given);
    }
}

/* What holds instead of a value that is none: what it would have steered goes natively, else the default. */
static const char *instead(enum topo_option option)
{
    if (option == TOPO_OPTION_ENABLED)
        return "off";
    return table[option].kind == TOPO_OPTION_KIND_ALGORITHM ? "native" : table[option].fallback;
}

/* One option of topo_options_load(). */
static enum topo_status load_one(enum topo_option option, const char *given, struct topo_option_value *value,
                                 struct topo_error *error)
{
    const struct topo_option_info *info = &table[option];
    struct topo_error why = {""};
    enum topo_status status = TOPO_OK;
    if (given && *given) {
        status = parse_value(option, given, value, &why);
        if (status == TOPO_OK)
            value->from_environment = true;
    }
    if (!value->from_environment) {
        given = status == TOPO_OK ? info->fallback : instead(option);
        value->from_environment = given != info->fallback;
        enum topo_status again = parse_value(option, given, value, error);
        status = again == TOPO_OK ? status : again;
    }
    value->text = topo_strdup(given);
    value->complaint = status == TOPO_PARSE ? topo_strdup(why.text) : NULL;
    if (!value->text || (status == TOPO_PARSE && !value->complaint))
        return topo_fail(error, TOPO_NOMEM, "%s: out of memory", info->name);
    if (info->kind == TOPO_OPTION_KIND_TEXT)
        spell(info, value->text);
    return status == TOPO_PARSE ? topo_fail(error, status, "%s", why.text) : status;
}

enum topo_status topo_options_load(struct topo_options *options, topo_option_source *source, void *context,
                                   struct topo_error *error)
{
    enum topo_status first = TOPO_OK;
    memset(options, 0, sizeof *options);
    for (int i = 0; i < TOPO_OPTION_COUNT; i++) {
        int old;
        const char *given = given_for(i, source, context, &old);
        enum topo_status status = load_one(i, given, &options->value[i], first == TOPO_OK ? error : NULL);
        /* What memory lacks for is worse than what is mistyped. */
        if (first == TOPO_OK || status == TOPO_NOMEM)
            first = status != TOPO_OK ? status : first;
    }
    return first;
}

enum topo_status topo_option_refuse(struct topo_options *options, enum topo_option option, const char *complaint)
{
    struct topo_option_value value = {0};
    enum topo_status status = load_one(option, NULL, &value, NULL);
    topo_free(value.complaint);
    value.complaint = status == TOPO_OK ? topo_strdup(complaint) : NULL;
    if (!value.complaint) {
        topo_free(value.text);
        return TOPO_NOMEM;
    }
    topo_free(options->value[option].text);
    topo_free(options->value[option].complaint);
    options->value[option] = value;
    return TOPO_OK;
}

void topo_options_off(struct topo_options *options)
{
    for (int i = 0; i < TOPO_OPTION_COUNT; i++)
        if (table[i].kind == TOPO_OPTION_KIND_ALGORITHM)
            parse_value((enum topo_option)i, "native", &options->value[i], NULL);
}

void topo_option_consequence(enum topo_option option, struct topo_text *out)
{
    const struct topo_option_info *info = &table[option];
    if (option == TOPO_OPTION_ENABLED)
        topo_text_add(out, "the job runs natively");
    else if (info->kind == TOPO_OPTION_KIND_ALGORITHM)
        topo_text_addf(out, "MPI_%c%s runs natively", toupper((unsigned char)*info->values), info->values + 1);
    else
        topo_text_addf(out, "%s is as if it were not set", info->name);
}

void topo_options_free(struct topo_options *options)
{
    for (int i = 0; i < TOPO_OPTION_COUNT; i++) {
        topo_free(options->value[i].text);
        topo_free(options->value[i].complaint);
    }
    memset(options, 0, sizeof *options);
}

void topo_options_unknown(char *const *environment, struct topo_text *out)
{
    for (; *environment; environment++) {
        size_t length = strcspn(*environment, "=");
        /* Sites' modules name the folder of what they load so. */
        bool known = strncmp(*environment, "TOPOMPI", 7) != 0 || !strncmp(*environment, "TOPOMPI_ROOT=", 13);
        for (int i = 0; !known && i < TOPO_OPTION_COUNT; i++)
            known = strlen(table[i].name) == length && !strncmp(*environment, table[i].name, length);
        for (size_t i = 0; !known && i < sizeof renamed / sizeof *renamed; i++)
            known = strlen(renamed[i].name) == length && !strncmp(*environment, renamed[i].name, length);
        if (!known)
            topo_text_addf(out, "%s%.*s", out->length ? " " : "", (int)length, *environment);
    }
}

void topo_options_pack(const struct topo_options *options, struct topo_text *out)
{
    for (int i = 0; i < TOPO_OPTION_COUNT; i++)
        if (options->value[i].from_environment)
            topo_text_addf(out, "%s=%s\n", table[i].name, options->value[i].text);
}

const char *topo_option_packed(const char *name, void *context)
{
    struct topo_option_lines *packed = context;
    size_t length = strlen(name);
    for (const char *line = packed->lines; line && *line;) {
        size_t end = strcspn(line, "\n");
        if (end > length && line[length] == '=' && !strncmp(line, name, length)) {
            topo_text_free(&packed->value);
            topo_text_addf(&packed->value, "%.*s", (int)(end - length - 1), line + length + 1);
            packed->failed |= packed->value.failed;
            return packed->value.text;
        }
        line += end + (line[end] == '\n');
    }
    return NULL;
}
