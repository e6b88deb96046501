/* Text: a growing string, numbers with units, and small parsers used by every reader. */
#ifndef TOPO_BASE_TEXT_H
#define TOPO_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/status.h"

/* A growing string. Start with {0}; `text` is NULL until something is added and
 * NUL-terminated after. A failed allocation sets `failed` and later additions do
 * nothing, so callers check once at the end. */
struct topo_text {
    char *text;
    size_t length, capacity;
    bool failed;
};

void topo_text_add(struct topo_text *text, const char *string);
/* As printf(), but numbers have a decimal point in every locale. */
void topo_text_addf(struct topo_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void topo_text_free(struct topo_text *text);

/* Reads a whole decimal integer of [low, high]; false when `string` is not exactly one. */
bool topo_parse_long(const char *string, long low, long high, long *value);

/* Reads bytes: a decimal number with an optional suffix K, M, G (powers of 1024,
 * either case, an optional B or iB after it). False when it is not one or overflows. */
bool topo_parse_size(const char *string, size_t *bytes);

/* Writes bytes the short way: "512", "64K", "1M"; exact multiples only, else plain. */
void topo_format_size(size_t bytes, char *out, size_t out_size);

/* What follows the name of `count` things: "" behind one, else "s". Static. */
const char *topo_plural(int count);

/* The whole file as one NUL-terminated string (free with topo_free()); *length may be NULL.
 * Errors: TOPO_IO with the path and the reason (it must be a regular file, base/file.h), TOPO_NOMEM; where `length` is
 * NULL, TOPO_PARSE with path and line for a zero byte, behind which nobody would read. */
enum topo_status topo_read_file(const char *path, char **content, size_t *length, struct topo_error *error);

#endif
