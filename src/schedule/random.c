#include "schedule/random.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* MESSAGES_MAX: all pairs of 4096; making them takes 1 GB. */
enum { SIDE_MAX = 1 << 20, MESSAGES_MAX = 1 << 24 };

uint64_t topo_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t topo_random_below(uint64_t *state, uint64_t limit)
{
    return (uint64_t)((unsigned __int128)topo_random_next(state) * limit >> 64);
}

/* "4N", "N^2/4", "1000": false when it is none of these or not a whole number above 0. */
static bool parse_messages(const char *text, int n, int64_t *messages)
{
    int64_t factor = 1, value;
    size_t digits = strspn(text, "0123456789");
    char number[24];
    if (digits >= sizeof number - 1 || (!digits && *text != 'N'))
        return false;
    if (digits) {
        snprintf(number, sizeof number, "%.*s", (int)digits, text);
        if (!topo_parse_long(number, 1, INT64_MAX, &factor))
            return false;
    }
    value = factor;
    text += digits;
    if (*text == '*')
        text++;
    if (*text == 'N') {
        bool square = !strncmp(text, "N^2", 3);
        if (__builtin_mul_overflow(value, (int64_t)n * (square ? n : 1), &value))
            return false;
        text += square ? 3 : 1;
    }
    if (*text == '/') {
        long divisor;
        if (!topo_parse_long(text + 1, 1, INT32_MAX, &divisor))
            return false;
        value /= divisor;
    } else if (*text) {
        return false;
    }
    *messages = value;
    return value > 0;
}

enum topo_status topo_random_parse(const char *text, struct topo_random_spec *spec, struct topo_error *error)
{
    static const char form[] = "N=64,E=4N,total=512M,seed=1";
    char messages[64] = "4N", *copy = topo_strdup(text), *save = NULL;
    enum topo_status status = TOPO_OK;
    *spec = (struct topo_random_spec){0, 0, (int64_t)512 << 20, 1};
    if (!copy)
        return topo_fail(error, TOPO_NOMEM, "out of memory for %.40s", text);
    for (char *word = strtok_r(copy, ", ", &save); word && status == TOPO_OK; word = strtok_r(NULL, ", ", &save)) {
        char *value = strchr(word, '=');
        size_t bytes;
        long number;
        bool good = false;
        if (value)
            *value++ = '\0';
        if (!value) {
            status = topo_fail(error, TOPO_PARSE, "random %.40s: KEY=VALUE is needed, as in %s", word, form);
            break;
        }
        if (!strcmp(word, "N")) {
            good = topo_parse_long(value, 1, SIDE_MAX, &number);
            spec->n = good ? (int)number : 0;
        } else if (!strcmp(word, "E")) {
            good = strlen(value) < sizeof messages;
            snprintf(messages, sizeof messages, "%s", value);
        } else if (!strcmp(word, "total")) {
            good = topo_parse_size(value, &bytes) && bytes > 0 && bytes <= INT64_MAX;
            spec->total = good ? (int64_t)bytes : 0;
        } else if (!strcmp(word, "seed")) {
            good = topo_parse_long(value, 0, INT64_MAX, &number);
            spec->seed = good ? (uint64_t)number : 0;
        } else {
            status = topo_fail(error, TOPO_PARSE, "random: unknown key %.40s; allowed: N E total seed, as in %s", word,
                               form);
            break;
        }
        if (!good)
            status = topo_fail(error, TOPO_PARSE, "random %s=%.40s: not allowed; the form is %s", word, value, form);
    }
    if (status == TOPO_OK && !spec->n)
        status = topo_fail(error, TOPO_PARSE, "random: N is missing, as in %s", form);
    if (status == TOPO_OK && !parse_messages(messages, spec->n, &spec->messages))
        status =
            topo_fail(error, TOPO_PARSE, "random E=%.40s: a number above 0 is needed, as 256, 4N, N^2/4 (N is %d here)",
                      messages, spec->n);
    topo_free(copy);
    return status;
}

/* Floyd's sampling: `count` distinct cells of 0 .. cells-1, kept in an open-addressed table. */
static bool insert(int64_t *table, uint64_t mask, int64_t cell)
{
    uint64_t state = (uint64_t)cell, at = topo_random_next(&state) & mask;
    for (; table[at] >= 0; at = (at + 1) & mask)
        if (table[at] == cell)
            return false;
    table[at] = cell;
    return true;
}

static enum topo_status inspect(const struct topo_random_spec *spec, struct topo_error *error)
{
    if (spec->n < 1 || spec->n > SIDE_MAX)
        return topo_fail(error, TOPO_INVALID, "random N=%d: 1 to %d is allowed", spec->n, SIDE_MAX);
    if (spec->messages < 1 || spec->messages > (int64_t)spec->n * spec->n)
        return topo_fail(error, TOPO_INVALID, "random E=%lld: 1 to N^2 = %lld is allowed", (long long)spec->messages,
                         (long long)spec->n * spec->n);
    if (spec->messages > MESSAGES_MAX)
        return topo_fail(error, TOPO_INVALID, "random E=%lld: up to %d messages are allowed", (long long)spec->messages,
                         MESSAGES_MAX);
    if (spec->total < spec->messages)
        return topo_fail(error, TOPO_INVALID, "random total=%lld: at least a byte for each of the %lld messages",
                         (long long)spec->total, (long long)spec->messages);
    return TOPO_OK;
}

enum topo_status topo_matrix_random(const struct topo_random_spec *spec, struct topo_matrix **matrix,
                                    struct topo_error *error)
{
    TOPO_SCOPED struct topo_message *messages = NULL;
    TOPO_SCOPED int64_t *table = NULL;
    uint64_t state = spec->seed, mask = 3;
    enum topo_status status = inspect(spec, error);
    *matrix = NULL;
    if (status != TOPO_OK)
        return status;
    while (mask < 2 * (uint64_t)spec->messages)
        mask = 2 * mask + 1;
    messages = topo_alloc((size_t)spec->messages, sizeof *messages);
    table = topo_alloc((size_t)mask + 1, sizeof *table);
    if (!messages || !table)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a matrix of %lld messages", (long long)spec->messages);
    memset(table, 0xff, ((size_t)mask + 1) * sizeof *table);
    int64_t cells = (int64_t)spec->n * spec->n, sum = 0, before = 0;
    for (int64_t k = 0; k < spec->messages; k++) {
        int64_t last = cells - spec->messages + k, cell = (int64_t)topo_random_below(&state, (uint64_t)last + 1);
        if (!insert(table, mask, cell)) {
            cell = last;
            insert(table, mask, cell);
        }
        messages[k] = (struct topo_message){(int)(cell / spec->n), (int)(cell % spec->n),
                                            1 + (int64_t)topo_random_below(&state, 1 << 20)};
        sum += messages[k].weight;
    }
    /* One byte each, the rest in proportion; what rounding takes from one the next one gets. */
    int64_t rest = spec->total - spec->messages, share = 0;
    for (int64_t k = 0; k < spec->messages; k++) {
        before += messages[k].weight;
        int64_t up_to = (int64_t)((unsigned __int128)rest * (uint64_t)before / (uint64_t)sum);
        messages[k].weight = 1 + up_to - share;
        share = up_to;
    }
    return topo_matrix_new(spec->n, spec->n, messages, spec->messages, matrix, error);
}
