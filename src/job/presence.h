/* Is the library loaded in every rank of the job? Asked without a collective: a rank without the library would never
 * answer one and the job would hang.
 *
 * How ranks publish follows from the launcher, whichever MPI library the program has.
 *
 * Over PMIx a rank with the library puts a key, its version, in PMPI_Init(), just before the MPI library's own
 * PMIx_Commit(), which publishes it with the rest and comes through libtopompi.so (preload/commit.c). A commit of our
 * own would publish that key alone: under direct modex a rank is asked for its data as soon as it committed any, and
 * MPI's would be missing.
 *
 * With Hydra it publishes a name, and over a PMI socket of another launcher it puts a key into what the MPI library
 * says; family/presence_pmi.c and family/presence_relay.c say why the answers are final there. From here on the key is
 * any of these.
 *
 * After PMPI_Init() a rank asks for the keys of its parent and its children in the binomial tree of the ranks of
 * MPI_COMM_WORLD, so for at most 1 + log2(n). Each answer is final, whatever was exchanged:
 * - A key that is here is there; keys never change.
 * - One of a rank of this node that its server does not have (PMIX_IMMEDIATE) was not put: that rank has committed,
 *   because either all ranks passed the barrier that ends PMPI_Init(), or, where that is switched off
 *   (async_mpi_init), Open MPI has waited in it for the addresses of the ranks of this node.
 * - For one of another node the server there is asked. It answers when that rank has committed; until then the question
 *   times out and is asked again.
 * So of two neighbours either both know that the other has the same version, or both that they are apart.
 * Neighbours that know each other form subtrees. Inside each, the lowest rank that is missing goes up by messages and
 * the verdict comes down; a rank whose parent is missing is the root of its subtree and knows the verdict. All ranks
 * with the library get the same one: it is good where a single subtree holds all ranks, and each subtree of several
 * borders on a missing rank. The messages are received inside MPI_Init() by ranks that wait for them, before the
 * application can post a receive that would match. */
#ifndef TOPO_FAMILY_PRESENCE_H
#define TOPO_FAMILY_PRESENCE_H

#include <stdbool.h>

/* What is known of the other ranks. */
enum topo_presence {
    TOPO_PRESENCE_EVERYWHERE, /* every rank has this version */
    TOPO_PRESENCE_PARTIAL,    /* some rank has not, or another version */
    TOPO_PRESENCE_UNKNOWN     /* the launcher offers no exchange, or MPI uses it in a way that is not seen */
};

/* Before PMPI_Init(): publishes this rank's version. */
void topo_presence_announce(void);

/* After PMPI_Init(), in every rank that announced itself; ends what that began. All of them get the same answer. When
 * it is PARTIAL, *speaks is true on the lowest rank with the library alone, and *missing there is the lowest one
 * without. */
enum topo_presence topo_presence_find(int rank, int ranks, int *missing, bool *speaks);

#endif
