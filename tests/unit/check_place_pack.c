#include "unit.h"

#include <string.h>

#include "machine/place_pack.h"

enum { RANKS = 4 };

static const struct topo_place places[RANKS] = {{"n0", "", 0, 1, 2, 3},
                                                {"n0", "core.rack1.n0", -1, -1, -1, -1},
                                                {"a-host.of.some.domain", "", 1, 1, 1, 2147483647},
                                                {"", "", 0, 0, 0, 0}};

/* The bytes of all of them; how many. */
static size_t pack(char *bytes)
{
    size_t at = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        topo_place_pack(&places[rank], bytes + at);
        at += topo_place_packed(&places[rank]);
    }
    return at;
}

START_TEST(there_and_back)
{
    char bytes[512];
    struct topo_place back[RANKS];
    struct topo_error error;
    size_t length = pack(bytes);
    ck_assert_msg(topo_place_unpack(bytes, length, RANKS, back, &error) == TOPO_OK, "%s", error.text);
    for (int rank = 0; rank < RANKS; rank++) {
        ck_assert_str_eq(back[rank].host, places[rank].host);
        ck_assert_str_eq(back[rank].slurm_address, places[rank].slurm_address);
        ck_assert(back[rank].package == places[rank].package && back[rank].numa == places[rank].numa &&
                  back[rank].l3 == places[rank].l3 && back[rank].core == places[rank].core);
    }
}
END_TEST

START_TEST(other_bytes)
{
    char bytes[512], copy[512];
    struct topo_place back[RANKS + 1];
    struct topo_error error;
    size_t length = pack(bytes);
    for (size_t shorter = 0; shorter < length; shorter++)
        ck_assert_msg(topo_place_unpack(memcpy(copy, bytes, shorter), shorter, RANKS, back, &error) == TOPO_INVALID,
                      "%zu of %zu bytes", shorter, length);
    ck_assert_int_eq(topo_place_unpack(bytes, length, RANKS - 1, back, &error), TOPO_INVALID);
    ck_assert_int_eq(topo_place_unpack(bytes, length, RANKS + 1, back, &error), TOPO_INVALID);
    bytes[length - 1] = 'x';
    ck_assert_msg(topo_place_unpack(bytes, length, RANKS, back, &error) == TOPO_INVALID, "a text without an end");
}
END_TEST

UNIT_MAIN("place_pack", {there_and_back}, {other_bytes})
