"""The page: Markdown of at most WIDTH columns, made of rows (rows.py) and charts."""
import math
import os
import re
import sys
import textwrap

import chart

WIDTH = 120


def wrapped(text, indent=""):
    return textwrap.fill(" ".join(text.split()), WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def value_text(value):
    if not isinstance(value, (int, float)):
        return str(value)
    if value and abs(value) < 0.001:
        return "%.3g" % value
    return "{:,.4g}".format(value) if abs(value) < 10000 else "{:,.0f}".format(value)


def widths_of(lines):
    """Of the columns of a table: what they need, the widest ones less until all fit, none less than its longest word."""
    columns = list(zip(*lines))
    widths = [max(map(len, column)) for column in columns]
    least = [max(len(word) for cell in column for word in cell.split() or [""]) for column in columns]
    while sum(widths) + 3 * len(widths) + 1 > WIDTH:
        wide = [at for at in range(len(widths)) if widths[at] > least[at]]
        if not wide:
            break
        widths[max(wide, key=lambda at: widths[at])] -= 1
    return widths


def table(head, lines):
    """Cells that are too long go on in a row below, whose other cells are empty."""
    lines = [[" ".join(str(cell).split()).replace("|", "\\|") for cell in line] for line in lines]
    widths = widths_of([list(head)] + lines)
    out = "| %s |\n|%s\n" % (" | ".join(head), "---|" * len(head))
    for line in lines:
        parts = [textwrap.wrap(cell, max(width, 1), break_long_words=False, break_on_hyphens=False) or [""]
                 for cell, width in zip(line, widths)]
        for at in range(max(map(len, parts))):
            out += "| %s |\n" % " | ".join(part[at] if at < len(part) else "" for part in parts)
    return out


def is_kind(row, kind):
    return row.get("kind", "figure") == kind


def unique(values):
    return list(dict.fromkeys(values))


def spread_text(row):
    """"101: 12.3 to 15.6": of so many runs."""
    return "%d: %s to %s" % (row["runs"], value_text(row["least"]), value_text(row["most"])) if row.get("runs") else ""


def ratio_text(row):
    document, ours = row["document"], row["ours"]
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (document, ours))
    return "%.3g" % (ours / document) if numbers and document else ""


def is_long(row):
    """Whether the values are text that needs room."""
    return isinstance(row["ours"], str) and len(row["ours"]) > 12


def ours_text(row):
    return "the same" if is_long(row) and row["ours"] == row["document"] else value_text(row["ours"])


def one_by_one(rows):
    """A table of single values."""
    notes, lines = set(), []
    for row in rows:
        note = row["note"] if row["note"] not in notes else ""
        notes.add(note)
        lines.append([str(row["figure"]), row["quantity"] + (" (%s)" % note if note else ""), row["unit"],
                      ("by hand: " if row.get("by_hand") else "") + value_text(row["document"]), ours_text(row), ratio_text(row),
                      spread_text(row)])
    head = ["figure", "what", "unit", "document", "ours", "ours / document", "runs: least to most"]
    keep = [at for at in range(len(head)) if at < 2 or any(line[at] for line in lines)]
    return table([head[at] for at in keep], [[line[at] for at in keep] for line in lines])


def spread_of(cells):
    """Of a line's medians: how many runs, and how far they went, in parts of each."""
    cells = [cell for cell in cells if cell.get("runs") and cell["ours"]]
    if not cells:
        return ""
    counts = [cell["runs"] for cell in cells]
    return "%s: %.2f to %.2f" % (counts[0] if min(counts) == max(counts) else "%d to %d" % (min(counts), max(counts)),
                                 min(cell["least"] / cell["ours"] for cell in cells),
                                 max(cell["most"] / cell["ours"] for cell in cells))


def crossed(rows):
    """A table of one quantity: a line for each `at`, a column for each `of`."""
    columns, lines = unique(row["of"] for row in rows), []
    for at in unique(row["at"] for row in rows):
        cells = {row["of"]: row for row in rows if row["at"] == at}
        lines.append([at] + [value_text(cells[of]["ours"]) if of in cells else "" for of in columns] + [spread_of(cells.values())])
    first = rows[0]
    says = "; the document: %s" % value_text(first["document"]) if first["document"] else ""
    text = "**%s**: %s%s%s.%s" % (first["figure"], first["quantity"], ", " + first["unit"] if first["unit"] else "", says,
                                  "".join(" %s." % note for note in unique(row["note"] for row in rows) if note))
    spread = any(line[-1] for line in lines)
    return wrapped(text) + "\n\n" + table([""] + columns + ["runs: least to most"] * spread,
                                          [line if spread else line[:-1] for line in lines])


def tables(rows):
    out = ""
    for long in (True, False):
        single = [row for row in rows if not row.get("of") and is_long(row) == long]
        out += one_by_one(single) + "\n" if single else ""
    groups = {}
    for row in rows:
        if row.get("of"):
            groups.setdefault((str(row["figure"]), row["quantity"]), []).append(row)
    return out + "".join(crossed(group) + "\n" for group in groups.values())


def claims(rows):
    if not rows:
        return ""
    return table(("figure", "the document says", "here", "by what"),
                 [[row[key] for key in ("figure", "claim", "answer", "why")] for row in rows]) + "\n"


