# Charts as SVG by gnuplot: lines, and groups of bars. Python 3.6 or later.
import math
import re
import shutil
import subprocess

MISSING = "gnuplot is missing, which draws charts (Debian: gnuplot-nox)"
WIDTH = 860
COLOURS = ("#0072b2 #e69f00 #009e73 #cc79a7 #56b4e9 #d55e00 #999933 #882255 #44aa99 #777777").split()


class ChartError(Exception):
    pass


def colour(index):
    """Of a palette that stays apart for colour-blind readers."""
    return COLOURS[index % len(COLOURS)]


def can_draw():
    return shutil.which("gnuplot") is not None


def plain(text):
    """Nothing that gnuplot's strings or SVG could take for their own."""
    text = "".join(c if c.isprintable() else "?" for c in " ".join(text.split())[:200])
    return text.translate({ord("'"): "\u2019", ord('"'): "\u201d", ord("\\"): "/"})


def quoted(text):
    """A string of gnuplot. In single quotes it evaluates nothing: no backquotes, no macros."""
    return "'%s'" % plain(text)


def size_text(size):
    """1024 -> 1K, as the tools write sizes."""
    unit = 0
    while unit < 3 and size and size % 1024 == 0:
        size //= 1024
        unit += 1
    return "%d%s" % (size, " KMG"[unit].strip())


def tics(axis, marks):
    """marks: (place, label), a label of None is a minor one."""
    return "set %stics (%s)" % (axis, ", ".join(
        "'' %.10g 1" % place if label is None else "%s %.10g" % (quoted(label), place) for place, label in marks))


def decades(low, high):
    """Range and marks of a logarithmic axis of seconds: whole decades around low..high."""
    first, last = math.floor(math.log10(low / 1.5)), math.ceil(math.log10(high * 1.2))
    marks = []
    for decade in range(first, last + 1):
        label = ("%g \u00b5s" % 10.0 ** (decade + 6) if decade < -3 else
                 "%g ms" % 10.0 ** (decade + 3) if decade < 0 else "%g s" % 10.0 ** decade)
        marks.append((10.0 ** decade, label))
        marks += [(part * 10.0 ** decade, None) for part in range(2, 10) if decade < last]
    return (10.0 ** first, 10.0 ** last), marks


def size_marks(sizes):
    """Range and marks of a logarithmic axis of bytes; as many labels as there is room for."""
    low, high = min(sizes), max(sizes)
    if high < 1.3 * low:
        low, high = low / 3.2, high * 3.2
    marks, last = [], -1
    for size in sorted(set(sizes)):
        place = math.log(size / low) / math.log(high / low)
        crowded = last >= 0 and place - last < 0.07
        marks.append((size, "" if crowded else size_text(size)))
        last = last if crowded else place
    return (low, high), marks


