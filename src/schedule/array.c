#include "schedule/array.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { PAIRS_MAX = 1 << 24, PROCESSES_MAX = 1 << 20 };

static const char form[] =
    "cyclic(3)@5 -> cyclic(4)@5, or of several dimensions, cyclic(3)@2 x block@4 -> cyclic(4)@4 x block@2";

/* Takes `word` after blanks. */
static bool take(const char **at, const char *word)
{
    *at += strspn(*at, " \t");
    if (strncmp(*at, word, strlen(word)))
        return false;
    *at += strlen(word);
    return true;
}

/* Takes a decimal number of [low, high] after blanks. */
static bool take_number(const char **at, int64_t low, int64_t high, int64_t *number)
{
    char digits[24];
    *at += strspn(*at, " \t");
    size_t sign = low < 0 && **at == '-', length = sign + strspn(*at + sign, "0123456789");
    long value;
    if (length == sign || length >= sizeof digits)
        return false;
    memcpy(digits, *at, length);
    digits[length] = '\0';
    if (!topo_parse_long(digits, low, high, &value))
        return false;
    *number = value;
    *at += length;
    return true;
}

/* Takes one side: its dimensions' blocks and processes; *product of the processes. */
static bool take_side(const char **at, int64_t *block, int *processes, int *dimensions, int *product)
{
    int64_t all = 1, count;
    *dimensions = 0;
    do {
        if (*dimensions == TOPO_ARRAY_DIMENSIONS)
            return false;
        block[*dimensions] = 0;
        if (!take(at, "block") && (!take(at, "cyclic") || !take(at, "(") ||
                                   !take_number(at, 1, INT64_MAX, &block[*dimensions]) || !take(at, ")")))
            return false;
        if (!take(at, "@") || !take_number(at, 1, PROCESSES_MAX, &count) || (all *= count) > PROCESSES_MAX)
            return false;
        processes[(*dimensions)++] = (int)count;
    } while (take(at, "x"));
    *product = (int)all;
    return true;
}

enum topo_status topo_array_parse(const char *text, struct topo_array *array, struct topo_error *error)
{
    int64_t y[TOPO_ARRAY_DIMENSIONS], x[TOPO_ARRAY_DIMENSIONS];
    int nq[TOPO_ARRAY_DIMENSIONS], np[TOPO_ARRAY_DIMENSIONS], other;
    const char *at = text;
    *array = (struct topo_array){0};
    bool good = take_side(&at, y, nq, &array->dimensions, &array->senders) && take(&at, "->") &&
                take_side(&at, x, np, &other, &array->receivers) && take(&at, "") && !*at;
    if (!good)
        return topo_fail(error, TOPO_PARSE,
                         "redistribution '%.80s': wrong at '%.20s'; the form is %s; blocks of 1 or more, 1 to %d "
                         "processes together, up to %d dimensions",
                         text, at, form, PROCESSES_MAX, TOPO_ARRAY_DIMENSIONS);
    if (other != array->dimensions)
        return topo_fail(error, TOPO_PARSE, "redistribution '%.80s': %d dimensions become %d; the form is %s", text,
                         array->dimensions, other, form);
    for (int d = 0; d < array->dimensions; d++)
        array->dimension[d] =
            (struct topo_redistribution){.x = x[d], .y = y[d], .np = np[d], .nq = nq[d], .a1 = 1, .a2 = 1};
    return TOPO_OK;
}

enum topo_status topo_redistribution_parse(const char *text, struct topo_redistribution *redistribution,
                                           struct topo_error *error)
{
    struct topo_array array;
    enum topo_status status = topo_array_parse(text, &array, error);
    *redistribution = array.dimension[0];
    if (status == TOPO_OK && (array.dimensions > 1 || !redistribution->x || !redistribution->y))
        return topo_fail(error, TOPO_PARSE,
                         "redistribution '%.80s': allowed is one dimension, cyclic(3)@5 -> cyclic(4)@5", text);
    return status;
}

