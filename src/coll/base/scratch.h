/* Scratch memory of the collectives, kept between calls: a fresh large block
 * costs a page fault every 4 KiB, which shows in every long message. */
#ifndef TOPO_COLL_BASE_SCRATCH_H
#define TOPO_COLL_BASE_SCRATCH_H

#include <stddef.h>

/* A block of at least `bytes`, contents undefined, aligned to 64; NULL when memory is out. */
void *topo_scratch_take(size_t bytes);

/* Gives it back; the largest few are kept for later calls. NULL is harmless. */
void topo_scratch_give(void *block);

#endif
