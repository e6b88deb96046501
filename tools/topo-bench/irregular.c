#include "topo-bench/irregular.h"

#include "topo-bench/pattern.h"

size_t bench_irregular_bytes(int from, int to, size_t mean)
{
    /* The seed is a round that no message has. */
    return (size_t)(bench_pattern_word((uint64_t)from, UINT64_MAX, (size_t)to) % (2 * (uint64_t)mean + 1));
}

size_t bench_whole_elements(const struct bench_request *request, size_t bytes)
{
    return request->gaps ? (bytes + 4) / 8 * 8 : bytes;
}

size_t bench_irregular_length(const struct bench_request *request, int from, int to, size_t mean)
{
    return bench_whole_elements(request, bench_irregular_bytes(from, to, mean));
}

size_t bench_irregular_block(const struct bench_request *request, int ranks, int from, int to, size_t mean)
{
    (void)ranks;
    return bench_irregular_length(request, from, to, mean);
}

void bench_irregular_describe(const struct bench_request *request, struct topo_text *out)
{
    topo_text_addf(out, "blocks of 0 to twice the length%s", request->gaps ? ", elements with gaps" : "");
}
