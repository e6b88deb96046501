# topo-bench report and --svg: the Markdown page of reports, and their charts. Runs behind chart.py and report.py; its
# arguments were checked by topo-bench: page PAGE PREFIX COMMAND SUMMARY NOTES NOTE... FILE..., chart SVG < JSON, or check.
PLACEMENTS = ("by slot", "by node", "mixed", "one node")
X_LABELS = {"allgather": "bytes of a rank's block", "alltoallv": "mean bytes from a rank to another"}


def packet_of(name):
    """cyclic@64K -> ("cyclic", 65536); None: it has no packet."""
    family, _, packet = name.rpartition("@")
    found = re.fullmatch(r"([0-9]+)([KMG]?)", packet)
    return (family, int(found[1]) << (10 * " KMG".index(found[2] or " "))) if family and found else None


def time_chart(report):
    """Time over size, a line for each algorithm; the bound dashed."""
    series, times = [], []
    for number, name in enumerate(report.algorithms):
        points = [(size.bytes, size.seconds(name) if size.seconds(name) > 0 else None,
                   "%s, %d bytes: %.1f \u00b5s" % (name, size.bytes, size.seconds(name) * 1e6)) for size in report.sizes]
        times += [y for _, y, _ in points if y]
        if any(y for _, y, _ in points):
            # Beyond ten colours repeat, dotted.
            series.append((name, colour(number), 2, "2,3" if number >= len(COLOURS) else None, points))
    bounds = [(size.bytes, size.bound if size.bound > 0 else None, None) for size in report.sizes]
    if not times:
        raise ChartError("%s: nothing was measured" % report.path)
    if any(y for _, y, _ in bounds):
        series.append(("bound of the links", "black", 1.5, "8,5", bounds))
    # A bound far below all times would squeeze them: it may leave the picture.
    high = max(times + [y for _, y, _ in bounds if y])
    title = "%s%s%s, %s" % (report.label, ": " if report.label else "", report.operation, report.describe())
    return lines(title, X_LABELS.get(report.operation, "bytes"), "", size_marks([size.bytes for size in report.sizes]),
                 decades(min(times), high), "xy", series)


def packet_chart(report):
    """MB/s over the packet, a line for each family of algorithms at each size; dashed: synchronously (@0)."""
    families, series, most, drawn = {}, [], 0, 0
    for name in report.algorithms:
        if packet_of(name):
            families.setdefault(packet_of(name)[0], []).append((packet_of(name)[1], name))
    axis = size_marks([packet for members in families.values() for packet, _ in members if packet])
    for family, members in families.items():
        for size in report.sizes:
            name, points, line_colour = "%s, %s" % (family, size_text(size.bytes)), [], colour(drawn)
            for packet, member in members:
                rate = ratio(size.bytes, size.seconds(member)) / 1e6
                most = max(most, rate)
                if rate and packet:
                    points.append((packet, rate, "%s, %s: %.1f MB/s" % (member, size_text(size.bytes), rate)))
                elif rate:
                    series.append((None, line_colour, 1.5, "8,5", [(x, rate, None) for x in axis[0]]))
            series.append((name, line_colour, 2, None, points))
            drawn += 1
    if not most:
        raise ChartError("%s: nothing was measured" % report.path)
    step = 10.0 ** math.floor(math.log10(1.1 * most))
    step = step / 5 if 1.1 * most / step < 3 else step
    title = "%s%spackets of %s, %s" % (report.label, ": " if report.label else "", report.operation, report.describe())
    return lines(title, "bytes of a packet (dashed: whole blocks, synchronously)", "MB/s", axis,
                 ((0, 1.1 * most), [(step * i, "%g" % (step * i)) for i in range(int(1.1 * most / step) + 1)]), "x", series)


def chart(report):
    packets = [name for name in report.algorithms if packet_of(name) and packet_of(name)[1]]
    return packet_chart(report) if len(packets) >= 2 else time_chart(report)


