# JSON reports of topo-bench, read and merged: what page.py shows.
import json
import os
import stat
import sys

TOOL = "topo-bench"


def fail(status, text):
    print("%s: %s" % (TOOL, "".join(c if c.isprintable() else "?" for c in text)), file=sys.stderr)
    sys.exit(status)


def text_of(value, key):
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def number_of(value, key):
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, (int, float)) and not isinstance(found, bool) else 0


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2 if values else 0


def ratio(a, b):
    """0, which stands for "not known", unless both are positive."""
    return a / b if a > 0 and b > 0 else 0


def is_native(algorithm):
    """Those of the MPI library: "native" and "native:COMPONENT"."""
    return algorithm.startswith("native")


class Result:
    """One algorithm at one size."""

    def __init__(self, one, statistic):
        self.seconds = number_of(one, "min_us" if statistic == "minimum" else "median_us") / 1e6
        self.sampled = number_of(one, "samples") > 0
        self.called = number_of(one, "calls_per_sample") > 0
        self.wrong = isinstance(one, dict) and one.get("correct") is False
        self.failed = isinstance(one, dict) and one.get("failed") is True

    def trouble(self):
        return " **wrong result**" if self.wrong else " **MPI error**" if self.failed else ""

    def merge(self, others, statistic):
        """With the results of other runs: one that was slow as a whole does not decide."""
        results = [self] + others
        times = [one.seconds for one in results if one.sampled]
        self.seconds = (min(times) if statistic == "minimum" else median(times)) if times else 0
        self.sampled = bool(times)
        self.called = any(one.called for one in results)
        self.wrong = any(one.wrong for one in results)
        self.failed = any(one.failed for one in results)


class Size:
    def __init__(self, one, algorithms, statistic):
        self.bytes = one["bytes"]
        self.bound = number_of(one, "bound_us") / 1e6
        self.took = text_of(one, "auto")
        self.results = {name: Result(result, statistic) for name, result in zip(algorithms, one["results"])}

    def seconds(self, algorithm):
        result = self.results.get(algorithm)
        return result.seconds if result else 0

    def fastest(self, native):
        """Of those that were sampled and gave right results, auto apart; None: there is none."""
        names = [name for name, one in self.results.items()
                 if is_native(name) == native and name != "auto" and one.called and not one.wrong and not one.failed and
                 one.seconds > 0]
        return min(names, key=self.seconds) if names else None

    def against_native(self):
        return ratio(self.seconds("auto"), self.seconds(self.fastest(True)))

    def against_bound(self):
        return ratio(self.seconds("auto"), self.bound)


class Report:
    def __init__(self, root, path):
        self.path, self.runs = path, 1
        for key in ("operation", "label", "mpi", "node_ranks", "placement", "data", "statistic"):
            setattr(self, key, text_of(root, key))
        self.ranks, self.nodes, self.split = (int(number_of(root, key)) for key in ("ranks", "nodes", "split"))
        self.levels = [{"level": text_of(one, "level"), "nominal": number_of(one, "nominal"),
                        "measured": number_of(one, "measured")} for one in root["levels"]]
        self.algorithms = [one["algorithm"] for one in root["sizes"][0]["results"]]
        self.sizes = [Size(one, self.algorithms, self.statistic) for one in root["sizes"]]

    def key(self):
        """Equal in reports that measured the same thing."""
        return (self.operation, self.label, self.placement, self.node_ranks, self.data, self.mpi, self.split,
                self.statistic)

    def merge(self, others):
        """Sizes and algorithms stay this run's; the others may lack some."""
        for size in self.sizes:
            same = [s for s in (next((s for s in one.sizes if s.bytes == size.bytes), None) for one in others) if s]
            for name, result in size.results.items():
                result.merge([s.results[name] for s in same if name in s.results], self.statistic)
            size.bound = median([s.bound for s in [size] + same if s.bound > 0])
        for number, level in enumerate(self.levels):
            level["measured"] = median([m for m in (one.levels[number]["measured"] for one in [self] + others
                                                    if number < len(one.levels)) if m > 0])
        self.runs += len(others)

    def describe(self):
        return "%d ranks on %d node%s (%s), %s%s" % (
            self.ranks, self.nodes, "" if self.nodes == 1 else "s", self.node_ranks, self.placement,
            ", %d communicators at once" % self.split if self.split > 1 else "")


def has_shape(root):
    """What the reader cannot do without; all else may be missing."""
    sizes = root.get("sizes") if isinstance(root, dict) else None
    if not sizes or root.get("tool") != TOOL or not isinstance(root.get("levels"), list) or not isinstance(sizes, list):
        return False
    for size in sizes:
        results = size.get("results") if isinstance(size, dict) else None
        if not isinstance(results, list) or not results or len(results) != len(sizes[0]["results"]):
            return False
        if type(size.get("bytes")) is not int or size["bytes"] < 1:
            return False
        if not all(isinstance(one, dict) and isinstance(one.get("algorithm"), str) for one in results):
            return False
    return True


def refuse_number(word):
    raise ValueError("%s: no number of a report" % word[:40])


def finite(word):
    return float(word) if abs(float(word)) < 1e300 else refuse_number(word)


def whole(word):
    return int(word) if len(word) < 19 else refuse_number(word)


def read(path):
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            fail(1, "%s: not a regular file" % path)
        with open(path, "rb") as file:
            content = file.read().decode("utf-8")
        root = json.loads(content, parse_float=finite, parse_int=whole, parse_constant=refuse_number)
    except OSError as error:
        fail(1, "%s: %s" % (path, error.strerror))
    except json.JSONDecodeError as error:
        fail(2, "%s:%d: %s" % (path, error.lineno, error.msg))
    except (ValueError, RecursionError) as error:
        fail(2, "%s: %s" % (path, error))
    if not has_shape(root):
        fail(2, "%s: no report of topo-bench (its --json option writes them)" % path)
    return Report(root, path)


def read_all(paths):
    """The reports, runs of one measurement as one, in the order of their first runs."""
    things = {}
    for report in map(read, paths):
        things.setdefault(report.key(), []).append(report)
    for first, *others in things.values():
        if others:
            first.merge(others)
    return [runs[0] for runs in things.values()]
