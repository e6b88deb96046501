#include "select/rule.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct topo_range everything = {0, SIZE_MAX};

static const char allowed[] =
    "allowed: ranks= nodes= per_node= bytes= link= with A, A-B or A-, "
    "placement=slot|node|any, even=yes|no|any, memory=shared|none|any, racks=yes|no|any, "
    "processors=own|shared|any, comparisons "
    "such as bytes*ranks<=1M, then one algorithm, behind it its parameters and up to three others: or A or B or C";

static const char blanks[] = " \t\r";

/* Words whose value is one of two, or any. */
struct choice {
    const char *key, *no, *yes;
};
static const struct choice choices[] = {{"placement=", "node", "slot"},
                                        {"even=", "no", "yes"},
                                        {"memory=", "none", "shared"},
                                        {"racks=", "no", "yes"},
                                        {"processors=", "shared", "own"}};

/* The ranges of a rule, in the order in which they are written. */
enum { RANGES = 5, LINK = 3, BYTES = 4 };
static const char *const range_keys[RANGES] = {"ranks=", "nodes=", "per_node=", "link=", "bytes="};

static struct topo_range *range_of(struct topo_rule *rule, int i)
{
    struct topo_range *const ranges[RANGES] = {&rule->ranks, &rule->nodes, &rule->per_node, &rule->link, &rule->bytes};
    return ranges[i];
}

static int *choice_of(struct topo_rule *rule, size_t i)
{
    int *const chosen[] = {&rule->by_slot, &rule->even, &rule->shares, &rule->racks, &rule->processors};
    return chosen[i];
}

struct topo_rule topo_rule_any(void)
{
    return (struct topo_rule){.ranks = everything,
                              .nodes = everything,
                              .per_node = everything,
                              .bytes = everything,
                              .link = everything,
                              .by_slot = TOPO_ANY,
                              .even = TOPO_ANY,
                              .shares = TOPO_ANY,
                              .racks = TOPO_ANY,
                              .processors = TOPO_ANY};
}

struct topo_rule topo_rule_here(const struct topo_layout *layout)
{
    struct topo_rule rule = topo_rule_any();
    rule.ranks = (struct topo_range){(size_t)layout->ranks, (size_t)layout->ranks};
    rule.nodes = (struct topo_range){(size_t)layout->nodes, (size_t)layout->nodes};
    rule.per_node = (struct topo_range){(size_t)layout->node_ranks_max, (size_t)layout->node_ranks_max};
    rule.by_slot = layout->by_slot;
    return rule;
}

/* Bits per second: a whole number with K, M, G or T, powers of 1000. */
static bool parse_rate(const char *text, size_t *rate)
{
    static const char units[] = "KMGT";
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 12)
        return false;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (*end && (!unit || end[1]))
        return false;
    for (int left = unit ? (int)(unit - units) + 1 : 0; left > 0; left--)
        if (__builtin_mul_overflow(value, 1000ULL, &value))
            return false;
    *rate = (size_t)value;
    return true;
}

/* "A", "A-B" or "A-". */
static bool parse_range(char *text, bool (*parse)(const char *, size_t *), struct topo_range *range)
{
    char *dash = strchr(text, '-');
    if (dash)
        *dash++ = '\0';
    if (!parse(text, &range->low))
        return false;
    if (!dash)
        range->high = range->low;
    else if (!*dash)
        range->high = SIZE_MAX;
    else if (!parse(dash, &range->high))
        return false;
    return range->low <= range->high;
}

static const char *value_of(const char *word, const char *key)
{
    size_t length = strlen(key);
    return strncmp(word, key, length) == 0 ? word + length : NULL;
}

static enum topo_status add_condition(struct topo_rule *rule, const char *word, struct topo_error *error)
{
    const char *why = "";
    struct topo_condition **grown =
        topo_realloc(rule->all, (size_t)rule->conditions + 1, sizeof(struct topo_condition *));
    if (!grown)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    rule->all = grown;
    enum topo_status status = topo_condition_parse(word, &grown[rule->conditions], &why);
    if (status == TOPO_OK)
        rule->conditions++;
    if (status == TOPO_PARSE)
        topo_fail(error, status, "'%.40s': %s", word, why);
    else if (status != TOPO_OK)
        topo_fail(error, status, "out of memory");
    return status;
}