def time_text(seconds):
    us = seconds * 1e6
    return "-" if us <= 0 else "%.1f" % us if us < 100 else "%.0f" % us


def ratio_text(value, limit=math.inf):
    return "-" if value <= 0 else "**%.2f**" % value if value > limit else "%.2f" % value


def row(cells):
    return "| %s |\n" % " | ".join(cells)


def rate_text(rate):
    return "%.2f Gbit/s" % (rate * 8 / 1e9) if rate * 8 >= 1e10 else "%.1f Mbit/s" % (rate * 8 / 1e6)


def links(report):
    texts = []
    for level in report.levels:
        rates = ["%s %s" % (rate_text(level[kind]), kind) for kind in ("nominal", "measured") if level[kind] > 0]
        if rates:
            texts.append("%s %s" % (level["level"], ", ".join(rates)))
    return "; links: " + "; ".join(texts) if texts else ""


def mean(ratios):
    """The geometric one of what is known."""
    logs = [math.log(value) for value in ratios if value > 0]
    return math.exp(sum(logs) / len(logs)) if logs else 0


def table(reports, sizes, figure, limit, means):
    """A row for each report, a column for each size; what is above the limit stands out."""
    out = row(["cluster", "placement"] + [size_text(b) for b in sizes] + ["geometric mean"] * means)
    out += "|---|---|" + "---:|" * (len(sizes) + means) + "\n"
    for report in reports:
        at = {size.bytes: figure(size) for size in reversed(report.sizes)}
        cells = [ratio_text(at.get(b, 0), limit) for b in sizes]
        out += row([report.label or report.node_ranks, report.placement] + cells + [ratio_text(mean(at.values()))] * means)
    return out


def regret(reports):
    """How good auto's choice was: the time of the algorithm it took, as measured beside the others, over the time of
    the fastest of all. Nothing where only auto and native ones were measured."""
    found = []
    for size in (size for report in reports for size in report.sizes):
        best, native, taken = (size.seconds(name) for name in (size.fastest(False), size.fastest(True), size.took))
        if best > 0 and taken > 0:
            found.append(taken / (min(best, native) if native > 0 else best))
    if not found:
        return ""
    return ("\nTime of the algorithm that `auto` took over that of the fastest of all: geometric mean %.2f, at most %.2f, "
            "within 5 %% in %d of %d cases.\n" % (mean(found), max(found), sum(r <= 1.05 for r in found), len(found)))


def summary(reports, operation):
    reports = [report for report in reports if report.operation == operation and "auto" in report.algorithms]
    sizes = sorted({size.bytes for report in reports for size in report.sizes})
    if not sizes:
        return ""
    out = ("\n### %s\n\nTime of `auto` over the time of the fastest native, by size; below 1 is faster. **Bold** where it "
           "is more than 5 %% slower.\n\n" % operation)
    out += table(reports, sizes, Size.against_native, 1.05, True)
    for placement in PLACEMENTS:
        placed = [report for report in reports if report.placement == placement]
        ratios = [size.against_native() for report in placed for size in report.sizes]
        if len(placed) > 1:
            out += "| all | %s |%s %s |\n" % (placement, " |" * len(sizes), ratio_text(mean(ratios)))
    out += regret(reports)
    bound = [report for report in reports if any(size.against_bound() > 0 for size in report.sizes)]
    if bound:
        out += "\nTime of `auto` over the bound of the links:\n\n" + table(bound, sizes, Size.against_bound, math.inf, False)
    return out


