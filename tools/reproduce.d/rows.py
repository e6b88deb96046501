"""What the modules share: rows, and commands of this build."""
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile

BUILD = os.environ.get("TOP_BUILDDIR", ".")
SOURCE = os.environ.get("TOP_SRCDIR", ".")


def is_asked_for(figure, asked):
    """7 asks for 7a and 7b."""
    return figure in asked or (figure[-1:].isalpha() and figure[:-1] in asked)


class Rows:
    """Rows and charts of one document; the second argument of a module says how much to measure."""

    def __init__(self):
        if len(sys.argv) != 3 or sys.argv[2] not in ("quick", "full"):
            sys.exit("usage: %s OUT.json quick|full" % os.path.basename(sys.argv[0]))
        self.out, self.quick = sys.argv[1], sys.argv[2] == "quick"
        self.figures = os.environ.get("REPRODUCE_FIGURES", "").split()
        self.rows, self.charts, self.failed = [], [], False

    def wanted(self, *figures):
        return not self.figures or any(is_asked_for(figure, self.figures) for figure in figures)

    def has(self, figure):
        return any(row["figure"] == figure for row in self.rows)

    def add(self, figure, quantity, document, ours, unit, command, note="", runs=None, least=None, most=None, by_hand=False, of="", at=""):
        """`ours` is the median or mean of so many `runs`, from `least` to `most`; `by_hand`: the document has the formula, and
        its value was worked out by us. Values of one quantity that have `of` make a table: a column for each, a line for each
        `at`."""
        self.rows.append({"figure": figure, "quantity": quantity, "document": document, "ours": ours, "unit": unit,
                          "command": command, "note": note, "runs": runs, "least": least, "most": most, "by_hand": by_hand,
                          "of": of, "at": at})

    def about(self, figure, text):
        """Of what was repeated: on what, and what is idealised. Shown where the figure is."""
        self.rows.append({"kind": "about", "figure": figure, "about": text})

    def claim(self, figure, claim, holds, why):
        """What the document says, and whether it is so here: True, False, or a word such as "in part"."""
        answer = {True: "yes", False: "no"}.get(holds, holds)
        self.rows.append({"kind": "claim", "figure": figure, "claim": claim, "answer": answer, "why": why})

    def choice(self, figure, choice):
        """What the document leaves open or has damaged, and how it is done here."""
        self.rows.append({"kind": "choice", "figure": figure, "choice": choice})

    def chart(self, figure, title, x, y, lines):
        """x and y: titles of the axes; lines: (name, [(x, y), ...])."""
        self.charts.append({"figure": figure, "title": title, "x": x, "y": y,
                            "lines": [{"name": name, "points": points} for name, points in lines]})

    def picture(self, figure, title, svg):
        """A picture that a tool of ours has drawn."""
        self.charts.append({"figure": figure, "title": title, "svg": svg})

    def write(self):
        with open(self.out, "w") as file:
            json.dump(self.rows, file, indent=1)
        with open(os.path.join(os.path.dirname(self.out), "charts.json"), "w") as file:
            json.dump(self.charts, file, indent=1)
        sys.exit(1 if self.failed else 0)

    def fail(self, figure, why):
        self.failed = True
        print("reproduce: figure %s: %s" % (figure, why), file=sys.stderr)


def spread(values, scale):
    """runs, least and most of add()."""
    return {"runs": len(values), "least": min(values) * scale, "most": max(values) * scale}


def sampled(result, scale):
    """The same of a result of topo-bench."""
    return {"runs": result["samples"], "least": result["min_us"] * scale, "most": result["max_us"] * scale}


def slope(points):
    """The exponent b of y = a x^b through (x, y), by least squares of the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    x_mean, y_mean = (sum(column) / len(logs) for column in zip(*logs))
    return sum((x - x_mean) * (y - y_mean) for x, y in logs) / sum((x - x_mean) ** 2 for x, _ in logs)


def shown(words):
    """The command as one types it in the build folder."""
    return " ".join(shlex.quote(word) for word in words)


def run(words, timeout=600, variables=()):
    """Standard output of a tool of this build, and how to repeat it. words[0] is its path in the source, `variables` are
    NAME=VALUE."""
    folder = SOURCE if words[0].startswith("tests/") else BUILD
    result = subprocess.run([os.path.join(folder, words[0])] + [
        os.path.join(BUILD, word) if word.startswith("tools/topo-") else word for word in words[1:]],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
        env=dict(os.environ, **dict(one.split("=", 1) for one in variables)))
    if result.returncode:
        raise RuntimeError("%s: exit status %d: %s" % (shown(words), result.returncode,
                                                       result.stderr.decode(errors="replace")[-400:]))
    return result.stdout.decode(), shown(list(variables) + words)


def run_json(words, timeout=600):
    text, command = run(words, timeout)
    return json.loads(text), command


def simulated(machine, operation, sizes, names):
    """{bytes: {name: seconds}} on a machine of tests/sim/machines, and the command; names are those of our algorithms."""
    words = ["tests/sim/run", machine, operation, ",".join(map(str, sizes)), ",".join("ours:" + name for name in names)]
    text, command = run(words, timeout=1500)
    times = {}
    for line in text.splitlines():
        _, size, name, microseconds, _, right = line.split()[:6]
        if right not in ("ok", "right", "-", "yes"):
            raise RuntimeError("%s: a wrong result: %s" % (command, line))
        times.setdefault(int(size), {})[name.split(":", 1)[1]] = float(microseconds) * 1e-6
    return times, command


def in_cluster(nodes, slots, words, out, rate="1gbit", variables=()):
    """A command in an emulated cluster; topo-bench writes its report to `out`. The library's variables reach every rank."""
    command = ["tests/cluster/cluster", "with", "--nodes", str(nodes), "--slots", str(slots), "--rate", rate, "--",
               "run", "--"] + words
    report = os.path.join(tempfile.gettempdir(), "reproduce-%d.json" % os.getpid())
    try:
        run(command + ["--json", report], variables=variables)
        with open(report) as file:
            return json.load(file), shown(list(variables) + command + ["--json", out])
    finally:
        if os.path.exists(report):
            os.remove(report)