/* A word of the form KEY=VALUE; *known says whether its key is one. */
static enum topo_status parse_key(struct topo_rule *rule, char *word, bool *known, struct topo_error *error)
{
    const char *value = NULL;
    *known = true;
    for (int i = 0; i < RANGES; i++)
        if (value_of(word, range_keys[i])) {
            char *text = word + strlen(range_keys[i]);
            if (range_of(rule, i)->low != everything.low || range_of(rule, i)->high != everything.high)
                return topo_fail(error, TOPO_PARSE, "%s is allowed once", range_keys[i]);
            if (parse_range(text, i == LINK ? parse_rate : topo_parse_size, range_of(rule, i)))
                return TOPO_OK;
            return topo_fail(error, TOPO_PARSE, "%sA, A-B or A- is allowed, A up to B, with %s", range_keys[i],
                             i == LINK ? "K, M, G or T: bits per second, powers of 1000" : "K, M or G: powers of 1024");
        }
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (!(value = value_of(word, choices[i].key)))
            continue;
        int *chosen = choice_of(rule, i);
        if (!strcmp(value, "any"))
            *chosen = TOPO_ANY;
        else if (!strcmp(value, choices[i].yes) || !strcmp(value, choices[i].no))
            *chosen = !strcmp(value, choices[i].yes) ? TOPO_YES : TOPO_NO;
        else
            return topo_fail(error, TOPO_PARSE, "'%.40s'; allowed: %s%s|%s|any", word, choices[i].key, choices[i].yes,
                             choices[i].no);
        return TOPO_OK;
    }
    *known = false;
    return TOPO_OK;
}

/* A parameter of the algorithm named last, *named, which becomes the rule's own copy of its row. */
static enum topo_status parse_parameter(struct topo_rule *rule, const char *word, const struct topo_algorithm **named,
                                        struct topo_error *error)
{
    struct topo_algorithm *own = NULL;
    int at = 0;
    for (; at < 1 + TOPO_RULE_OTHERS && rule->given[at]; at++)
        if (rule->given[at] == *named)
            own = rule->given[at];
    if (!own) {
        own = topo_alloc(1, sizeof *own);
        if (!own)
            return topo_fail(error, TOPO_NOMEM, "out of memory");
        *own = **named;
        *named = rule->given[at] = own;
    }
    return topo_parameters_read(own->name, own->traits, word, &own->parameters, error);
}

/* The words behind the algorithm: its parameters, "or A or B" and theirs. */
static enum topo_status parse_others(struct topo_rule *rule, char *word, char **save, struct topo_error *error)
{
    const struct topo_algorithm **last = &rule->algorithm;
    for (; word; word = strtok_r(NULL, blanks, save)) {
        const struct topo_algorithm *other = NULL;
        if (topo_parameter_is(word)) {
            enum topo_status status = parse_parameter(rule, word, last, error);
            if (status != TOPO_OK)
                return status;
            continue;
        }
        if (strcmp(word, "or") != 0)
            return topo_fail(error, TOPO_PARSE, "'%.40s' behind the algorithm; %s", word, allowed);
        if (!(word = strtok_r(NULL, blanks, save)) || !(other = topo_algorithm_find(rule->algorithm->operation, word)))
            return topo_fail(error, TOPO_PARSE,
                             "unknown algorithm %.40s behind 'or'; 'topo-dump algorithms' lists them",
                             word ? word : "(none)");
        if (rule->others_count == TOPO_RULE_OTHERS)
            return topo_fail(error, TOPO_PARSE, "'or %.40s': three others are allowed", word);
        last = &rule->others[rule->others_count++];
        *last = other;
    }
    return TOPO_OK;
}

enum topo_status topo_rule_parse(enum topo_operation operation, char *words, struct topo_rule *rule,
                                 struct topo_error *error)
{
    char *save = NULL;
    *rule = topo_rule_any();
    for (char *word = strtok_r(words, blanks, &save); word; word = strtok_r(NULL, blanks, &save)) {
        bool known = true;
        if (rule->algorithm)
            return parse_others(rule, word, &save, error);
        enum topo_status status =
            topo_condition_is(word) ? add_condition(rule, word, error) : parse_key(rule, word, &known, error);
        if (status != TOPO_OK)
            return status;
        if (!known && topo_parameter_is(word))
            return topo_fail(error, TOPO_PARSE, "'%.40s': parameters stand behind the algorithm; %s", word, allowed);
        if (!known && strchr(word, '='))
            return topo_fail(error, TOPO_PARSE, "'%.40s' is unknown; %s", word, allowed);
        if (!known && !(rule->algorithm = topo_algorithm_find(operation, word)))
            return topo_fail(error, TOPO_PARSE, "unknown algorithm %.40s; 'topo-dump algorithms' lists them", word);
    }
    return rule->algorithm ? TOPO_OK : topo_fail(error, TOPO_PARSE, "the rule names no algorithm; %s", allowed);
}

