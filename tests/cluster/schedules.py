"""What tests/cluster/schedules measured: the Markdown on standard output, its chart by gnuplot where there is one.
schedules.py CHART.svg FILE.json...: reports of topo-bench, labelled "barrier WORD, GRAPH messages"."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/common"))
sys.dont_write_bytecode = True  # the source stays as it is
import chart

BARRIERS = ("none", "send", "sendrecv")


def read(paths):
    """{(graph, bytes): {barrier: {form: (median in us, ratio to native)}}}, and the forms."""
    found, forms = {}, []
    for path in paths:
        with open(path) as file:
            report = json.load(file)
        barrier, graph = (words.split(" ") for words in report["label"].split(", "))
        for size in report["sizes"]:
            results = {one["algorithm"]: (one["median_us"], one["ratio_native"]) for one in size["results"] if one["samples"]}
            found.setdefault((graph[0], size["bytes"]), {})[barrier[1]] = results
            forms += [form for form in results if form not in forms and form != "native"]
    return found, forms


def verdict(runs, forms):
    """What is won by steps, beyond not starting everything at once: with each barrier the fastest schedule over direct."""
    best = []
    for barrier, results in runs.items():
        ratios = [(results[form][1] / results["direct"][1], form) for form in forms if form != "direct" and form in results]
        if ratios and "direct" in results:
            best.append(min(ratios) + (barrier,))
    if not best:
        return ""
    return "The fastest schedule takes of direct's time in the same run %s: %s\n" % (
        ", ".join("%.2f (%s, %s)" % one for one in best),
        "it pays here." if min(best)[0] < 0.9 else "within the noise of 0.1, or longer, so none pays here.")


def ratio(runs, barrier, form):
    return runs.get(barrier, {}).get(form, (0, 0))[1]


found, forms = read(sys.argv[2:])
for (graph, size), runs in found.items():
    print("Random graph of %s messages, mean %d bytes over all pairs; native takes %.1f ms:\n" % (
        graph, size, next(iter(runs.values()))["native"][0] / 1000))
    print("| form | %s |\n|---|%s" % (" | ".join(BARRIERS), "---:|" * len(BARRIERS)))
    for form in forms:
        cells = [ratio(runs, barrier, form) for barrier in BARRIERS]
        print("| %s | %s |" % (form, " | ".join("%.2f" % cell if cell else "-" for cell in cells)))
    print("\n" + verdict(runs, forms))
try:
    svg = chart.bars(forms, ["barrier " + word for word in BARRIERS], 2.2,
                     [("time over native: %s messages, mean %d bytes" % (graph, size),
                       {form: [ratio(runs, barrier, form) for barrier in BARRIERS] for form in forms})
                      for (graph, size), runs in found.items()])
    with open(sys.argv[1], "w") as file:
        file.write(svg)
    print("![the same as a chart](%s)" % os.path.basename(sys.argv[1]))
except chart.ChartError as error:
    print("schedules: %s" % error, file=sys.stderr)