enum topo_status topo_redistribution_access(const char *text, struct topo_redistribution *redistribution,
                                            struct topo_error *error)
{
    const char *at = text;
    if (take_number(&at, 1, INT64_MAX, &redistribution->a1) && take(&at, ",") &&
        take_number(&at, INT64_MIN / 2, INT64_MAX, &redistribution->b1) && take(&at, ",") &&
        take_number(&at, 1, INT64_MAX, &redistribution->a2) && take(&at, ",") &&
        take_number(&at, INT64_MIN / 2, INT64_MAX, &redistribution->b2) && take(&at, "") && !*at)
        return TOPO_OK;
    return topo_fail(
        error, TOPO_PARSE,
        "access function '%.80s': wrong at '%.20s'; the form is a1,b1,a2,b2 with a1, a2 of 1 or more, as in "
        "3,4,2,1 or 1,0,1,-1",
        text, at);
}

enum topo_status topo_array_lengths(const char *text, struct topo_array *array, struct topo_error *error)
{
    const char *at = text;
    bool good = true;
    for (int d = 0; d < array->dimensions && good; d++)
        good = (d == 0 || take(&at, "x")) && take_number(&at, 1, INT64_MAX, &array->dimension[d].length);
    if (good && take(&at, "") && !*at)
        return TOPO_OK;
    return topo_fail(error, TOPO_PARSE, "length '%.80s': allowed: a number from 1 on for each of %d dimensions, as %s",
                     text, array->dimensions, array->dimensions > 1 ? "600x400" : "600");
}

/* The block of one side: `count` processes share the elements 0 .. a (length - 1) + b. */
static enum topo_status resolve(int64_t *block, int count, int64_t a, int64_t b, int64_t length,
                                struct topo_error *error)
{
    int64_t last;
    if (*block > 0)
        return TOPO_OK;
    if (length < 1)
        return topo_fail(error, TOPO_INVALID, "a block distribution needs the array's length");
    if (b < 0)
        return topo_fail(error, TOPO_INVALID, "a block distribution has no elements before the first: shift %lld",
                         (long long)b);
    if (__builtin_mul_overflow(a, length - 1, &last) || __builtin_add_overflow(last, b, &last))
        return topo_fail(error, TOPO_INVALID, "redistribution: subscripts above %lld", (long long)INT64_MAX);
    *block = last / count + 1;
    return TOPO_OK;
}

enum topo_status topo_array_resolve(struct topo_array *array, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    for (int d = 0; d < array->dimensions && status == TOPO_OK; d++) {
        struct topo_redistribution *r = &array->dimension[d];
        status = resolve(&r->y, r->nq, r->a2, r->b2, r->length, error);
        if (status == TOPO_OK)
            status = resolve(&r->x, r->np, r->a1, r->b1, r->length, error);
    }
    return status;
}

/* *product = outer x inner: the processes of `inner` run fastest. */
static enum topo_status multiply(const struct topo_matrix *outer, const struct topo_matrix *inner,
                                 struct topo_matrix **product, struct topo_error *error)
{
    int64_t count = 0;
    TOPO_SCOPED struct topo_message *message = NULL;
    if ((int64_t)outer->senders * inner->senders * outer->receivers * inner->receivers > PAIRS_MAX)
        return topo_fail(error, TOPO_UNSUPPORTED, "redistribution: more than %d pairs of processes", PAIRS_MAX);
    message = topo_alloc((size_t)outer->messages * (size_t)inner->messages, sizeof *message);
    if (!message)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a redistribution");
    for (int64_t e = 0; e < outer->messages; e++)
        for (int64_t f = 0; f < inner->messages; f++) {
            struct topo_message *next = &message[count++];
            next->sender = outer->sender[e] * inner->senders + inner->sender[f];
            next->receiver = outer->receiver[e] * inner->receivers + inner->receiver[f];
            if (__builtin_mul_overflow(outer->weight[e], inner->weight[f], &next->weight))
                return topo_fail(error, TOPO_INVALID, "redistribution: more than %lld elements", (long long)INT64_MAX);
        }
    return topo_matrix_new(outer->senders * inner->senders, outer->receivers * inner->receivers, message, count,
                           product, error);
}

enum topo_status topo_array_matrix(const struct topo_array *array, struct topo_matrix **matrix,
                                   struct topo_error *error)
{
    enum topo_status status = topo_redistribution_matrix(&array->dimension[0], matrix, error);
    for (int d = 1; d < array->dimensions && status == TOPO_OK; d++) {
        struct topo_matrix *outer = *matrix, *inner = NULL;
        *matrix = NULL;
        status = topo_redistribution_matrix(&array->dimension[d], &inner, error);
        if (status == TOPO_OK)
            status = multiply(outer, inner, matrix, error);
        topo_matrix_free(outer);
        topo_matrix_free(inner);
    }
    return status;
}
