/* The communicators of a replay: members as ranks of the predicted machine, the
 * same communicator once for all its members. */
#ifndef TOPO_PREDICT_MPI_REPLAY_GROUP_H
#define TOPO_PREDICT_MPI_REPLAY_GROUP_H

#include "machine/tree.h"
#include "base/notes.h"
#include "trace/read.h"

struct replay_group {
    int count, *world; /* [count] ranks of the prediction */
    uint64_t hash;
    struct topo_tree *tree; /* of its ranks alone; NULL until asked for */
    int arrived;            /* members that wait in `op` */
    unsigned op;
};

struct replay_groups {
    struct replay_group **list;
    int count, *table, places; /* by hash: number in list + 1 */
    int **of;                  /* of[traced rank][id - 1]: number in list, -1: not allowed */
    int ranks;
};

/* All groups of the run. With `ranks` other than the traced ones only groups of
 * all or of one rank can be carried over; where a rank has others, of[][] is -1.
 * Groups of one rank all become number -2. Free with replay_groups_free() in every
 * case. Errors: TOPO_NOMEM. */
enum { REPLAY_GROUP_NONE = -1, REPLAY_GROUP_SELF = -2 };
enum topo_status replay_groups_new(const struct topo_trace_run *run, int ranks, struct replay_groups *groups);
void replay_groups_free(struct replay_groups *groups);

/* The group's part of the machine's tree, made at the first call; NULL: out of memory. */
const struct topo_tree *replay_group_tree(struct replay_group *group, const struct topo_tree *tree);

#endif
