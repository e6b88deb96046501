/* The command `topo-bench report`. */
#ifndef TOPO_BENCH_REPORT_COMMAND_H
#define TOPO_BENCH_REPORT_COMMAND_H

/* argv[0] is "report". Returns an exit status. */
int bench_report_command(int argc, char **argv);

#endif
