/* How long a packet of the asynchronous all-reduce is (docs/REFERENCES.md, Reduction 5). */
#ifndef TOPO_MODEL_PACKET_H
#define TOPO_MODEL_PACKET_H

#include <stddef.h>

#include "machine/caches.h"

/* Bytes of a packet that stays in cache from its arrival until it is added: two
 * receive buffers, the block they are added to and what the MPI library copies
 * through share the second-level cache. Between 32 KiB and 60 KiB: from 64 KiB on Open MPI's
 * TCP (btl_tcp_eager_limit, headers included) asks the receiver before it sends,
 * which costs a packet more than its length saves (docs/ALLREDUCE.md). */
size_t topo_packet_default(const struct topo_caches *caches);

/* Elements of a packet of at most `bytes` bytes: at least one. */
size_t topo_packet_elements(size_t bytes, size_t element);

#endif
