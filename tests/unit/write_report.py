"""Writes a JSON report as topo-bench does: two sizes, three algorithms, of which the second is twice as fast as native and
the third applies at the first size only. write_report.py FILE [STATEMENT]: of Python, on the report `r`; times(MEDIAN)
gives the figures of one algorithm in microseconds."""
import json
import sys


def times(median):
    return {"samples": 9, "calls_per_sample": 1, "min_us": median / 2, "median_us": median, "max_us": 2 * median,
            "mean_us": median, "correct": True, "failed": False}


def size(length, bound, native, auto, ring):
    results = [dict(times(median), algorithm=name) if median else {"algorithm": name, "samples": 0, "failed": False}
               for name, median in (("native", native), ("auto", auto), ("ring<&>", ring))]
    return {"bytes": length, "bound_us": bound, "bound_level": "node", "auto": "ring", "results": results}


r = {"tool": "topo-bench", "operation": "allgather", "label": "4x4", "mpi": "Open MPI 9.9.9", "ranks": 16, "nodes": 4,
     "node_ranks": "4 4 4 4", "placement": "by slot", "data": "contiguous", "split": 1, "statistic": "median",
     "levels": [{"level": "node", "units": 4, "nominal": 125e6, "measured": 120e6}],
     "sizes": [size(64, 5, 400, 200, 300), size(65536, 5000, 20000, 10000, 0)]}
exec("\n".join(sys.argv[2:]))
with open(sys.argv[1], "w") as file:
    json.dump(r, file)