def choices(rows):
    if not rows:
        return ""
    return "Left open by the document, damaged in our copy, or done otherwise:\n\n" + "".join(
        wrapped("- %s: %s" % (row["figure"], row["choice"]), "  ") + "\n" for row in rows) + "\n"


def joined(commands):
    """Commands that differ in numbers and a few words alone, as one: what differs in braces."""
    groups = {}
    for command in commands:
        words = re.findall(r"(?:'[^']*'|[^\s'])+", command)
        tool = next((word for word in words if "/" in word), "")
        groups.setdefault((len(words), tool, tuple(word for word in words if word.startswith("-"))), []).append(words)
    for group in groups.values():
        yield " ".join(same_part(unique(column)) for column in zip(*group))


def same_part(words):
    """Words as one: where they begin and end alike they do so outside the braces."""
    if len(words) == 1:
        return words[0]
    begin = os.path.commonprefix(words)
    begin = begin[:len(begin) - len(re.search(r"[\w.]*$", begin).group())]
    end = os.path.commonprefix([word[len(begin):][::-1] for word in words])[::-1]
    end = end[len(re.match(r"\w*", end).group()):]
    return "%s{%s}%s" % (begin, ",".join(word[len(begin):len(word) - len(end)] for word in words), end)


def folded(command):
    """In lines of WIDTH, as a shell reads them."""
    out, line = "", ""
    for word in command.split(" "):
        if line.strip() and len(line) + 1 + len(word) > WIDTH - 2:
            out, line = out + line + " \\\n", "   "
        line = line + " " + word if line else word
        while len(line) > WIDTH - 1:
            cut = line.rfind(",", 0, WIDTH - 1) + 1
            if not cut:
                break
            out, line = out + line[:cut] + "\\\n", line[cut:]
    return out + line + "\n"


def commands(rows):
    by_command, by_figures = {}, {}
    for row in rows:
        if row.get("command"):
            by_command.setdefault(row["command"], []).append(str(row["figure"]))
    for command, figures in by_command.items():
        by_figures.setdefault(", ".join(unique(figures)), []).append(command)
    if not by_figures:
        return ""
    return "```sh\n" + "".join("# %s\n%s" % (figures, "".join(folded(command) for command in joined(group)))
                               for figures, group in by_figures.items()) + "```\n"


def axis_of(values, title):
    """Of seconds: decades; of all else: from 0, ten steps at most. And which axes are logarithmic."""
    if title == "seconds":
        return chart.decades(min(values), max(values)), "xy"
    step = 10 ** math.floor(math.log10(max(values)))
    step = step / 5 if max(values) < 2 * step else step
    marks = [(k * step, "%g" % (k * step)) for k in range(int(max(values) / step) + 2)]
    return ((0, marks[-1][0]), marks), "x"


def svg_of(one):
    if "svg" in one:
        return one["svg"]
    points = [point for each in one["lines"] for point in each["points"]]
    if not points:
        return None
    y_axis, logarithmic = axis_of([y for _, y in points], one["y"])
    return chart.lines(one["title"], one["x"], one["y"], chart.size_marks([int(x) for x, _ in points]), y_axis, logarithmic,
                       [(each["name"], chart.colour(number), 2, None, [(x, y, None) for x, y in each["points"]])
                        for number, each in enumerate(one["lines"])])


def draw(charts, name, folder):
    """Pictures of the module's charts; the Markdown that shows them."""
    out, drawn = "", []
    if not charts or not chart.can_draw():
        return out
    os.makedirs(folder, exist_ok=True)
    for one in charts:
        drawn.append(str(one["figure"]))
        more = drawn.count(drawn[-1])
        path = os.path.join(folder, "%s-%s%s.svg" % (name, one["figure"], "-%d" % more if more > 1 else ""))
        try:
            svg = svg_of(one)
        except chart.ChartError as error:
            print("reproduce: %s: %s" % (path, error), file=sys.stderr)
            continue
        if svg is not None:
            with open(path, "w") as file:
                file.write(svg)
            out += "![%s](reproduction/%s)\n" % (one["title"], os.path.basename(path))
    return out + "\n" if out else ""


def measured_text(rows, when):
    """Which figures were measured when, of what tree."""
    groups = {}
    for row in rows:
        one = when.get(str(row["figure"]), {})
        figures = groups.setdefault((one.get("date", "?"), one.get("tree", "?")), [])
        if str(row["figure"]) not in figures:
            figures.append(str(row["figure"]))
    return "Measured: %s." % "; ".join("%s on %s (%s)" % (", ".join(figures), date, made)
                                       for (date, made), figures in groups.items())


def section(name, title, rows, charts, when, folder):
    """Of one document; `folder` gets its pictures, None: none are drawn."""
    about = " ".join(dict.fromkeys(row["about"] for row in rows if is_kind(row, "about")))  # figures of several runs say it again
    text = "\n## %s\n\n%s\n\n" % (title, wrapped(" ".join((about, measured_text(
        [row for row in rows if not is_kind(row, "about")], when)))))
    text += claims([row for row in rows if is_kind(row, "claim")]) + tables([row for row in rows if is_kind(row, "figure")])
    text += draw(charts, name, folder) if folder else ""
    return text + choices([row for row in rows if is_kind(row, "choice")]) + commands(rows)
