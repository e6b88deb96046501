#include "unit.h"

#include "model/packet.h"
#include "patterns/limits.h"

/* An eighth of the second-level cache, within bounds. */
START_TEST(bytes)
{
    size_t before = 0;
    for (size_t l2 = 1 << 10; l2 <= 64 << 20; l2 *= 2) {
        const struct topo_caches caches = {.l2 = l2};
        size_t packet = topo_packet_default(&caches);
        ck_assert_msg(packet >= 32 << 10 && packet <= 60 << 10, "%zu bytes for a cache of %zu", packet, l2);
        ck_assert_msg(packet >= before, "a larger cache, no shorter packet");
        ck_assert(packet == l2 / 8 || packet == 32 << 10 || packet == 60 << 10);
        before = packet;
    }
    ck_assert_uint_eq(topo_packet_default(&(struct topo_caches){0}), 60 << 10);
    ck_assert_uint_eq(topo_packet_default(&(struct topo_caches){.l2 = 256 << 10}), 32 << 10);
    ck_assert_uint_eq(topo_packet_default(&(struct topo_caches){.l2 = 400 << 10}), 50 << 10);
    ck_assert(TOPO_PACKET_LEAST == 32 << 10 && TOPO_PACKET_MOST == 60 << 10);
}
END_TEST

START_TEST(elements)
{
    ck_assert_uint_eq(topo_packet_elements(65536, 8), 8192);
    ck_assert_uint_eq(topo_packet_elements(65535, 8), 8191);
    ck_assert_msg(topo_packet_elements(100, 1000) == 1, "one element at least");
    ck_assert_msg(topo_packet_elements(100, 0) == 100 && topo_packet_elements(0, 0) == 1, "elements without bytes");
}
END_TEST

UNIT_MAIN("packet", {bytes}, {elements})
