/* The command `topo-bench report`, and the charts of a run. Both are made of JSON by a Python script, charts by
 * gnuplot. */
#ifndef TOPO_BENCH_REPORT_COMMAND_H
#define TOPO_BENCH_REPORT_COMMAND_H

#include "topo-bench/report.h"

/* Made of chart.py, report.py and page.py. */
extern const char bench_report_script[];

/* argv[0] is "report". Returns an exit status. */
int bench_report_command(int argc, char **argv);

/* CLI_OK when bench_chart() can draw here; otherwise one line has said what is missing. */
int bench_chart_check(void);

/* Writes the chart of a report as SVG: time over size, both logarithmic, a line per algorithm, the bound dashed; where
 * packets are compared, rate over packet. An exit status, after one line where it is not CLI_OK. */
int bench_chart(const struct bench_report *report, const char *path);

#endif
