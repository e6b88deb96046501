/* Contents of messages that give away every byte that is missing, late or in the
 * wrong place; bytes in the gaps between elements must stay as they were. */
#ifndef TOPO_BENCH_PATTERN_H
#define TOPO_BENCH_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* How the bytes of a message lie in memory: elements of `element` bytes, one
 * every `stride` bytes. Equal for contiguous data. */
struct bench_layout {
    size_t element, stride;
};

/* Contiguous, or with gaps as long as the elements (8 bytes, or 1 when `bytes` is not a multiple of 8). */
struct bench_layout bench_layout_of(size_t bytes, int gaps);

/* Bytes of memory that `bytes` of data take, the last element's gap included. */
size_t bench_layout_span(const struct bench_layout *layout, size_t bytes);

/* Word `index` of message `message` in round `round`. */
uint64_t bench_pattern_word(uint64_t message, uint64_t round, size_t index);

/* Writes the message; gaps are left alone. */
void bench_pattern_write(const struct bench_layout *layout, void *memory, size_t bytes, uint64_t message,
                         uint64_t round);

/* Fills memory, gaps too, with what no gap may lose. */
void bench_pattern_spoil(void *memory, size_t span);

/* Bytes of memory that are not what write() after spoil() would leave. */
size_t bench_pattern_wrong(const struct bench_layout *layout, const void *memory, size_t bytes, uint64_t message,
                           uint64_t round);

#endif