void topo_rule_free(struct topo_rule *rule)
{
    for (int i = 0; i < rule->conditions; i++)
        topo_condition_free(rule->all[i]);
    for (int i = 0; i < 1 + TOPO_RULE_OTHERS; i++) {
        topo_free(rule->given[i]);
        rule->given[i] = NULL;
    }
    topo_free(rule->all);
    rule->all = NULL;
    rule->conditions = 0;
}

static bool in(const struct topo_range *range, size_t value)
{
    return range->low <= value && value <= range->high;
}

static bool is(int wanted, bool fact)
{
    return wanted == TOPO_ANY || wanted == (int)fact;
}

static bool has_link(const struct topo_range *wanted, double link)
{
    if (wanted->low == 0 && wanted->high == SIZE_MAX)
        return true;
    return link > 0 && (double)wanted->low <= link && link <= (double)wanted->high;
}

bool topo_rule_fits(const struct topo_rule *rule, const struct topo_layout *layout, size_t bytes, double link)
{
    if (!in(&rule->ranks, (size_t)layout->ranks) || !in(&rule->nodes, (size_t)layout->nodes) ||
        !in(&rule->per_node, (size_t)layout->node_ranks_max) || !in(&rule->bytes, bytes) ||
        !is(rule->by_slot, layout->by_slot) || !is(rule->even, layout->node_ranks_min == layout->node_ranks_max) ||
        !is(rule->shares, layout->has_shm) || !is(rule->racks, layout->has_racks) ||
        !is(rule->processors, layout->has_processors) || !has_link(&rule->link, link))
        return false;
    const struct topo_quantities here = {.value = {layout->ranks, layout->nodes, layout->node_ranks_max,
                                                   layout->node_ranks_min,
                                                   bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX}};
    for (int i = 0; i < rule->conditions; i++)
        if (!topo_condition_holds(rule->all[i], &here))
            return false;
    return topo_algorithm_applies(rule->algorithm, layout->ranks, NULL);
}

static void format_rate(size_t rate, char *out, size_t size)
{
    static const char *const units[] = {"", "K", "M", "G", "T"};
    size_t unit = 0;
    for (; unit + 1 < sizeof units / sizeof *units && rate > 0 && rate % 1000 == 0; unit++)
        rate /= 1000;
    snprintf(out, size, "%zu%s", rate, units[unit]);
}

static void write_range(const char *key, const struct topo_range *range, void (*format)(size_t, char *, size_t),
                        struct topo_text *out)
{
    char low[32], high[32];
    if (range->low == 0 && range->high == SIZE_MAX)
        return;
    format(range->low, low, sizeof low);
    format(range->high, high, sizeof high);
    if (range->high == SIZE_MAX)
        topo_text_addf(out, " %s%s-", key, low);
    else if (range->low == range->high)
        topo_text_addf(out, " %s%s", key, low);
    else
        topo_text_addf(out, " %s%s-%s", key, low, high);
}

void topo_rule_write(const struct topo_rule *rule, struct topo_text *out)
{
    struct topo_rule copy = *rule;
    topo_text_add(out, topo_operation_name(rule->algorithm->operation));
    for (int i = 0; i < BYTES; i++)
        write_range(range_keys[i], range_of(&copy, i), i == LINK ? format_rate : topo_format_size, out);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (*choice_of(&copy, i) != TOPO_ANY)
            topo_text_addf(out, " %s%s", choices[i].key,
                           *choice_of(&copy, i) == TOPO_YES ? choices[i].yes : choices[i].no);
    write_range(range_keys[BYTES], &rule->bytes, topo_format_size, out);
    for (int i = 0; i < rule->conditions; i++)
        topo_text_addf(out, " %s", topo_condition_text(rule->all[i]));
    topo_text_add(out, " ");
    topo_algorithm_write(rule->algorithm, out);
    for (int i = 0; i < rule->others_count; i++) {
        topo_text_add(out, " or ");
        topo_algorithm_write(rule->others[i], out);
    }
    topo_text_add(out, "\n");
}
