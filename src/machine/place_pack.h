/* Places as bytes, for sending. */
#ifndef TOPO_MACHINE_PLACE_PACK_H
#define TOPO_MACHINE_PLACE_PACK_H

#include <stddef.h>

#include "base/status.h"
#include "machine/build.h"

/* A place is topo_place_packed() bytes, which topo_place_pack() writes: its numbers, then both texts with their zero
 * bytes. */
size_t topo_place_packed(const struct topo_place *place);
void topo_place_pack(const struct topo_place *place, char *bytes);

/* places[ranks] from the bytes of as many, one behind the other; their texts stay where they are in `bytes`. Errors:
 * TOPO_INVALID where these are not `length` bytes. */
enum topo_status topo_place_unpack(const char *bytes, size_t length, int ranks, struct topo_place *places,
                                   struct topo_error *error);

#endif