def render(commands, height=480):
    """The SVG that gnuplot makes of its commands."""
    head = ["set encoding utf8",
            "set terminal svg size %d,%d font 'sans-serif,12' noenhanced background 'white'" % (WIDTH, height)]
    if not can_draw():
        raise ChartError(MISSING)
    # -d: what the user has in ~/.gnuplot is for other charts.
    done = subprocess.run(["gnuplot", "-d", "-"], input="\n".join(head + commands).encode("utf-8", "replace"),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    svg = done.stdout.decode("utf-8", "replace")
    if done.returncode or "</svg>" not in svg:
        raise ChartError("gnuplot: " + " ".join(done.stderr.decode("utf-8", "replace").split())[:300])
    return shortened(svg)


def shortened(svg):
    """Half the bytes for the same picture, and texts on hovering as SVG has them itself: gnuplot's need a script beside
    the picture."""
    svg = re.sub(r"""<g onmousemove="gnuplot_svg.showHypertext\(evt,'([^\n]*)'\)" onmouseout="[^"]*"><title> </title>""",
                 r"<g><title>\1</title>", svg)
    svg = re.sub(r"<title>(Gnuplot|gnuplot_plot_\w+)</title>", "", svg)
    svg = re.sub(r"<path [^>]* d='M[0-9.,]+ +'/>", "", svg)
    svg = re.sub(r"<g [^>]*>\s*</g>\n", "", svg)
    # Symbols and filters that no point of ours needs: points are of the sixth, made of the fifth.
    svg = re.sub(r"<\w+ [^>]*id='gp(Dot|Pt(?!5'|6')\d+)'[^>]*/>\s*", "", svg)
    svg = re.sub(r"<filter .*?</filter>\s*", "", svg, flags=re.DOTALL)
    # What every group says anew, said once around all of them.
    font = ' font-family="sans-serif" font-size="12.00"'
    svg = svg.replace('id="gnuplot_canvas"', 'id="gnuplot_canvas" fill="none" color="black" stroke="currentColor"' + font)
    svg = svg.replace('fill="#ffffff"/>', 'fill="#ffffff" stroke="none"/>', 1)
    svg = svg.replace(font + " ", "")
    for said in (' stroke-linecap="butt" stroke-linejoin="miter"', ' stroke-width="1.00"'):
        svg = svg.replace(said, "")
    svg = re.sub(r'<g fill="none" color="(black|gray)" stroke="currentColor"', "<g", svg)
    svg = re.sub(r"rgb\( *(\d+), *(\d+), *(\d+)\)", lambda rgb: "#%02x%02x%02x" % tuple(map(int, rgb.groups())), svg)
    return re.sub(r"\n[\t ]+", "\n", svg)


def title_of(text):
    """In smaller letters where it would be wider than the picture; of sans-serif letters one is 0.6 of its height wide."""
    size = min(12, (WIDTH - 40) / (0.6 * max(1, len(plain(text)))))
    return "set title %s%s" % (quoted(text), "" if size == 12 else " font ',%.1f'" % size)


def key_of(names):
    """Where the legend stands, and how much higher the picture is for it: at the right, or below where it is long."""
    longest, most = max([len(plain(name)) for name in names] or [0]), 20
    if len(names) <= most and longest <= 30:
        return "set key outside right top Left reverse samplen 2", 0
    columns = max(1, min(len(names), int((WIDTH - 60) / (7.2 * longest + 50))))
    rows = -(-len(names) // columns)
    return "set key outside below Left reverse samplen 2 maxcols %d maxrows %d" % (columns, rows), 18 * rows


def lines(title, x_label, y_label, x_axis, y_axis, logarithmic, series):
    """x_axis, y_axis: ((low, high), marks). logarithmic: the axes, as "xy". series: (name, colour, width, dash,
    points), a point being (x, y, text on hovering); a name or text of None shows nothing; a y of None is a gap."""
    commands, plots = [], []
    for number, (name, line_colour, width, dash, points) in enumerate(series):
        commands.append("$data%d << END_OF_DATA" % number)
        for x, y, text in points:
            commands.append("" if y is None else '%.10g %.10g "%s"' % (x, y, plain(text or "")))
        commands.append("END_OF_DATA")
        plots.append("$data%d using 1:2 with lines lw %g lc '%s'%s %s" % (
            number, width, line_colour, " dt (%s)" % dash if dash else "", "title " + quoted(name) if name else "notitle"))
        if any(text for _, _, text in points):
            plots.append("$data%d using 1:2:3 with labels hypertext point pt 7 ps 0.5 lc '%s' notitle" % (
                number, line_colour))
    key, higher = key_of([name for name, _, _, _, _ in series if name])
    commands += [title_of(title), "set xlabel %s" % quoted(x_label), "set ylabel %s" % quoted(y_label),
                 key, "set border 3", "set tics nomirror scale 0",
                 "set grid xtics ytics mytics lt 1 lc '#d8d8d8', lt 1 lc '#f0f0f0'",
                 "set xrange [%.10g:%.10g]" % x_axis[0], "set yrange [%.10g:%.10g]" % y_axis[0],
                 tics("x", x_axis[1]), tics("y", y_axis[1])]
    if logarithmic:
        commands.append("set logscale " + logarithmic)
    commands.append("plot " + ", \\\n     ".join(plots))
    return render(commands, 480 + higher)


def bars(groups, names, high, panels):
    """Bars beside each other, one for each name in every group, in panels two to a row; a dashed line at 1, bars end at
    `high`. panels: (title, {group: values}), a value for each name."""
    rows, width = (len(panels) + 1) // 2, 1 / (len(names) + 1)
    commands = ["set multiplot layout %d,2" % rows, "set style data histogram", "set style fill solid noborder", "set boxwidth 0.95",
                "set style histogram clustered gap 1", "set border 3", "set tics nomirror scale 0", "set key top left",
                "set samples 2", "set yrange [0:%.10g]" % high, "set grid ytics lt 1 lc '#d8d8d8'"]
    for number, (title, values) in enumerate(panels):
        commands.append("$bars%d << END_OF_DATA" % number)
        commands += ['"%s" %s' % (plain(group), " ".join("%.10g" % value for value in values[group])) for group in groups]
        commands += ["END_OF_DATA", "$texts%d << END_OF_DATA" % number]
        for place, group in enumerate(groups):
            commands += ['%.10g %.10g "%s, %s: %.2f"' % (place + (k - (len(names) - 1) / 2) * width, min(value, high),
                                                         plain(group), plain(names[k]), value)
                         for k, value in enumerate(values[group])]
        plots = ["$bars%d using %d%s lc '%s' title %s" % (number, k + 2, ":xtic(1)" if k == 0 else "", colour(k), quoted(name))
                 for k, name in enumerate(names)]
        commands += ["END_OF_DATA", "set title " + quoted(title), "plot %s, 1 with lines dt (8,5) lc 'black' notitle, "
                     "$texts%d using 1:2:3 with labels hypertext point pt 7 ps 1 lc rgb '#ff000000' notitle" % (", ".join(plots), number)]
    return render(commands + ["unset multiplot"], 20 + 250 * rows)
