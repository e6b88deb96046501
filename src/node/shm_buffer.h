/* Buffers in node-shared memory, one for each call: what the algorithms for
 * short messages share (docs/LEVELS.md, short messages).
 *
 * There are several buffers, used in turn by the calls of a communicator, whatever their
 * operation: eight for calls of up to 64 KiB a node, two of their own for longer ones.
 * Counters of each buffer tell three events of a call: `arrived`, every rank once:
 * its data is in place; `parts`: how much of the work is done; `done`: all of it is.
 *
 * A rank that has nothing to wait for leaves at once, so ranks may be a few calls apart.
 * With k buffers a rank begins call e when all ranks of the node have arrived in call e - k + 1.
 * Then they have left call e - k, the last one that used this buffer, and it may write
 * there and post receives. */
#ifndef TOPO_NODE_SHM_BUFFER_H
#define TOPO_NODE_SHM_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "node/group_flags.h"
#include "node/node.h"

/* One call on this rank. */
struct topo_shm_buffer {
    struct topo_node *node;
    struct topo_shm_buffers *buffers;
    int index;      /* of this one */
    char *base;     /* aligned to 64; what the node's ranks share during this call. NULL: there is no shared memory */
    uint32_t parts; /* of this call */
    size_t beside;  /* bytes that this rank leaves beside `done`, where it adds all parts; it starts as 0 */
    /* Lines of the three events. */
    struct topo_flag *arrived, *added, *done;
};

/* Calls of up to so many bytes a node are short. */
enum { TOPO_SHM_BUFFER_SHORT = 65536 };

/* Makes the memory for calls of up to `bytes` on every node; collective over the channel, as topo_shm_buffer_open().
 * False, on all ranks alike: it cannot be had. */
bool topo_shm_buffer_reserve(struct topo_node *node, size_t bytes);

/* Begins a call that needs `bytes` (equal on all ranks) on every node and is done
 * after `parts` parts (equal on all ranks of a node); collective over the
 * channel. False, on all ranks alike, and base NULL: shared memory cannot be had. */
bool topo_shm_buffer_open(struct topo_shm_buffer *buffer, struct topo_node *node, size_t bytes, int parts);

/* Room for TOPO_FLAG_BESIDE bytes, aligned to 8, that go with an event (node/flag.h): what all ranks write before they
 * arrive, each its own bytes, NULL where there is more than one line that they raise; what the rank that adds all parts
 * leaves there for the others before it adds them, buffer->beside bytes. */
char *topo_shm_buffer_beside_arrived(const struct topo_shm_buffer *buffer);
char *topo_shm_buffer_beside_done(const struct topo_shm_buffer *buffer);

/* This rank's data is in place. In two halves: topo_shm_buffer_arrive_own() is true on ranks that go on with
 * topo_shm_buffer_arrive_all(): on the last rank of each group, when the data of all its ranks is in place, or on all
 * ranks of a node that is one group. */
bool topo_shm_buffer_arrive_own(struct topo_shm_buffer *buffer);
void topo_shm_buffer_arrive_all(struct topo_shm_buffer *buffer);

static inline void topo_shm_buffer_arrive(struct topo_shm_buffer *buffer)
{
    if (topo_shm_buffer_arrive_own(buffer))
        topo_shm_buffer_arrive_all(buffer);
}

/* Waits until the data of all ranks of the node is in place. */
void topo_shm_buffer_wait_arrived(const struct topo_shm_buffer *buffer);

/* Adds parts that are done. */
void topo_shm_buffer_add(const struct topo_shm_buffer *buffer, int parts);

/* Waits until so many parts of this call are done. */
void topo_shm_buffer_wait_parts(const struct topo_shm_buffer *buffer, int parts);

/* Waits until all parts are done, where there are none until all have arrived; the
 * last thing that may be waited for. After it this rank may read the buffer until it
 * opens the next one. */
void topo_shm_buffer_close(struct topo_shm_buffer *buffer);

/* The same without waiting, on a rank that has arrived and reads nothing more, or only what is its own. */
void topo_shm_buffer_leave(struct topo_shm_buffer *buffer);

#endif
