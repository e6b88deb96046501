/* The steps that Bruck's algorithm and recursive doubling share among their
 * plain, exch and reorder forms (docs/REFERENCES.md, Mapping 4 and 5). */
#ifndef TOPO_COLL_GATHER_GATHER_BRUCK_H
#define TOPO_COLL_GATHER_GATHER_BRUCK_H

#include "coll/gather/gather.h"
#include "comm/renumbering.h"

/* Virtual number v is played by rank rank_at(renumbering, v); renumbering NULL: by rank v. */
static inline int topo_virtual(const struct topo_renumbering *renumbering, int rank)
{
    return renumbering ? topo_renumbering_number(renumbering, rank) : rank;
}

static inline int topo_rank_at(const struct topo_renumbering *renumbering, int number)
{
    return renumbering ? topo_renumbering_rank_at(renumbering, number) : number;
}

/* What the virtual rank starts with. exch: the block of the rank with this very
 * number, received in an initial exchange, so that positions are rank numbers in
 * the end. reorder: the rank's own block, so that positions are virtual numbers. */
enum topo_start { TOPO_START_EXCH, TOPO_START_REORDER };

/* Puts the first block of this rank at `first`. */
int topo_allgather_start(const struct topo_allgather *call, const struct topo_renumbering *renumbering,
                         enum topo_start start, char *first);

/* The rank whose block is at virtual position `number` in the end. */
static inline int topo_block_owner(const struct topo_renumbering *renumbering, enum topo_start start, int number)
{
    return start == TOPO_START_EXCH ? number : topo_rank_at(renumbering, number);
}

/* The whole algorithms; renumbering NULL is the plain form. */
int topo_allgather_bruck_steps(const struct topo_allgather *call, const struct topo_renumbering *renumbering,
                               enum topo_start start);
int topo_allgather_doubling_steps(const struct topo_allgather *call, const struct topo_renumbering *renumbering,
                                  enum topo_start start);

#endif
