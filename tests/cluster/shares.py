#!/usr/bin/env python3
"""Where a traced program's time is: shares.py FOLDER prints seconds a rank in its collectives, by operation and by the ranks
and nodes of the communicator, how many calls went by our algorithms, and seconds in point-to-point calls.
FOLDER is what TOPOMPI_TRACE filled; TOPOMPI=off beside it: of the native calls (topompi-trace(5))."""
import collections
import glob
import os
import sys

OPERATIONS = ("", "barrier", "bcast", "reduce", "allreduce", "gather", "gatherv", "scatter", "scatterv", "allgather",
              "allgatherv", "alltoall", "alltoallv", "alltoallw", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")


class Record:
    """One record of a trace, its fields read one after the other."""

    def __init__(self, data, at):
        self.kind, self.data, self.at = chr(data[at]), data, at + 1
        length = self.number()
        self.end = self.at + length

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.number()
        return value >> 1 if value % 2 == 0 else -(value + 1 >> 1)

    def text(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at].decode(errors="replace")


def records(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 8
    while at < len(data) and data[at]:
        record = Record(data, at)
        yield record
        at = record.end


def group_of(record):
    """Its id and the ranks of MPI_COMM_WORLD in it."""
    number, size, _ = record.number(), record.number(), record.number()
    ranks = []
    while len(ranks) < size:
        first, step, count = record.number(), record.signed(), record.number()
        ranks += range(first, first + step * count, step) if step else [first] * count
    return number, ranks


def read_rank(path, node_of, add):
    groups = {0: ()}
    passed = 0  # ns from the start to the last event
    for record in records(path):
        if record.kind == "J":
            record.number(), record.number(), record.number()
            host = record.text()
            node_of[os.path.basename(path)] = host
        elif record.kind == "G":
            number, groups[number] = group_of(record)
        elif record.kind == "P":
            calls, spent = record.number(), record.number()
            add("point-to-point", (), calls, 0, spent)
            passed += spent
        elif record.kind in "BEF":
            passed += record.number()
        elif record.kind == "C":
            passed += record.number()
            record.number()
            operation, algorithm, group = record.number(), record.number(), record.number()
            record.number(), record.number(), record.number()
            spent = record.number()
            add(OPERATIONS[operation], groups[group], 1, algorithm != 0, spent)
            passed += spent
    return passed


def read(folder):
    """Seconds a rank, and {(operation, ranks, nodes): [calls, of them ours, seconds]}, all of them per rank."""
    paths = sorted(glob.glob(os.path.join(folder, "rank-*.topotrace")))
    rows, node_of, total = collections.defaultdict(lambda: [0, 0, 0]), {}, 0

    def add(operation, ranks, calls, ours, spent):
        row = rows[operation, tuple(ranks)]
        row[0], row[1], row[2] = row[0] + calls, row[1] + ours, row[2] + spent

    for path in paths:
        total += read_rank(path, node_of, add)
    hosts = [node_of[os.path.basename(path)] for path in paths]
    found = collections.defaultdict(lambda: [0, 0, 0])
    for (operation, ranks), row in rows.items():
        key = operation, len(ranks), len({hosts[rank] for rank in ranks})
        for i, scale in enumerate((1, 1, 1e-9)):
            found[key][i] += row[i] * scale / len(paths)
    return total * 1e-9 / max(1, len(paths)), found


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    total, rows = read(sys.argv[1])
    if not rows:
        sys.exit("shares.py: no trace in " + sys.argv[1])
    print("| operation | ranks | nodes | calls | ours | seconds | share |\n|---|---:|---:|---:|---:|---:|---:|")
    for (operation, ranks, nodes), (calls, ours, seconds) in sorted(rows.items(), key=lambda row: -row[1][2]):
        print("| %s | %s | %s | %.0f | %.0f | %.3f | %.1f %% |" % (operation, ranks or "", nodes or "", calls, ours, seconds,
                                                             100 * seconds / total))
    print("\n%.3f s from MPI_Init to MPI_Finalize; each figure is the mean of all ranks." % total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
