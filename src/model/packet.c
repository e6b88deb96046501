#include "model/packet.h"
#include "patterns/limits.h"

size_t topo_packet_default(const struct topo_caches *caches)
{
    const size_t shortest = TOPO_PACKET_LEAST, longest = TOPO_PACKET_MOST;
    size_t packet = caches->l2 / 8;
    if (packet < shortest)
        return caches->l2 ? shortest : longest;
    return packet < longest ? packet : longest;
}

size_t topo_packet_elements(size_t bytes, size_t element)
{
    size_t elements = element ? bytes / element : bytes;
    return elements ? elements : 1;
}
