/* Damaged copies of files for tests of readers: the same ones in every run. */
#ifndef TOPO_TESTS_DAMAGE_H
#define TOPO_TESTS_DAMAGE_H

#include <stddef.h>
#include <string.h>

#include "base/memory.h"

static unsigned damage_state;

/* Starts anew with this seed. */
static inline void damage_seed(unsigned seed)
{
    damage_state = seed;
}

static inline unsigned damage_random(void)
{
    damage_state = damage_state * 1664525u + 1013904223u;
    return damage_state >> 8;
}

/* The text with `put` instead of its bytes first..last-1, in memory of just that size. */
static inline char *damage_replace(char *text, size_t *length, size_t first, size_t last, const char *put, size_t bytes)
{
    char *changed = topo_alloc(*length - (last - first) + bytes + 1, 1);
    if (!changed)
        return text;
    memcpy(changed, text, first);
    memcpy(changed + first, put, bytes);
    memcpy(changed + first + bytes, text + last, *length - last);
    *length = *length - (last - first) + bytes;
    changed[*length] = '\0';
    topo_free(text);
    return changed;
}

/* One damage: a flipped bit, another letter, a line lost or there twice, a number
 * that is absurd, or the end cut off. */
static inline char *damage_once(char *text, size_t *length)
{
    static const char letters[] = "0123456789-+.,:;=[](){}#_ \t\r\n";
    static const char *const numbers[] = {
        "99999999999999999999",    "-1", "0", "2147483648", "9223372036854775807", "1e999", "nan", "-0", "1048577",
        "\xff\xff\xff\xff\xff\x7f"};
    if (!*length)
        return text;
    size_t at = damage_random() % *length, first = at, last = at;
    const char *number = numbers[damage_random() % (sizeof numbers / sizeof *numbers)];
    switch (damage_random() % 8) {
    case 0:
    case 1: text[at] = (char)(text[at] ^ 1 << damage_random() % 8); return text;
    case 2:
    case 3: text[at] = letters[damage_random() % (sizeof letters - 1)]; return text;
    case 4:
    case 5:
        while (first > 0 && text[first - 1] != '\n')
            first--;
        while (last < *length && text[last++] != '\n')
            ;
        return damage_random() % 2 ? damage_replace(text, length, first, last, "", 0)
                                   : damage_replace(text, length, first, first, text + first, last - first);
    case 6:
        while (first < *length && (text[first] < '0' || text[first] > '9'))
            first++;
        for (last = first; last < *length && text[last] >= '0' && text[last] <= '9';)
            last++;
        return damage_replace(text, length, first, last, number, strlen(number));
    default:
        if (damage_random() % 4)
            return text;
        return damage_replace(text, length, at, *length, "", 0);
    }
}

/* A copy of text[0..*length-1] with a few damages and a 0 behind it; *length becomes its
 * length. Free with topo_free(). NULL: out of memory. */
static inline char *damaged(const char *text, size_t *length)
{
    char *copy = topo_alloc(*length + 1, 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, *length);
    copy[*length] = '\0';
    for (unsigned k = 1 + damage_random() % 6; k > 0; k--)
        copy = damage_once(copy, length);
    return copy;
}

#endif
