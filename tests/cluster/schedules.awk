# The tables of tests/cluster/schedules put together: forms x executions as Markdown, or with -v chart=1 as SVG.
# Input: lines "== GRAPH messages, barrier WORD", each followed by a table of topo-bench.
/^== / { run = $2; barrier = $5; next }
/^ *[0-9]+ +[a-z]/ { bytes = $1; sub(/^ *[0-9]+/, "") }
/^ +(native|direct|drc|sdrc|ggp|css|balanced) / {
    key = run "," bytes
    if (!(key in seen)) { seen[key] = ++panels; panel[panels] = key }
    if (!($1 in form)) { form[$1] = ++forms; name[forms] = $1 }
    median[key, $1, barrier] = $3
    ratio[key, $1, barrier] = $5
}
function cell(key, f, b) { return sprintf("%.2f", ratio[key, f, b]) }
function markdown(   p, f, b, part) {
    for (p = 1; p <= panels; p++) {
        split(panel[p], part, ",")
        printf "Random graph of %s messages, mean %d bytes over all pairs; native takes %.1f ms:\n\n", part[1], part[2], median[panel[p], "native", "none"] / 1000
        print "| form | none | send | sendrecv |\n|---|---:|---:|---:|"
        for (f = 2; f <= forms; f++) {
            printf "| %s |", name[f]
            for (b = 1; b <= 3; b++) printf " %s |", cell(panel[p], name[f], barriers[b])
            print ""
        }
        print "\n" verdict(panel[p]) "\n"
    }
}
# What is won by steps, beyond not starting everything at once: with each barrier the fastest schedule over direct.
function verdict(key,   f, b, r, best, which, least, text) {
    for (b = 1; b <= 3; b++) {
        best = 0
        for (f = 2; f <= forms; f++) {
            if (name[f] == "direct") continue
            r = ratio[key, name[f], barriers[b]] / ratio[key, "direct", barriers[b]]
            if (!best || r < best) { best = r; which = name[f] }
        }
        text = text sprintf("%s%.2f (%s, %s)", b > 1 ? ", " : "", best, which, barriers[b])
        if (b == 1 || best < least) least = best
    }
    return "The fastest schedule takes of direct's time in the same run " text ": " (least < 0.9 ? "it pays here." : "within the noise of 0.1, or longer, so none pays here.")
}
function svg(   p, f, b, x, y, h, part, top, width, height) {
    top = 2.2; width = 420; height = 200
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", 2 * width + 20, int((panels + 1) / 2) * (height + 50) + 30
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    for (b = 1; b <= 3; b++)
        printf "<rect x=\"%d\" y=\"8\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"18\">barrier %s</text>\n", 40 + 130 * (b - 1), colour[b], 58 + 130 * (b - 1), barriers[b]
    print "<text x=\"440\" y=\"18\">time over native; dashed: native; bars end at 2.2</text>"
    for (p = 1; p <= panels; p++) {
        x = ((p - 1) % 2) * width + 30; y = int((p - 1) / 2) * (height + 50) + 50
        split(panel[p], part, ",")
        printf "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s messages, mean %d bytes</text>\n", x, y - 8, part[1], part[2]
        for (f = 2; f <= forms; f++) {
            for (b = 1; b <= 3; b++) {
                h = ratio[panel[p], name[f], barriers[b]]
                h = (h > top ? top : h) / top * height
                printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"15\" height=\"%.1f\" fill=\"%s\"><title>%s, barrier %s: %.2f</title></rect>\n", x + (f - 2) * 62 + (b - 1) * 16, y + height - h, h, colour[b], name[f], barriers[b], ratio[panel[p], name[f], barriers[b]]
            }
            printf "<text x=\"%d\" y=\"%d\">%s</text>\n", x + (f - 2) * 62, y + height + 15, name[f]
        }
        printf "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"black\" stroke-dasharray=\"4 3\"/>\n", x, x + width - 45, y + height - height / top, y + height - height / top
    }
    print "</svg>"
}
END {
    split("none send sendrecv", barriers, " ")
    split("#4477aa #ee8866 #44bb99", colour, " ")
    if (chart) svg(); else markdown()
}
