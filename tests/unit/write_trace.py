#!/usr/bin/env python3
"""write_trace.py FOLDER: a trace of four ranks on two nodes, byte by byte as topompi-trace(5) says.

Interval "mixed": rank r computes r + 1 ms; then an allgather of 1 KiB, an allreduce of 4 KiB, an alltoallv of 512 bytes to
each other rank, a barrier and a broadcast of 4 KiB from rank 1, 0.1 ms each from its last rank's entry on. Behind it 2 ms in
point-to-point calls, a message of 1 KiB to the rank two further on, and 1 ms of computation. Waits for a core: 0.25 ms."""
import os
import sys

RANKS = 4
MS = 1000000
OPERATIONS = {"barrier": 1, "bcast": 2, "allreduce": 4, "allgather": 9, "alltoallv": 12}


def unsigned(value):
    out = b""
    while True:
        out += bytes([value & 0x7F | (0x80 if value > 0x7F else 0)])
        value >>= 7
        if not value:
            return out


def signed(value):
    return unsigned(value << 1 if value >= 0 else (-value << 1) - 1)


def text(words):
    return unsigned(len(words)) + words.encode()


def record(kind, *fields):
    payload = b"".join(unsigned(field) if isinstance(field, int) else field for field in fields)
    return kind.encode() + unsigned(len(payload)) + payload


def rank_file(rank):
    ahead = 3600 * 1000 * MS * (rank // 2)  # the second node was started an hour before the first
    out = b"TOPOTRC1"
    out += record("J", 42, RANKS, rank, text(f"node{rank // 2}"), text("program"), text("0"), 1, signed(0), signed(-ahead),
                  7 * MS + ahead)
    out += record("S", 1, text("mixed")) + record("S", 2, text("p.c")) + record("S", 3, text("ring"))
    out += record("G", 1, RANKS, rank, 0, signed(1), RANKS)
    out += record("V", 1, RANKS, *[0 if other == rank else 512 for other in range(RANKS)])
    out += record("B", 0, 0, 1, 2, 17)
    work = (rank + 1) * MS
    for operation, algorithm, root, size, vector in (("allgather", 3, 0, 1024, 0), ("allreduce", 0, 0, 4096, 0),
                                                     ("alltoallv", 0, 0, 0, 1), ("barrier", 0, 0, 0, 0),
                                                     ("bcast", 0, 1, 4096, 0)):
        waited = RANKS * MS - work if work else 0
        out += record("C", work + (MS // 4 if work else 0), work, OPERATIONS[operation], algorithm, 1, root, size, vector,
                      waited + MS // 10)
        work = 0
    out += record("E", 0, 0)
    out += record("P", 2, 2 * MS, 1, (rank + 2) % RANKS, 1, 1024)
    return out + record("F", MS, MS)


for number in range(RANKS):
    with open(os.path.join(sys.argv[1], f"rank-{number:06}.topotrace"), "wb") as file:
        file.write(rank_file(number))
