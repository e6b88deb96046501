/* topo-dump mapping */
#include "common/cli.h"
#include "topo-dump/commands.h"

int dump_mapping(int argc, char **argv)
{
    (void)argv;
    return argc < 2 ? cli_fail(DUMP_TOOL, CLI_FAILED, "this machine cannot be shown yet")
                    : cli_fail(DUMP_TOOL, CLI_USAGE, "options of mapping are not read yet");
}
