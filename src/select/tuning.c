#include "select/tuning.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static const struct topo_range everything = {0, SIZE_MAX};

/* "A", "A-B" or "A-"; sizes. */
static bool parse_range(char *text, struct topo_range *range)
{
    char *dash = strchr(text, '-');
    if (dash)
        *dash++ = '\0';
    if (!topo_parse_size(text, &range->low))
        return false;
    if (!dash)
        range->high = range->low;
    else if (!*dash)
        range->high = SIZE_MAX;
    else if (!topo_parse_size(dash, &range->high))
        return false;
    return range->low <= range->high;
}

static bool parse_placement(const char *text, int *by_slot)
{
    static const char *const words[] = {"any", "node", "slot"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, words[i])) {
            *by_slot = i - 1;
            return true;
        }
    return false;
}

static int operation_of(const char *word)
{
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        if (!strcmp(word, topo_operation_name(operation)))
            return operation;
    return -1;
}

/* The words of a rule after its operation. Writes into `rest`. */
static bool parse_rule(enum topo_operation operation, char *rest, struct topo_rule *rule, const char **why)
{
    const struct {
        const char *key;
        struct topo_range *range;
    } keys[] = {
        {"ranks=", &rule->ranks}, {"nodes=", &rule->nodes}, {"per_node=", &rule->per_node}, {"bytes=", &rule->bytes}};
    char *save = NULL;
    rule->ranks = rule->nodes = rule->per_node = rule->bytes = everything;
    rule->by_slot = -1;
    rule->algorithm = NULL;
    for (char *word = strtok_r(rest, " \t\r", &save); word; word = strtok_r(NULL, " \t\r", &save)) {
        bool known = false;
        *why = "allowed: ranks= nodes= per_node= bytes= with A, A-B or A-, placement=slot|node|any, then one algorithm";
        if (rule->algorithm)
            return false;
        for (size_t i = 0; i < sizeof keys / sizeof *keys && !known; i++) {
            size_t length = strlen(keys[i].key);
            if (strncmp(word, keys[i].key, length) != 0)
                continue;
            known = true;
            if (!parse_range(word + length, keys[i].range))
                return false;
        }
        if (!strncmp(word, "placement=", 10)) {
            known = true;
            if (!parse_placement(word + 10, &rule->by_slot))
                return false;
        }
        if (known)
            continue;
        rule->algorithm = topo_algorithm_find(operation, word);
        *why = "unknown algorithm; 'topo-dump algorithms' lists them";
        if (!rule->algorithm)
            return false;
    }
    *why = "the rule names no algorithm";
    return rule->algorithm != NULL;
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
    if (!parse_rule(operation, line + used, &grown[tuning->count], &why))
        return topo_fail(error, TOPO_PARSE, "%s:%d: rule for %s: %s", name, number, word, why);
    grown[tuning->count++].line = number;
    return TOPO_OK;
}

enum topo_status topo_tuning_parse(const char *text, const char *name, struct topo_tuning *tuning,
                                   struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    int number = 0;
    memset(tuning, 0, sizeof *tuning);
    topo_params_default(&tuning->params);
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
    return status;
}

void topo_tuning_free(struct topo_tuning *tuning)
{
    topo_free(tuning->rules);
    memset(tuning, 0, sizeof *tuning);
}

static bool in(const struct topo_range *range, size_t value)
{
    return range->low <= value && value <= range->high;
}

const struct topo_rule *topo_tuning_find(const struct topo_tuning *tuning, enum topo_operation operation,
                                         const struct topo_layout *layout, size_t bytes)
{
    for (int i = 0; tuning && i < tuning->count; i++) {
        const struct topo_rule *rule = &tuning->rules[i];
        if (rule->algorithm->operation == operation && in(&rule->ranks, (size_t)layout->ranks) &&
            in(&rule->nodes, (size_t)layout->nodes) && in(&rule->per_node, (size_t)layout->node_ranks_max) &&
            in(&rule->bytes, bytes) && (rule->by_slot < 0 || rule->by_slot == (int)layout->by_slot) &&
            topo_algorithm_applies(rule->algorithm, layout->ranks, NULL))
            return rule;
    }
    return NULL;
}

static void write_range(const char *key, const struct topo_range *range, struct topo_text *out)
{
    char low[32], high[32];
    if (range->low == 0 && range->high == SIZE_MAX)
        return;
    topo_format_size(range->low, low, sizeof low);
    topo_format_size(range->high, high, sizeof high);
    if (range->high == SIZE_MAX)
        topo_text_addf(out, " %s=%s-", key, low);
    else if (range->low == range->high)
        topo_text_addf(out, " %s=%s", key, low);
    else
        topo_text_addf(out, " %s=%s-%s", key, low, high);
}

void topo_rule_write(const struct topo_rule *rule, struct topo_text *out)
{
    topo_text_add(out, topo_operation_name(rule->algorithm->operation));
    write_range("ranks", &rule->ranks, out);
    write_range("nodes", &rule->nodes, out);
    write_range("per_node", &rule->per_node, out);
    if (rule->by_slot >= 0)
        topo_text_addf(out, " placement=%s", rule->by_slot ? "slot" : "node");
    write_range("bytes", &rule->bytes, out);
    topo_text_addf(out, " %s\n", rule->algorithm->name);
}
