/* The engine: runs a rank's part of a plan (plan/plan.h) by messages of the communicator's channel and through the
 * memory that its node shares. */
#ifndef TOPO_COLL_ENGINE_ENGINE_H
#define TOPO_COLL_ENGINE_ENGINE_H

#include <stdint.h>

#include "coll/base/transport.h"
#include "comm/comm.h"
#include "node/shm_buffer.h"
#include "node/shm_windows.h"
#include "plan/plan.h"

/* A vector in elements of `bytes`, which travel as so many `units` of a type each; offsets of a plan count them. Or
 * blocks have places and lengths of their own: place() says where `count` of them lie from one on, as they travel. */
struct topo_engine_vector {
    char *base;
    size_t bytes;
    MPI_Datatype type;
    size_t units;
    struct topo_elements (*place)(const void *of, int64_t block, int count);
    const void *of;
    struct topo_shm_buffer *shared; /* of a plan with node_vector, where it lies: begun with a part for each block that
                                       comes from other nodes; it ends when all have come */
    const char *own; /* sums: where this rank's own operands lie, as in `base`, as long as nothing has been added to
                        them; NULL: add_own() puts them there when they are first needed */
};

/* How partial sums are added up, in a plan of these. */
struct topo_engine_sums {
    /* Elements at .. at + count - 1: adds the operands of this node's other ranks (NULL: there is nothing to add); adds
     * what has come to those at `here`, which are the vector's, or own operands that are not in it yet, and operand
     * `own` of all. The sum goes into the vector. Memory at `landed` may be written. Return MPI error codes. */
    int (*add_own)(const void *of, size_t at, size_t count);
    int (*add)(const void *of, size_t at, size_t count, const char *here, char *const *landed, int number, int own);
    const void *of;
};

/* Runs all of it on a vector, with `sums` where the plan has sums, else NULL. Where the plan hands over in node memory
 * its FIFO is open (node/shm_fifo.h). After an error everything is still sent, received and handed over, as others wait
 * for it. Returns the first error, an MPI error code. */
int topo_engine_run(const struct topo_comm *comm, const struct topo_plan *plan, const struct topo_engine_vector *vector,
                    const struct topo_engine_sums *sums);

/* What became of what a rank gives in a round. */
enum topo_engine_work {
    TOPO_ENGINE_NOTHING, /* nothing can be done now */
    TOPO_ENGINE_SOME,    /* some of it was */
    TOPO_ENGINE_ALL      /* it is over */
};

/* Windows of a plan in rounds: a block by its number in a round. Those that move elements return MPI error codes. */
struct topo_engine_windows {
    struct topo_shm_windows *shm;
    struct topo_elements (*place)(const void *of, int64_t round, int block); /* as it travels; of sums: the total */
    enum topo_engine_work (*give)(void *of, int64_t round, int block, int *code); /* does the next bit of it */
    int (*take)(const void *of, int64_t round, int block);                        /* copies it out */
    bool (*wants)(const void *of, int64_t round, int block); /* whether this rank takes any of it; NULL: it does */
    /* Sums: where those of a node are added up, whether all its ranks have given theirs, which is asked in the order of
     * the task that adds, and adds them up; adds a partial sum, or that one, to another. */
    char *(*own)(const void *of, int64_t round, int block);
    bool (*are_given)(void *of, int64_t round, int block);
    int (*add_own)(const void *of, int64_t round, int block);
    int (*add)(const void *of, int64_t round, int block, const char *operand, char *sum);
    size_t longest; /* bytes of a block, at most, as memory is aligned */
    void *of;
};

/* Runs a plan in rounds; closes the windows. */
int topo_engine_run_windows(const struct topo_comm *comm, const struct topo_plan *plan,
                            const struct topo_engine_windows *windows);

/* The messages of an exchange (plan/exchange.h), by block. */
struct topo_engine_pairs {
    /* Bytes that it has in this call, 0: it is no message; where so many of them are from one on, which are all of
     * them, or any part. The first is asked once more when `here` bytes of what flows have come, and may know more
     * then; the second returns an MPI error code. */
    size_t (*length)(void *of, int64_t block, size_t here);
    int (*bytes)(void *of, int64_t block, size_t offset, size_t length, struct topo_elements *elements);
    void *of;
    size_t total; /* bytes of all messages that do not flow, at most */
};

/* Begins to run a plan of an exchange: what may begin without waiting. topo_engine_end() goes on with it to its end,
 * and frees; NULL is harmless. The plan and *pairs->of stay until then. Return MPI error codes. */
struct topo_engine_call;
int topo_engine_begin(const struct topo_comm *comm, const struct topo_plan *plan, const struct topo_engine_pairs *pairs,
                      struct topo_engine_call **call);
int topo_engine_end(struct topo_engine_call *call);

#endif
