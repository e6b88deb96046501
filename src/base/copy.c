#include "base/copy.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

/* Shorter ones are no case of `rep movsb`. */
enum { SHORT = 1024, LINE = 64 };

static void copy_lines(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE)
        for (size_t k = 0; k < LINE; k += 16)
            _mm_store_si128((__m128i *)(to + i + k), _mm_loadu_si128((const __m128i *)(from + i + k)));
}

static void stream_lines(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE)
        for (size_t k = 0; k < LINE; k += 16)
            _mm_stream_si128((__m128i *)(to + i + k), _mm_loadu_si128((const __m128i *)(from + i + k)));
    /* Such stores are not ordered with others: the next flag raised must not overtake them. */
    _mm_sfence();
}

void topo_copy(void *to, const void *from, size_t bytes, bool stream)
{
    if (bytes < SHORT) {
        memcpy(to, from, bytes);
        return;
    }
    char *out = to;
    const char *in = from;
    size_t head = -(uintptr_t)out % LINE, lines = (bytes - head) / LINE * LINE;
    memcpy(out, in, head);
    if (stream)
        stream_lines(out + head, in + head, lines);
    else
        copy_lines(out + head, in + head, lines);
    memcpy(out + head + lines, in + head + lines, bytes - head - lines);
}

#else

void topo_copy(void *to, const void *from, size_t bytes, bool stream)
{
    (void)stream;
    memcpy(to, from, bytes);
}

#endif
