/* All messages that this rank sends, or all that it receives, in one call. A message goes whole, as parts that a
 * schedule has cut, or in segments of TOPO_P2P_SEGMENT bytes. */
#ifndef TOPO_COLL_EXCHANGE_P2P_STREAM_H
#define TOPO_COLL_EXCHANGE_P2P_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "coll/exchange/exchange.h"

/* Segments are eager messages of Open MPI over TCP (up to btl_tcp_eager_limit, 64 KiB with the header). A longer
 * message is a rendezvous, whose handshake waits behind all bytes that are queued on the links, some milliseconds at 1
 * Gbit/s. 38 KiB measured faster than 63, perhaps because it fits one packet of the emulated links
 * (docs/measurements/alltoall.md). Messages of more than TOPO_P2P_SEGMENTS_MAX segments go whole: segments may come
 * before they are expected, and shall not fill the receiver's memory; at means of 1 MiB some calls in segments took
 * twice as long.
 */
enum { TOPO_P2P_SEGMENT = 38 << 10, TOPO_P2P_SEGMENTS_MAX = 13 };

struct topo_p2p_stream {
    const struct topo_alltoallv *call;
    const struct topo_buffer_desc *buffer;
    bool sends;
    char **packed; /* [ranks] bytes of a message that is cut; NULL: the type is contiguous */
};

/* Scratch memory until topo_p2p_stream_close(); false: there is none, close all the same. */
bool topo_p2p_stream_open(struct topo_p2p_stream *stream, const struct topo_alltoallv *call, bool sends);

/* Of a message of `bytes`, or a part of one, how long the segment is that starts at `offset`: the same at both ends. */
static inline size_t topo_p2p_segment(size_t bytes, size_t offset)
{
    size_t rest = bytes - offset;
    return bytes > (size_t)TOPO_P2P_SEGMENT * TOPO_P2P_SEGMENTS_MAX || rest < TOPO_P2P_SEGMENT ? rest
                                                                                               : TOPO_P2P_SEGMENT;
}

/* The most requests that all messages of this direction need in segments, and `parts` of them in parts. */
size_t topo_p2p_stream_requests(const struct topo_p2p_stream *stream, size_t parts);

/* Starts the bytes `offset` to `offset + length` of the message to, or from, `peer`; all of it by its type, a part
 * (of up to INT_MAX bytes) as it would be packed. `length` > 0. Returns an MPI error code. */
int topo_p2p_stream_start(struct topo_p2p_stream *stream, int peer, size_t offset, size_t length, MPI_Request *request);

/* Frees; puts what came in parts into the receive buffer (`unpack`: it has all come). Returns an MPI error code. */
int topo_p2p_stream_close(struct topo_p2p_stream *stream, bool unpack);

#endif
