#include "select/tuning.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static int operation_of(const char *word)
{
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        if (!strcmp(word, topo_operation_name(operation)))
            return operation;
    return -1;
}

/* One line without its comment; writes into it. */
static enum topo_status parse_line(char *line, int number, const char *name, struct topo_tuning *tuning,
                                   struct topo_error *error)
{
    const char *why = NULL;
    char word[32];
    int used = 0;
    line += strspn(line, " \t\r");
    if (!*line)
        return TOPO_OK;
    int operation = sscanf(line, "%31s%n", word, &used) == 1 ? operation_of(word) : -1;
    if (operation < 0) {
        if (topo_params_read_line(&tuning->params, line, &why)) {
            tuning->measured = tuning->measured || !strcmp(word, "level");
            return TOPO_OK;
        }
        return topo_fail(error, TOPO_PARSE, "%s:%d: '%.40s' is neither a rule nor a parameter; %s", name, number, line,
                         why);
    }
    struct topo_rule *grown = topo_realloc(tuning->rules, (size_t)tuning->count + 1, sizeof *grown);
    if (!grown)
        return topo_fail(error, TOPO_NOMEM, "%s:%d: out of memory", name, number);
    tuning->rules = grown;
    struct topo_error wrong = {""};
    enum topo_status status =
        topo_rule_parse((enum topo_operation)operation, line + used, &grown[tuning->count], &wrong);
    grown[tuning->count++].line = number;
    if (status != TOPO_OK)
        return topo_fail(error, status, "%s:%d: rule for %s: %s", name, number, word, wrong.text);
    return TOPO_OK;
}

/* Rules of an operation are found one behind the other. */
static void chain_rules(struct topo_tuning *tuning)
{
    int next[TOPO_OPERATION_COUNT] = {0};
    for (int i = tuning->count - 1; i >= 0; i--) {
        enum topo_operation operation = tuning->rules[i].algorithm->operation;
        tuning->rules[i].next = next[operation];
        next[operation] = i + 1;
    }
    memcpy(tuning->first, next, sizeof next);
}

enum topo_status topo_tuning_parse(const char *text, const char *name, struct topo_tuning *tuning,
                                   struct topo_error *error)
{
    memset(tuning, 0, sizeof *tuning);
    topo_params_default(&tuning->params);
    return topo_tuning_parse_over(text, name, tuning, error);
}

enum topo_status topo_tuning_parse_over(const char *text, const char *name, struct topo_tuning *tuning,
                                        struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    int number = 0;
    for (const char *at = text; *at && status == TOPO_OK;) {
        size_t length = strcspn(at, "\n"), kept = strcspn(at, "#\n");
        char *line = topo_alloc(kept + 1, 1);
        number++;
        if (!line)
            return topo_fail(error, TOPO_NOMEM, "%s:%d: out of memory", name, number);
        memcpy(line, at, kept);
        line[kept] = '\0';
        status = parse_line(line, number, name, tuning, error);
        topo_free(line);
        at += length + (at[length] == '\n');
    }
    if (status == TOPO_OK)
        chain_rules(tuning);
    return status;
}

void topo_tuning_free(struct topo_tuning *tuning)
{
    for (int i = 0; i < tuning->count; i++)
        topo_rule_free(&tuning->rules[i]);
    topo_free(tuning->rules);
    memset(tuning, 0, sizeof *tuning);
}

double topo_tuning_link(const struct topo_tuning *tuning, const struct topo_layout *layout)
{
    const bool known = tuning && (tuning->measured || tuning->links);
    double beta = known && layout->nodes > 1 ? tuning->params.link[TOPO_LEVEL_NODE].beta : 0;
    return beta > 0 ? 8 / beta : 0;
}

const struct topo_rule *topo_tuning_first(const struct topo_tuning *tuning, enum topo_operation operation,
                                          const struct topo_layout *layout, size_t bytes, double link)
{
    for (int i = tuning->first[operation]; i > 0; i = tuning->rules[i - 1].next)
        if (topo_rule_fits(&tuning->rules[i - 1], layout, bytes, link))
            return &tuning->rules[i - 1];
    return NULL;
}

const struct topo_rule *topo_tuning_find(const struct topo_tuning *tuning, enum topo_operation operation,
                                         const struct topo_layout *layout, size_t bytes)
{
    return tuning ? topo_tuning_first(tuning, operation, layout, bytes, topo_tuning_link(tuning, layout)) : NULL;
}
