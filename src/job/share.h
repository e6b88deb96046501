/* What rank 0 knows, to all ranks. */
#ifndef TOPO_JOB_SHARE_H
#define TOPO_JOB_SHARE_H

#include <stddef.h>

#include <mpi.h>

#include "machine/tree.h"

/* What rank 0 finds out once it has the tree, so that it travels with that: `count` bytes, which all ranks give alike,
 * at most TOPO_NEWS_MOST. */
struct topo_news {
    void *bytes;
    size_t count;
    void (*find)(void *bytes, const struct topo_tree *tree); /* on rank 0; the others get what it wrote */
};
enum { TOPO_NEWS_MOST = 1024 };

/* Collective over `comm`, one thread at a time: rank 0's `head`, whose length all know (some more than TOPO_NEWS_MOST
 * at most), and its *count bytes, of which the others do not know how many. These get *bytes, theirs to free with
 * topo_free(); NULL: memory was out there, and they took part all the same, so that nobody asks before whether all have
 * room. One broadcast where there are few bytes. Returns an MPI error code. */
int topo_share(void *head, size_t head_bytes, void **bytes, size_t *count, MPI_Comm comm);

#endif
