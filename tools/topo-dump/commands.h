/* The command table of topo-dump (commands.def). */
#ifndef TOPO_DUMP_COMMANDS_H
#define TOPO_DUMP_COMMANDS_H

#define DUMP_TOOL "topo-dump"

#define COMMAND(name, help) int dump_##name(int argc, char **argv);
#include "topo-dump/commands.def"
#undef COMMAND

#endif
