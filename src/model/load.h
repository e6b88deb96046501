/* What a set of messages that travel at the same time costs: bytes add up on
 * the links and media they cross, and the slowest decides. Algorithms are
 * costed as sequences of such steps. */
#ifndef TOPO_MODEL_LOAD_H
#define TOPO_MODEL_LOAD_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/status.h"
#include "machine/tree.h"
#include "model/params.h"
#include "patterns/levels.h"

struct topo_load;

/* An empty step on this machine; `tree` and `params` must outlive it. Free with
 * topo_load_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_load_new(const struct topo_tree *tree, const struct topo_params *params, struct topo_load **load,
                               struct topo_error *error);

/* NULL is harmless. */
void topo_load_free(struct topo_load *load);
TOPO_SCOPED_TYPE(topo_load)

/* One message of this step. A message to oneself is a copy in memory. */
void topo_load_message(struct topo_load *load, int from, int to, double bytes);

/* `count` messages of this step from one rank to another, `bytes` together. */
void topo_load_messages(struct topo_load *load, int from, int to, double count, double bytes);

/* Bytes on their way beside the messages of this step, of a message that starts in another one. */
void topo_load_bytes(struct topo_load *load, int from, int to, double bytes);

/* One message of `bytes` from every rank to every other one, in a time that grows with the ranks alone; between the
 * first ranks of all nodes, of `bytes` for each two ranks of theirs, in one that grows with the nodes and how many
 * sizes they have. False when memory is out. */
bool topo_load_all_pairs(struct topo_load *load, double bytes);
bool topo_load_all_firsts(struct topo_load *load, const struct topo_levels *levels, double bytes);

/* Work of the CPU that every rank does in this step besides its messages (copies, additions), in seconds a rank. */
void topo_load_work(struct topo_load *load, double seconds);

/* Work of one rank: before or after its messages, or, hidden, while they travel. */
void topo_load_rank_work(struct topo_load *load, int rank, double seconds, bool hidden);

/* The same work with what lies in the memory that the ranks of its node share: `seconds` are those of the rank when it
 * is alone there. The `bytes` that are read or written there take their time in that memory, the medium inside the node
 * (topo_link.shared), with those of all other ranks of the node: so one that copies or adds up alone does so as fast as
 * it can, and all who do so at a time share what the memory gives. */
void topo_load_memory(struct topo_load *load, int rank, double seconds, double bytes, bool hidden);

/* Seconds of the step, and starts the next one:
 *   largest alpha of its messages
 *   + the longer of: the longest of (bytes x beta over the links of all units, in
 *     each direction; bytes x shared over all shared media),
 *     plus the busiest rank's overhead of messages and its own work, or a node's bytes in memory if they take longer;
 *     where cores are short, the CPU time of a unit's busiest core, for ranks that share cores by chance
 *   or, if they take longer, hidden work and bytes in memory, which go on during the alpha, too, plus the work as above
 *   + in a step with messages, until a rank that got one has a core: all ranks but
 *     one of its core wait as it does and look for their own messages once (topo_params.turn). */
double topo_load_step(struct topo_load *load);

/* The same of `times` steps that are all like this one. */
double topo_load_steps(struct topo_load *load, int times);

/* Seconds for which the busiest link, medium or core was taken in all steps so far: steps that overlap end no sooner.
 * A core's is 0 where cores are not limited. */
double topo_load_busy(const struct topo_load *load);

#endif
