#include "machine/hostlist.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS_MAX = 9, SHOWN_MAX = 60 };

/* One walk over a list. `name` is the part of the name made so far. */
struct walk {
    const char *element; /* the element being read, for messages */
    int shown;
    char name[TOPO_HOST_NAME_MAX];
    long names;
    topo_hostlist_visitor *visit;
    void *context;
    struct topo_error *error;
};

static enum topo_status refuse(struct walk *walk, const char *what)
{
    return topo_fail(walk->error, TOPO_PARSE,
                     "'%.*s': %s; allowed: names with lists of numbers in brackets, such as n[0-3,7],m[01-04]x",
                     walk->shown, walk->element, what);
}

/* Reads digits at *at; their number in *digits. */
static bool read_number(const char **at, const char *end, long *number, int *digits)
{
    *number = 0;
    *digits = 0;
    while (*at < end && **at >= '0' && **at <= '9') {
        if (++*digits > DIGITS_MAX)
            return false;
        *number = *number * 10 + (*(*at)++ - '0');
    }
    return *digits > 0;
}

static enum topo_status walk_rest(struct walk *walk, size_t made, const char *at, const char *end);

/* `at` is behind '[': for each number, the rest of the element. */
static enum topo_status walk_brackets(struct walk *walk, size_t made, const char *at, const char *end)
{
    const char *close = memchr(at, ']', (size_t)(end - at));
    if (!close)
        return refuse(walk, "'[' without ']'");
    for (;; at++) {
        long low, high;
        int width, high_digits;
        if (!read_number(&at, close, &low, &width))
            return refuse(walk, "not a number of up to 9 digits in brackets");
        high = low;
        if (at < close && *at == '-') {
            at++;
            if (!read_number(&at, close, &high, &high_digits))
                return refuse(walk, "not a number of up to 9 digits in brackets");
            if (high < low)
                return refuse(walk, "a range goes down");
        }
        if (at < close && *at != ',')
            return refuse(walk, "not a number of up to 9 digits in brackets");
        for (long number = low; number <= high; number++) {
            int digits = snprintf(walk->name + made, sizeof walk->name - made, "%0*ld", width, number);
            if (made + (size_t)digits >= sizeof walk->name)
                return refuse(walk, "a name of 256 bytes or more");
            enum topo_status status = walk_rest(walk, made + (size_t)digits, close + 1, end);
            if (status != TOPO_OK)
                return status;
        }
        if (at == close)
            return TOPO_OK;
    }
}

/* walk->name has `made` bytes; reads the element from `at` to its end. The depth
 * of the recursion is the number of brackets, each of which makes the name longer. */
static enum topo_status walk_rest(struct walk *walk, size_t made, const char *at, const char *end)
{
    for (; at < end; at++) {
        if (*at == '[')
            return walk_brackets(walk, made, at + 1, end);
        if (*at == ']')
            return refuse(walk, "']' without '['");
        if ((unsigned char)*at <= ' ' || strchr("=\"'#\\", *at))
            return refuse(walk, "a character that no name has");
        if (made + 1 >= sizeof walk->name)
            return refuse(walk, "a name of 256 bytes or more");
        walk->name[made++] = *at;
    }
    walk->name[made] = '\0';
    if (++walk->names > TOPO_HOSTLIST_MAX)
        return topo_fail(walk->error, TOPO_PARSE, "'%.*s': too many names in one list; allowed: up to %d", walk->shown,
                         walk->element, TOPO_HOSTLIST_MAX);
    return walk->visit(walk->name, made, walk->context);
}

enum topo_status topo_hostlist_walk(const char *list, size_t length, topo_hostlist_visitor *visit, void *context,
                                    struct topo_error *error)
{
    struct walk walk = {.visit = visit, .context = context, .error = error};
    const char *end = list + length, *at = list;
    for (;; at++) {
        const char *from = at;
        /* The element ends at a comma outside brackets. */
        for (bool inside = false; at < end && (inside || *at != ','); at++)
            inside = *at == '[' || (inside && *at != ']');
        walk.element = from;
        walk.shown = at - from < SHOWN_MAX ? (int)(at - from) : SHOWN_MAX;
        if (at == from)
            return refuse(&walk, "an empty name");
        enum topo_status status = walk_rest(&walk, 0, from, at);
        if (status != TOPO_OK)
            return status;
        if (at == end)
            return TOPO_OK;
    }
}
