#include "job/presence.h"

#include <string.h>

#include <mpi.h>

#include "family/presence_exchange.h"
#include "topompi.h"

enum { TAG = 32749 }; /* below every MPI's upper bound of tags */

/* The first one that the MPI library uses counts: a launcher started by another one leaves the other's variables there.
 */
static const struct topo_presence_exchange *const exchanges[] = {&topo_presence_pmix, &topo_presence_pmi,
                                                                 &topo_presence_relay},
                                                  *used;
enum { EXCHANGES = sizeof exchanges / sizeof *exchanges };

static bool announced;

void topo_presence_announce(void)
{
    for (int i = 0; i < EXCHANGES && !announced; i++)
        exchanges[i]->publish();
    announced = true;
}

enum topo_presence_answer topo_presence_answer_of(const char *version)
{
    return strcmp(version, TOPOMPI_VERSION) ? TOPO_PRESENCE_OTHER : TOPO_PRESENCE_HAS;
}

/* Has this rank published what others may ask for? */
static bool has_published(void)
{
    enum topo_presence_state state = TOPO_PRESENCE_UNUSED;
    for (int i = 0; i < EXCHANGES; i++) {
        enum topo_presence_state of_this = exchanges[i]->published();
        if (state == TOPO_PRESENCE_UNUSED && of_this != TOPO_PRESENCE_UNUSED) {
            state = of_this;
            used = exchanges[i];
        }
    }
    return state == TOPO_PRESENCE_PUBLISHED;
}

/* The child of `rank` that is 2^bit further, or -1. */
static int child_of(int rank, int ranks, int bit)
{
    long child = rank + (1L << bit);
    return (rank == 0 || 1L << bit < (rank & -rank)) && child < ranks ? (int)child : -1;
}

/* Sends the lowest missing rank up this rank's subtree and the verdict down: the lowest rank that is missing, not
 * necessarily of all; `ranks`: none is. */
static int agree(int rank, int ranks)
{
    int lowest = ranks, below, child;
    unsigned with = 0; /* children that have the library */
    bool parent = rank > 0 && used->of(rank & (rank - 1)) == TOPO_PRESENCE_HAS;
    for (int bit = 0; (child = child_of(rank, ranks, bit)) >= 0; bit++) {
        below = child;
        if (used->of(child) == TOPO_PRESENCE_HAS) {
            with |= 1u << bit;
            PMPI_Recv(&below, 1, MPI_INT, child, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        lowest = below < lowest ? below : lowest;
    }
    if (parent) {
        PMPI_Send(&lowest, 1, MPI_INT, rank & (rank - 1), TAG, MPI_COMM_WORLD);
        PMPI_Recv(&lowest, 1, MPI_INT, rank & (rank - 1), TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank > 0) {
        lowest = rank & (rank - 1);
    }
    for (int bit = 0; (child = child_of(rank, ranks, bit)) >= 0; bit++)
        if (with & 1u << bit)
            PMPI_Send(&lowest, 1, MPI_INT, child, TAG, MPI_COMM_WORLD);
    return lowest;
}

enum topo_presence topo_presence_find(int rank, int ranks, int *missing, bool *speaks)
{
    if (!announced)
        return TOPO_PRESENCE_UNKNOWN;
    announced = false;
    if (!has_published())
        return TOPO_PRESENCE_UNKNOWN;
    int lowest = agree(rank, ranks), below = 0;
    *speaks = false;
    if (lowest == ranks)
        return TOPO_PRESENCE_EVERYWHERE;
    /* The lowest rank with the library is the root of its subtree: of the others none need look. */
    if (rank == 0 || lowest == (rank & (rank - 1)))
        while (below < rank && used->of(below) == TOPO_PRESENCE_LACKS)
            below++;
    *speaks = below == rank;
    *missing = rank > 0 ? 0 : lowest;
    return TOPO_PRESENCE_PARTIAL;
}
