/* topo-dump algorithms, topo-dump options: the tables in the form asked for. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "common/cli.h"
#include "topo-dump/commands.h"
#include "topo-dump/tables.h"

struct format {
    const char *name;
    void (*print)(struct topo_text *out);
};

/* Both commands: [--format NAME] [-o FILE]; the first format is the default. */
static int print_table(int argc, char **argv, const struct format *formats, int count)
{
    static const struct option options[] = {{"format", required_argument, NULL, 'f'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const struct format *chosen = formats;
    const char *path = NULL;
    struct topo_text words = {0}, out = {0};
    int status = CLI_OK, letter;
    for (int i = 0; i < count; i++)
        topo_text_addf(&words, "%s%s", i ? " " : "", formats[i].name);
    if (words.failed) {
        status = cli_fail(DUMP_TOOL, CLI_FAILED, "out of memory");
        goto out;
    }
    opterr = 0;
    while ((letter = getopt_long(argc, argv, ":f:o:h", options, NULL)) != -1) {
        switch (letter) {
        case 'f':
            chosen = NULL;
            for (int i = 0; i < count; i++)
                if (!strcmp(optarg, formats[i].name))
                    chosen = &formats[i];
            if (!chosen) {
                status = cli_fail(DUMP_TOOL, CLI_USAGE, "--format %.80s: unknown; allowed: %s", optarg, words.text);
                goto out;
            }
            break;
        case 'o': path = optarg; break;
        case 'h':
            printf("usage: topo-dump %s [--format FORMAT] [-o FILE]\nformats: %s\n", argv[0], words.text);
            goto out;
        default: status = cli_bad_option(DUMP_TOOL, argv, optind, optopt, letter == ':'); goto out;
        }
    }
    if (optind < argc) {
        status = cli_fail(DUMP_TOOL, CLI_USAGE, "%s takes no argument %.80s; see topo-dump %s --help", argv[0],
                          argv[optind], argv[0]);
        goto out;
    }
    chosen->print(&out);
    status = cli_write(DUMP_TOOL, path, &out);
out:
    topo_text_free(&words);
    topo_text_free(&out);
    return status;
}

int dump_algorithms(int argc, char **argv)
{
    static const struct format formats[] = {{"text", dump_algorithms_text}, {"json", dump_algorithms_json}};
    return print_table(argc, argv, formats, sizeof formats / sizeof *formats);
}

int dump_options(int argc, char **argv)
{
    static const struct format formats[] = {
        {"text", dump_options_text}, {"json", dump_options_json}, {"env", dump_options_env}, {"man", dump_options_man}};
    return print_table(argc, argv, formats, sizeof formats / sizeof *formats);
}
