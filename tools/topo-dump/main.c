/* topo-dump: shows what the library knows and would do. Picks the command. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "common/options.h"
#include "topo-dump/commands.h"
#include "topo-dump/job.h"

static const struct {
    const char *name, *help;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, help) {#name, help, dump_##name},
#include "topo-dump/commands.def"
#undef COMMAND
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int help(void)
{
    printf("usage: topo-dump [COMMAND] [OPTION]...\n\ncommands (each has its own --help):\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-12s %s\n", commands[i].name, commands[i].help);
    printf("\nexit status: 0 success, 1 failure, 2 wrong arguments\n");
    return CLI_OK;
}

int main(int argc, char **argv)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text names = {0};
    cli_about_mpi = dump_job_about;
    if (argc < 2 || argv[1][0] == '-') {
        if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
            help();
            printf("\n");
        }
        return commands[0].run(argc, argv);
    }
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    for (int i = 0; i < COMMANDS; i++)
        topo_text_addf(&names, " %s", commands[i].name);
    int status = cli_fail(DUMP_TOOL, CLI_USAGE, "unknown command %.80s; allowed:%s", argv[1],
                          names.failed ? " see --help" : names.text);
    return status;
}
