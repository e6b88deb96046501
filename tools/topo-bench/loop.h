/* The exchange as programs write it without a schedule, for comparison (docs/REFERENCES.md, Schedule 5 and
 * Redistribution 7): a loop over the ranks, from rank 0 on or each rank from itself on. */
#ifndef TOPO_BENCH_LOOP_H
#define TOPO_BENCH_LOOP_H

#include "topo-bench/blocks.h"

/* What a rank waits for after each iteration, in the order of the words. */
enum bench_loop_sync { BENCH_LOOP_NONE, BENCH_LOOP_SEND, BENCH_LOOP_SENDRECV, BENCH_LOOP_SYNCS };

/* "none", "send", "sendrecv". */
const char *bench_loop_sync_word(enum bench_loop_sync sync);

/* Sends every block that is not empty. Iteration k of rank r: from_self: sends to r + k and receives from r - k, else
 * both with rank k. NONE: all receives, then all sends, then it waits for all. SEND: all receives, then one after the
 * other a send and its end. SENDRECV: one after the other both and their ends. An MPI error code. Cost: alpha + longest
 * message times beta an iteration, more where senders meet at a receiver. */
int bench_loop_run(const struct bench_blocks *blocks, bool from_self, enum bench_loop_sync sync, MPI_Comm comm);

#endif
