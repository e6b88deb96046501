/* The options, as NAME=VALUE lines. */
#include "readers/readers.h"

#include "catalog/options.h"

static void same(const struct topo_options *a, const struct topo_options *b)
{
    for (int i = 0; i < TOPO_OPTION_COUNT; i++) {
        const struct topo_option_value *x = &a->value[i], *y = &b->value[i];
        MUST(!strcmp(x->text, y->text) && x->choice == y->choice && x->size == y->size && x->flag == y->flag,
             "%s=%s, then %s", topo_option_info(i)->name, x->text, y->text);
    }
}

/* A source whose values may hold anything, ends of lines too: ";" stands for one. */
static const char *from_lines(const char *name, void *context)
{
    char *value = (char *)topo_option_packed(name, context);
    for (char *at = value; at && *at; at++)
        *at = *at == ';' ? '\n' : *at;
    return value;
}

static void check_packed(const char *text, topo_option_source *source)
{
    struct topo_option_lines lines = {.lines = text};
    struct topo_options options, again;
    struct topo_error error = {""};
    struct topo_text packed = {0};
    enum topo_status status = topo_options_load(&options, source, &lines, &error);
    reader_status(status, &error);
    for (int i = 0; i < TOPO_OPTION_COUNT; i++)
        MUST(options.value[i].text, "%s has no value", topo_option_info(i)->name);
    topo_options_pack(&options, &packed);
    lines.lines = packed.text;
    MUST(topo_options_load(&again, topo_option_packed, &lines, &error) == TOPO_OK, "%s", error.text);
    same(&options, &again);
    topo_text_free(&lines.value);
    topo_text_free(&packed);
    topo_options_free(&options);
    topo_options_free(&again);
}

READER(options)
{
    char *text = reader_text(data, size), *variables[] = {text, NULL};
    struct topo_option_lines lines = {.lines = text};
    struct topo_options options;
    struct topo_text unknown = {0};
    check_packed(text, topo_option_packed);
    check_packed(text, from_lines);
    topo_options_unknown(variables, &unknown);
    topo_text_free(&unknown);
    reader_scarce(data, size);
    topo_options_load(&options, topo_option_packed, &lines, NULL);
    reader_plenty();
    topo_text_free(&lines.value);
    topo_options_free(&options);
    free(text);
    return 0;
}
