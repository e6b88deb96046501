#!/usr/bin/env python3
"""What topo-bench guidelines found, as Markdown tables of docs/measurements/guidelines.md.

    tests/cluster/guidelines.py FILE.json...

Files are starts of one job, by topo-bench guidelines --json. Kept or broken is what is so in every start, the rest is unclear; a
time and a ratio are the median of the starts'."""
import json
import math
import statistics
import sys

VERDICTS = ("kept", "broken", "unclear")


def read(path):
    """{what was compared: the comparison} of one start, and who ran it."""
    try:
        with open(path, encoding="utf-8") as file:
            root = json.load(file)
        if root["tool"] != "topo-bench guidelines":
            raise KeyError("tool")
        found = {tuple(one[key] for key in ("guideline", "operation", "left", "right", "by", "calls", "bytes", "late", "calls_late")):
                 one for one in root["comparisons"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit("guidelines.py: %s: not written by topo-bench guidelines --json (%s)" % (path, error))
    where = "%d nodes, %s" % (root["nodes"], root["placement"]) if root["nodes"] > 1 else "one node"
    return found, "%d ranks on %s, %s" % (root["ranks"], where, root["mpi"])


def merge(starts):
    """What all starts have, each with its verdict, ratio and times."""
    merged = []
    for key in starts[0]:
        ones = [start[key] for start in starts if "verdict" in start.get(key, {})]
        if len(ones) < len(starts):
            continue
        verdicts = {one["verdict"] for one in ones}
        merged.append(dict(ones[0], verdict=verdicts.pop() if len(verdicts) == 1 else "unclear",
                           **{name: statistics.median(one[name] for one in ones) for name in ("ratio", "left_us", "right_us")}))
    return merged


def row(cells):
    print("| %s |" % " | ".join(map(str, cells)))


def mean(ratios):
    return "%.2f" % math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else "-"


def counts(merged):
    """Verdicts by kind of guideline, library and calls."""
    ways = [(by, calls) for by in ("native", "auto") for calls in ("streaming", "isolated")
            if any(one["by"] == by and one["calls"] == calls for one in merged)]
    row(["guideline"] + ["%s, %s" % way for way in ways])
    print("|---|" + "---:|" * len(ways))
    for kind in dict.fromkeys(one["guideline"] for one in merged):
        cells = []
        for by, calls in ways:
            of = [one["verdict"] for one in merged if (one["guideline"], one["by"], one["calls"]) == (kind, by, calls)]
            cells.append(" / ".join(str(of.count(verdict)) for verdict in VERDICTS) if of else "-")
        row([kind] + cells)


def broken(merged):
    """A row for each guideline that is broken at some size: its ratios by size."""
    rows = {}
    for one in merged:
        if one["verdict"] == "broken" and one["guideline"] != "arrival":
            rows.setdefault((one["by"], "%s <= %s" % (one["left"], one["right"]), one["calls"]), []).append(one)
    row(["by", "broken guideline", "calls", "bytes: ratio (left us, right us)"])
    print("|---|---|---|---|")
    for (by, words, calls), ones in sorted(rows.items(), key=lambda item: (item[0][0] == "auto", item[0])):
        row([by, words.replace("<=", "≤"), calls,
             "; ".join("%d: %.2f (%.1f, %.1f)" % (one["bytes"], one["ratio"], one["left_us"], one["right_us"]) for one in ones)])


def arrivals(merged):
    """auto over native, by who comes late and by how many native calls."""
    late = [one for one in merged if one["guideline"] == "arrival"]
    sizes = sorted({one["bytes"] for one in late if one["bytes"]})
    row(["who is late", "by"] + ["%d B" % size for size in sizes] + ["barrier", "broken", "of"])
    print("|---|---:|" + "---:|" * (len(sizes) + 3))
    for who, by in dict.fromkeys((one["late"], one["calls_late"]) for one in late):
        of = [one for one in late if (one["late"], one["calls_late"]) == (who, by)]
        row([who, "%g" % by] + [mean([one["ratio"] for one in of if one["bytes"] == size]) for size in sizes + [0]] +
            [sum(one["verdict"] == "broken" for one in of), len(of)])
    worst = sorted((one for one in late if one["verdict"] == "broken"), key=lambda one: -one["ratio"])
    if worst:
        print("\nBroken: " + "; ".join(
            "%s of %d bytes, %s, %s %g: %.2f" % (one["operation"], one["bytes"], one["calls"], one["late"], one["calls_late"], one["ratio"])
            for one in worst) + ".")


def main(paths):
    if not paths or paths[0] in ("-h", "--help"):
        sys.exit(__doc__ if paths else "guidelines.py: a file of topo-bench guidelines --json is missing")
    found = [read(path) for path in paths]
    if len({job for _, job in found}) > 1:
        sys.exit("guidelines.py: the files are of different jobs: " + "; ".join(dict.fromkeys(job for _, job in found)))
    merged = merge([start for start, _ in found])
    print("%s, %d start%s; kept / broken / unclear:\n" % (found[0][1], len(paths), "s" * (len(paths) != 1)))
    counts(merged)
    print()
    broken(merged)
    if any(one["guideline"] == "arrival" for one in merged):
        print()
        arrivals(merged)


main(sys.argv[1:])
