#include "machine/place_pack.h"

#include <string.h>

struct numbers {
    int package, numa, l3, core;
};

size_t topo_place_packed(const struct topo_place *place)
{
    return sizeof(struct numbers) + strlen(place->host) + 1 + strlen(place->slurm_address) + 1;
}

void topo_place_pack(const struct topo_place *place, char *bytes)
{
    const struct numbers numbers = {place->package, place->numa, place->l3, place->core};
    memcpy(bytes, &numbers, sizeof numbers);
    strcpy(bytes + sizeof numbers, place->host);
    strcpy(bytes + sizeof numbers + strlen(place->host) + 1, place->slurm_address);
}

/* The text at *at, behind which *at goes; NULL: it does not end before `end`. */
static const char *take_text(const char **at, const char *end)
{
    const char *text = *at, *zero = memchr(text, '\0', (size_t)(end - text));
    *at = zero ? zero + 1 : end;
    return zero ? text : NULL;
}

enum topo_status topo_place_unpack(const char *bytes, size_t length, int ranks, struct topo_place *places,
                                   struct topo_error *error)
{
    const char *at = bytes, *end = bytes + length;
    for (int rank = 0; rank < ranks; rank++) {
        struct topo_place *place = &places[rank];
        struct numbers numbers;
        if ((size_t)(end - at) < sizeof numbers)
            break;
        memcpy(&numbers, at, sizeof numbers);
        at += sizeof numbers;
        *place = (struct topo_place){
            .package = numbers.package, .numa = numbers.numa, .l3 = numbers.l3, .core = numbers.core};
        if (!(place->host = take_text(&at, end)) || !(place->slurm_address = take_text(&at, end)))
            break;
        if (rank == ranks - 1 && at == end)
            return TOPO_OK;
    }
    return topo_fail(error, TOPO_INVALID, "%zu bytes are not the packed places of %d ranks", length, ranks);
}
