#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* Makes room for `more` bytes and the terminating NUL. */
static bool reserve(struct topo_text *text, size_t more)
{
    size_t need = text->length + more + 1;
    if (text->failed)
        return false;
    if (need <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 128;
    while (capacity < need)
        capacity *= 2;
    char *grown = topo_realloc(text->text, capacity, 1);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->text = grown;
    text->capacity = capacity;
    return true;
}

void topo_text_add(struct topo_text *text, const char *string)
{
    size_t length = strlen(string);
    if (!reserve(text, length))
        return;
    memcpy(text->text + text->length, string, length + 1);
    text->length += length;
}

void topo_text_addf(struct topo_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = topo_vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !reserve(text, (size_t)length))
        return;
    va_start(args, format);
    topo_vsnprintf(text->text + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

void topo_text_free(struct topo_text *text)
{
    topo_free(text->text);
    *text = (struct topo_text){0};
}

bool topo_parse_long(const char *string, long low, long high, long *value)
{
    char *end;
    if (!isdigit((unsigned char)*string) && *string != '-')
        return false;
    errno = 0;
    long parsed = strtol(string, &end, 10);
    if (errno || *end || end == string || parsed < low || parsed > high)
        return false;
    *value = parsed;
    return true;
}

bool topo_parse_size(const char *string, size_t *bytes)
{
    char *end;
    if (!isdigit((unsigned char)*string))
        return false;
    errno = 0;
    unsigned long long number = strtoull(string, &end, 10);
    if (errno)
        return false;
    unsigned shift = 0;
    switch (toupper((unsigned char)*end)) {
    case 'K': shift = 10; break;
    case 'M': shift = 20; break;
    case 'G': shift = 30; break;
    default: break;
    }
    if (shift) {
        end++;
        if (*end == 'i')
            end++;
    }
    if (*end == 'B' || *end == 'b')
        end++;
    if (*end || number > (SIZE_MAX >> shift))
        return false;
    *bytes = (size_t)number << shift;
    return true;
}

void topo_format_size(size_t bytes, char *out, size_t out_size)
{
    static const char suffix[] = {0, 'K', 'M', 'G'};
    size_t unit = 0;
    while (unit < 3 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    if (unit)
        snprintf(out, out_size, "%zu%c", bytes, suffix[unit]);
    else
        snprintf(out, out_size, "%zu", bytes);
}

const char *topo_plural(int count)
{
    return count == 1 ? "" : "s";
}

enum topo_status topo_read_file(const char *path, char **content, size_t *length, struct topo_error *error)
{
    struct topo_text all = {0};
    enum { CHUNK = 16384 };
    ssize_t got = 1;
    int fd = topo_open_file(path, O_RDONLY, error);
    if (fd < 0)
        return TOPO_IO;
    while (got > 0 && reserve(&all, CHUNK)) {
        got = read(fd, all.text + all.length, CHUNK);
        all.length += got > 0 ? (size_t)got : 0;
        got = got < 0 && errno == EINTR ? 1 : got;
    }
    int saved = got < 0 ? errno : 0;
    close(fd);
    if (saved || all.failed) {
        topo_text_free(&all);
        return saved ? topo_fail(error, TOPO_IO, "%s: %s", path, strerror(saved))
                     : topo_fail(error, TOPO_NOMEM, "%s: out of memory", path);
    }
    all.text[all.length] = '\0';
    if (!length && strlen(all.text) != all.length) {
        int line = 1;
        for (const char *c = all.text; *c; c++)
            line += *c == '\n';
        topo_text_free(&all);
        return topo_fail(error, TOPO_PARSE, "%s:%d: a zero byte; allowed is text", path, line);
    }
    *content = all.text;
    if (length)
        *length = all.length;
    return TOPO_OK;
}
