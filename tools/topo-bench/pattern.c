#include "topo-bench/pattern.h"

#include <string.h>

enum { WORD = sizeof(uint64_t), SPOILT = 0xA5 };

struct bench_layout bench_layout_of(size_t bytes, int gaps)
{
    size_t element = bytes % WORD ? 1 : WORD;
    if (!gaps)
        return (struct bench_layout){WORD, WORD};
    return (struct bench_layout){element, 2 * element};
}

size_t bench_layout_span(const struct bench_layout *layout, size_t bytes)
{
    return bytes / layout->element * layout->stride + bytes % layout->element;
}

/* The finaliser of splitmix64: every bit of the three numbers reaches every bit of the word. */
uint64_t bench_pattern_word(uint64_t message, uint64_t round, size_t index)
{
    uint64_t x = message * 0x9e3779b97f4a7c15u + round * 0xd1342543de82ef95u + index + 1;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Bytes of data from `at` on that lie together and in one word. */
static size_t run_length(const struct bench_layout *layout, size_t bytes, size_t at)
{
    size_t rest = bytes - at, length = layout->element == 1 && layout->stride > 1 ? 1 : WORD - at % WORD;
    return length < rest ? length : rest;
}

void bench_pattern_write(const struct bench_layout *layout, void *memory, size_t bytes, uint64_t message,
                         uint64_t round)
{
    for (size_t at = 0, length; at < bytes; at += length) {
        uint64_t word = bench_pattern_word(message, round, at / WORD);
        length = run_length(layout, bytes, at);
        memcpy((char *)memory + bench_layout_span(layout, at), (const char *)&word + at % WORD, length);
    }
}

void bench_pattern_spoil(void *memory, size_t span)
{
    memset(memory, SPOILT, span);
}

size_t bench_pattern_wrong(const struct bench_layout *layout, const void *memory, size_t bytes, uint64_t message,
                           uint64_t round)
{
    const unsigned char *seen = memory;
    size_t wrong = 0, gap = layout->stride - layout->element;
    for (size_t at = 0, length; at < bytes; at += length) {
        uint64_t word = bench_pattern_word(message, round, at / WORD);
        const unsigned char *wanted = (const unsigned char *)&word + at % WORD;
        size_t place = bench_layout_span(layout, at);
        length = run_length(layout, bytes, at);
        if (memcmp(seen + place, wanted, length))
            for (size_t i = 0; i < length; i++)
                wrong += seen[place + i] != wanted[i];
        for (size_t i = 0; i < gap; i++)
            wrong += seen[place + length + i] != SPOILT;
    }
    return wrong;
}
