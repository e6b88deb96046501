/* topo-dump algorithms, topo-dump options: the tables in the form asked for. */
#include "base/memory.h"
#include "common/cli.h"
#include "common/options.h"
#include "topo-dump/commands.h"
#include "topo-dump/tables.h"

struct request {
    int form;
    const char *output;
};

typedef void printer(struct topo_text *out);

static int print_table(const struct cli_command *command, printer *const *prints, int argc, char **argv)
{
    struct request request = {0};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    int operand, status = cli_options(command, argc, argv, &request, &operand, NULL);
    if (status != CLI_OK)
        return status == CLI_DONE ? CLI_OK : status;
    prints[request.form](&out);
    return cli_write(DUMP_TOOL, request.output, &out);
}

/* A command that prints one table; `forms` of --format in the order of the printers, the first is the default. */
#define TABLE(table, forms, ...) \
    int dump_##table(int argc, char **argv) \
    { \
        static const struct cli_option rows[] = { \
            {'f', "format", forms, "the form (default text)", CLI_WORD(struct request, form)}, \
            {'o', "output", "FILE", "write to FILE", CLI_TEXT(struct request, output)}, \
            {0}}; \
        static const struct cli_command command = { \
            .name = DUMP_TOOL " " #table, .usage = "usage: topo-dump " #table " [OPTION]...\n", .options = rows}; \
        static printer *const prints[] = {__VA_ARGS__}; \
        return print_table(&command, prints, argc, argv); \
    }
TABLE(algorithms, "text|json", dump_algorithms_text, dump_algorithms_json)
TABLE(options, "text|json|env|man", dump_options_text, dump_options_json, dump_options_env, dump_options_man)
