# topo-predict --format html: one self-contained page of the predictions. Reads topo-predict's JSON from standard input and
# writes to the file that is the argument, "-" being standard output. Python 3.6 or later.
import html
import json
import os
import sys

# Where the processors' time of an interval went: name, colour, key of the figure in the interval or in its sums. The
# second's name differs for runs of MPI.
PARTS = [("productive", "#009e73", "Productive_time"), ("insufficient parallelism", "#e69f00", "Insuff_parallelism"),
         ("communication", "#0072b2", "Communication"), ("synchronization", "#56b4e9", "Synchronization"),
         ("idle", "#999999", "Idle")]
HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\
<title>topo-predict</title>
<style>
body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;max-width:1600px;padding:12px;color:#222}
h1{font-size:1.4em;margin:.4em 0}h2{font-size:1.15em;margin:1.2em 0 .4em;border-bottom:1px solid #ccc}
details{border-left:3px solid #ddd;margin:.5em 0;padding-left:10px}summary{cursor:pointer;padding:4px 0}
.bar{display:flex;height:16px;border-radius:3px;overflow:hidden;background:#eee;margin:3px 0}
.bar span{height:100%;min-width:0}.key span{display:inline-block;margin-right:14px}
.key i{display:inline-block;width:11px;height:11px;margin-right:5px;border-radius:2px}
.scroll{overflow-x:auto}table{border-collapse:collapse;margin:.5em 0;font-size:13px}
th,td{border:1px solid #ddd;padding:2px 7px;text-align:right}td{white-space:nowrap}th:first-child,td:first-child\
{text-align:left;position:sticky;left:0;background:#fff;white-space:normal;overflow-wrap:anywhere;min-width:9em}thead th{background:#f4f4f4}
td.in{padding-left:calc(7px + min(var(--in)*12px,180px))}
@media(max-width:600px){td.in{padding-left:calc(7px + min(var(--in)*6px,9vw))}th:first-child,td:first-child{min-width:28vw;max-width:34vw;white-space:normal;overflow-wrap:anywhere}}
.note{color:#a00}.muted{color:#666;font-size:13px}nav a{margin-right:12px}
details>nav{font-size:13px}:target{outline:2px solid #0072b2}
</style></head><body>
"""


# A link to an interval opens everything that it is in.
SCRIPT = """<script>
function show(){var at=document.getElementById(location.hash.slice(1));if(!at)return;
for(var up=at;up;up=up.parentElement)if(up.tagName=="DETAILS")up.open=true;at.scrollIntoView()}
addEventListener("hashchange",show);show()
</script>
"""


def numbered(predictions):
    """Gives every interval its anchor and the anchors around it: outer, previous, next in the order of the page."""
    for number, one in enumerate(predictions):
        order = []

        def walk(interval, outer, place):
            interval["anchor"], interval["outer"] = place, outer
            order.append(interval)
            for child, inner in enumerate(interval["intervals"]):
                walk(inner, place, "%s-%d" % (place, child))

        walk(one["program"], "p%d" % number, "i%d" % number)
        for place, interval in enumerate(order):
            interval["previous"] = order[place - 1]["anchor"] if place else None
            interval["next"] = order[place + 1]["anchor"] if place + 1 < len(order) else None


def navigation(interval):
    places = (("summary", "summary"), ("outer interval" if interval["previous"] else "machine", interval["outer"]),
              ("previous", interval["previous"]), ("next", interval["next"]))
    inner = "".join('<a href="#%s">%s</a>' % (one["anchor"], name_of(one)) for one in interval["intervals"])
    return "<nav>%s%s</nav>\n" % ("".join('<a href="#%s">%s</a>' % (place, word) for word, place in places if place),
                                  "inside: " + inner if inner else "")


def escaped(text):
    return html.escape(text, quote=False).replace('"', "&quot;")


def time_text(seconds):
    size = abs(seconds)
    return ("0" if size == 0 else "%.1f \u00b5s" % (seconds * 1e6) if size < 1e-3 else
            "%.3f ms" % (seconds * 1e3) if size < 1 else "%.3f s" % seconds)


def name_of(interval):
    return escaped(interval["title"])


def parts(interval):
    return [(name, shade, interval[key] if key in interval else interval["sum"][key]) for name, shade, key in PARTS]


def bar(interval):
    """The parts as shares of the width, one strip to an interval: no axis, so no chart."""
    spans = [(shade, name, 100 * seconds / interval["Total_time"]) for name, shade, seconds in parts(interval)
             if interval["Total_time"] > 0 and seconds > 0]
    return '<div class="bar">%s</div>\n' % "".join(
        '<span style="width:%.3f%%;background:%s" title="%s %.1f %%"></span>' % (percent, shade, name, percent)
        for shade, name, percent in spans)


def table(head, rows):
    return '<div class="scroll"><table><thead><tr>%s</tr></thead>\n%s</table></div>' % (
        "".join(head), "".join("<tr>%s</tr>\n" % "".join(row) for row in rows))


def characteristics(interval, metrics):
    """A row a processor, as there may be many; of runs of MPI those figures alone that there are."""
    if IS_MPI:
        metrics = [(name, label) for name, label in metrics if interval["sum"][name]]
    took_part = [(p, times) for p, times in enumerate(interval["per_processor"]) if times]
    return "<details><summary>%s</summary>%s</details>\n" % (
        "Times of every rank" if IS_MPI else "Characteristics of every processor", table(
        ["<th></th>"] + ["<th>%s</th>" % label for _, label in metrics],
        [["<td>%s</td>" % who] + ["<td>%s</td>" % time_text(times[name]) for name, _ in metrics]
         for who, times in [("sum", interval["sum"])] + took_part]))


def calls(one):
    """Collective calls by operation and length, most time first; nothing for programs of Lib-DVM."""
    if not one["calls"]:
        return ""
    total = one["program"]["Total_time"] or 1
    return "<details open><summary>Collective calls</summary>%s</details>\n" % table(
        ["<th>%s</th>" % word for word in ("operation", "bytes up to", "calls", "communication", "synchronization", "% of all")],
        [["<td>%s</td><td>%s</td><td>%d</td><td>%s</td><td>%s</td><td>%.1f</td>" % (
            row["operation"], row["up_to"], row["calls"], time_text(row["communication"]), time_text(row["synchronization"]),
            100 * (row["communication"] + row["synchronization"]) / total)] for row in one["calls"]])


def section(interval, metrics, level=0):
    return (
        "<details id=\"%s\"%s><summary><b>%s</b> \u2014 %s, efficiency %.2f%s</summary>\n<p class=\"muted\">entered %d, %d %s; "
        "total %s%s; productive CPU %s, system %s, I/O %s; calls:%s</p>\n%s%s%s</details>\n" % (
            interval["anchor"], " open" if level < 2 else "", name_of(interval), time_text(interval["Execution_time"]),
            interval["Efficiency"], bar(interval), interval["EXE_count"], interval["processors"], PROCESSORS,
            time_text(interval["Total_time"]),
            "".join(", %s %s" % (name, time_text(seconds)) for name, _, seconds in parts(interval)),
            time_text(interval["Productive_CPU_time"]), time_text(interval["Productive_SYS_time"]),
            time_text(interval["Productive_IO_time"]),
            ",".join(" %s %d" % (KINDS[kind], calls) for kind, calls in interval["operations"].items() if calls or not IS_MPI),
            navigation(interval),
            characteristics(interval, metrics),
            "".join(section(inner, metrics, level + 1) for inner in interval["intervals"])))


def side_by_side(intervals, level=0):
    """One interval in every prediction, None where it has none, and those inside it; the shortest, and what looks like
    it, is in bold."""
    least = min(one["Execution_time"] for one in intervals if one)
    cells = []
    for one in intervals:
        text = '<a href="#%s">%s</a>' % (one["anchor"], time_text(one["Execution_time"])) if one else "\u2013"
        best = one and one["Execution_time"] <= least * 1.0005
        cells.append("<td><b>%s</b></td>" % text if best else "<td>%s</td>" % text)
    rows = [['<td class="in" style="--in:%d">%s</td>' % (level, name_of(intervals[0]))] + cells]
    for inner in intervals[0]["intervals"]:
        twins = [next((i for i in one["intervals"] if i["title"] == inner["title"]), None) if one else None
                 for one in intervals[1:]]
        rows += side_by_side([inner] + twins, level + 1)
    return rows


def summary(predictions):
    rows = []
    for number, one in enumerate(predictions):
        root = one["program"]
        rows.append(['<td>%d. <a href="#p%d">%s</a></td><td>%d</td><td>%s</td><td>%.3f</td>' % (
            number + 1, number, escaped(one["machine"]), root["processors"], time_text(root["Execution_time"]),
            root["Efficiency"])] + ["<td>%s</td>" % time_text(seconds) for _, _, seconds in parts(root)])
    head = ["<th>%s</th>" % word for word in ("machine", PROCESSORS, "time", "efficiency", "productive",
                                              PARTS[1][0] if IS_MPI else "lost: parallelism", "communication",
                                              "synchronization", "idle")]
    key = "".join('<span><i style="background:%s"></i>%s</span>' % (shade, name) for name, shade, _ in PARTS)
    return '<h2 id="summary">Summary</h2>\n%s\n<p class="key">%s</p>\n' % (table(head, rows), key)


def page(all_of_it):
    predictions, metrics = all_of_it["predictions"], list(all_of_it["labels"].items())
    numbered(predictions)
    out = HEAD + "<h1>Prediction of %s</h1>\n" % escaped(all_of_it["trace"])
    for note in all_of_it["notes"]:
        out += '<p class="%s">%s</p>\n' % ("note" if note["kind"] == "error" else "muted", escaped(note["text"]))
    out += summary(predictions)
    if len(predictions) > 1:
        head = ['<th>time</th>'] + ['<th><a href="#p%d" title="%s">%d</a></th>' % (n, escaped(one["machine"]), n + 1)
                                    for n, one in enumerate(predictions)]
        out += '<h2 id="intervals">Intervals</h2>\n%s\n' % table(
            head, side_by_side([one["program"] for one in predictions]))
    for number, one in enumerate(predictions):
        following = '<a href="#p%d">next</a>' % (number + 1) if number + 1 < len(predictions) else ""
        out += '<h2 id="p%d">%s</h2>\n%s%s<nav><a href="#summary">summary</a>%s</nav>\n' % (
            number, escaped(one["machine"]), calls(one), section(one["program"], metrics), following)
    return out + SCRIPT + "</body></html>\n"


given = json.loads(sys.stdin.buffer.read().decode("utf-8", "replace"))
IS_MPI, KINDS = given["native"] is not None, given["kinds"]
PROCESSORS = "ranks" if IS_MPI else "processors"
PARTS[1] = (given["sharing"],) + PARTS[1][1:]
text = page(given)
try:
    with open(sys.argv[1], "wb") if sys.argv[1] != "-" else os.fdopen(1, "wb") as file:
        file.write(text.encode("utf-8", "replace"))
except OSError as error:
    sys.exit("topo-predict: %s: %s" % (sys.argv[1], error.strerror))