def section(report, chart_name):
    """One report: chart and table. Algorithms of ours that are not in the table and went wrong must not pass unseen."""
    native = [name for name in report.algorithms if is_native(name)]
    out = "\n### %s%s, %s\n\n%s; %s; %s" % (report.operation, ", " + report.label if report.label else "",
                                             report.placement, report.describe(), report.data, report.mpi)
    out += "%s%s.\n\n" % ("; %d runs" % report.runs if report.runs > 1 else "", links(report))
    if chart_name:
        out += "![%s, %s](%s)\n\n" % (report.operation, report.placement, chart_name)
    out += row(["bytes"] + native + ["auto", "it took", "best of ours", "bound", "auto/native", "auto/bound"])
    out += "|---:|" + "---:|" * len(native) + "---:|---|---|---:|---:|---:|\n"
    for size in report.sizes:
        ours, auto = size.fastest(False), size.results.get("auto")
        out += row([size_text(size.bytes)] +
                   [time_text(size.seconds(name)) + size.results[name].trouble() for name in native] +
                   [time_text(size.seconds("auto")) + (auto.trouble() if auto else ""), size.took,
                    (time_text(size.seconds(ours)) + " " + (ours or "")).rstrip(), time_text(size.bound),
                    ratio_text(size.against_native()), ratio_text(size.against_bound())])
    for size in report.sizes:
        for name, result in size.results.items():
            if result.trouble():
                out += "\n%s at %d bytes:%s.\n" % (name, size.bytes, result.trouble())
    return out


def introduction(reports, command, notes):
    out = "# Performance\n\n"
    if command:
        out += ("This page and its charts are written by\n\n    %s\n\nand not by hand; run it to repeat everything here.\n\n"
                % command)
    out += (
        "`auto` is what the library chooses by itself, and `it took` says what; `native` is what the MPI library does, "
        "`native:COMPONENT` the same with that component preferred; `best of ours` is the fastest single algorithm of "
        "TopoMPI at that size.\n\n"
        "All of them are called in turn within one run of `topo-bench`, and every result is checked bit for bit. Times are "
        "microseconds per call, the %s of the samples; a sample is a number of calls in a row and lasts until its slowest "
        "rank is done. The bound is the time that the bytes which every algorithm must bring through the busiest link take "
        "at the link's measured rate; short messages are bound by latency instead, and lie far above it.\n" %
        ("minimum" if reports[0].statistic == "minimum" else "median"))
    if max(report.runs for report in reports) > 1:
        out += "\nA time of several runs is the median of the runs' medians.\n"
    return out + "".join("%s- %s\n" % ("" if number else "\n", note) for number, note in enumerate(notes))


def write(path, text):
    try:
        with open(path, "wb") if path not in ("", "-") else os.fdopen(1, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
    except OSError as error:
        fail(1, "%s: %s" % (path or "standard output", error.strerror))


def write_page(page, prefix, command, short, count, *rest):
    notes, paths = rest[:int(count)], rest[int(count):]
    reports = read_all(paths)
    folder, charts = os.path.dirname(page), {}
    shown = [report for report in reports if report.operation not in short.split(",")]
    if shown and not can_draw():
        print("%s: %s; the page has none" % (TOOL, MISSING), file=sys.stderr)
    for report in shown if can_draw() else []:
        name = prefix + os.path.splitext(os.path.basename(report.path))[0] + ".svg"
        try:
            write(os.path.join(folder, name), chart(report))
            charts[report.path] = name
        except ChartError as error:
            print("%s: %s" % (TOOL, error), file=sys.stderr)
    out = introduction(reports, command, notes) + "\n## Summary\n"
    operations = [report.operation for report in reports]
    for number, operation in enumerate(operations):
        if number == 0 or operations[number - 1] != operation:
            out += summary(reports, operation)
    out += "\n## Every run\n" + "".join(section(report, charts.get(report.path)) for report in shown)
    write(page, out)


def write_chart(path):
    try:
        write(path, chart(Report(json.load(sys.stdin), path)))
    except ChartError as error:
        fail(1, str(error))


def check():
    if not can_draw():
        fail(1, "--svg: %s; topo-bench report draws it elsewhere from what --json writes" % MISSING)


{"page": write_page, "chart": write_chart, "check": check}[sys.argv[1]](*sys.argv[2:])
