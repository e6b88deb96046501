#include "topo-bench/sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const size_t SIZE_MAX_BYTES = (size_t)1 << 30;
enum { FACTOR_MAX = 1024 };

static enum topo_status add(struct bench_sizes *sizes, size_t bytes)
{
    if (!topo_grow(&sizes->bytes, (size_t)sizes->count, sizeof *sizes->bytes))
        return TOPO_NOMEM;
    sizes->bytes[sizes->count++] = bytes;
    return TOPO_OK;
}

static bool is_size(const char *text, size_t *bytes)
{
    return topo_parse_size(text, bytes) && *bytes >= 1 && *bytes <= SIZE_MAX_BYTES;
}

/* One term, cut in pieces in place. */
static enum topo_status add_term(struct bench_sizes *sizes, char *term, const char *shown, struct topo_error *error)
{
    size_t first, last;
    long factor = 2;
    char *dots = strstr(term, ".."), *colon = dots ? strchr(dots, ':') : NULL;
    if (dots)
        *dots = '\0';
    if (colon)
        *colon = '\0';
    if (!is_size(term, &first) || (dots && !is_size(dots + 2, &last)))
        return topo_fail(error, TOPO_PARSE, "'%s' is no list of sizes: 1 to 1G bytes, as in 8,64,1K..1M or 1..1M:4",
                         shown);
    if (!dots)
        return add(sizes, first) == TOPO_OK ? TOPO_OK : topo_fail(error, TOPO_NOMEM, "out of memory");
    if (colon && !topo_parse_long(colon + 1, 2, FACTOR_MAX, &factor))
        return topo_fail(error, TOPO_PARSE, "'%s': the factor after ':' is a number from 2 to %d", shown, FACTOR_MAX);
    if (first > last)
        return topo_fail(error, TOPO_PARSE, "'%s': the range ends before it starts", shown);
    for (size_t bytes = first; bytes <= last; bytes *= (size_t)factor)
        if (add(sizes, bytes) != TOPO_OK)
            return topo_fail(error, TOPO_NOMEM, "out of memory");
    return TOPO_OK;
}

static int ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

enum topo_status bench_sizes_read(const char *text, struct bench_sizes *sizes, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    char *copy = topo_strdup(text), *rest = copy, *term;
    *sizes = (struct bench_sizes){0};
    if (!copy)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    while (status == TOPO_OK && (term = strsep(&rest, ",")))
        status = add_term(sizes, term, text, error);
    topo_free(copy);
    if (status != TOPO_OK)
        return status;
    int kept = 0;
    qsort(sizes->bytes, (size_t)sizes->count, sizeof *sizes->bytes, ascending);
    for (int i = 0; i < sizes->count; i++)
        if (i == 0 || sizes->bytes[i] != sizes->bytes[kept - 1])
            sizes->bytes[kept++] = sizes->bytes[i];
    sizes->count = kept;
    return TOPO_OK;
}

void bench_sizes_free(struct bench_sizes *sizes)
{
    topo_free(sizes->bytes);
    *sizes = (struct bench_sizes){0};
}

enum topo_status bench_packets_read(const char *text, struct bench_sizes *packets, struct topo_error *error)
{
    if (strcmp(text, "0"))
        return bench_sizes_read(text, packets, error);
    *packets = (struct bench_sizes){topo_calloc(1, sizeof *packets->bytes), 1};
    return packets->bytes ? TOPO_OK : topo_fail(error, TOPO_NOMEM, "out of memory");
}
