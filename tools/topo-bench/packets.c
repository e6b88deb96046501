#include "topo-bench/packets.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum topo_status bench_packets_read(const char *text, struct bench_sizes *packets, struct topo_error *error)
{
    if (strcmp(text, "0"))
        return bench_sizes_read(text, packets, error);
    *packets = (struct bench_sizes){topo_calloc(1, sizeof *packets->bytes), 1};
    return packets->bytes ? TOPO_OK : topo_fail(error, TOPO_NOMEM, "out of memory");
}

bool bench_packet_of(const char *name, size_t *packet)
{
    const char *at = strrchr(name, '@');
    return at && topo_parse_size(at + 1, packet);
}

bool bench_has_packets(const struct bench_report *report)
{
    int found = 0;
    size_t packet;
    for (int a = 0; a < report->algorithms; a++)
        found += bench_packet_of(report->algorithm[a], &packet) && packet > 0;
    return found >= 2;
}
