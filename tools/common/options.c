#include "common/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "machine/caches.h"
#include "renumber/metis.h"
#include "topompi.h"

enum { ROWS_MAX = 40, HEAD = 26, WIDTH = 110, VERSION_KEY = 256, LONG_ONLY };

static const char indent[HEAD + 1] = "                          ";

void cli_wrap(struct topo_text *out, const char *indentation, size_t column, size_t width, const char *text)
{
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, " ");
        bool first = column <= strlen(indentation);
        if (!first && column + 1 + length > width) {
            topo_text_add(out, "\n");
            column = 0;
            first = true;
        }
        if (column == 0) {
            topo_text_add(out, indentation);
            column = strlen(indentation);
        }
        topo_text_addf(out, "%s%.*s", first ? "" : " ", (int)length, word);
        column += length + !first;
        word += length;
        word += strspn(word, " ");
    }
    topo_text_add(out, "\n");
}

/* The number of a word among those of "text|json|svg"; -1: it is none of them. */
static int find_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int i = 0;; i++) {
        size_t here = strcspn(words, "|");
        if (here == length && !strncmp(words, word, length))
            return i;
        if (!words[here])
            return -1;
        words += here + 1;
    }
}

static enum topo_status take(const struct cli_option *option, const char *value, void *request,
                             struct topo_error *error)
{
    char *base = request, allowed[256];
    const char *words = option->words                            ? option->words
                        : value && strchr(option->argument, '|') ? option->argument
                                                                 : NULL;
    int word = words ? find_word(words, value) : 0;
    if (option->read) {
        struct topo_error why = {""};
        enum topo_status status = option->read(request, option, value, &why);
        bool named = !strncmp(why.text, "--", 2);
        return status == TOPO_OK ? status
                                 : topo_fail(error, status, "%s%s%s%.450s", named ? "" : "--",
                                             named ? "" : option->name, named ? "" : ": ", why.text);
    }
    if (word < 0) {
        snprintf(allowed, sizeof allowed, "%s", words);
        for (char *bar = allowed; (bar = strchr(bar, '|'));)
            *bar = ' ';
        return topo_fail(error, TOPO_PARSE, "--%s %.80s: allowed: %s", option->name, value, allowed);
    }
    if (option->number && !topo_parse_long(value, option->low, option->high, (long *)(base + option->number - 1)))
        return topo_fail(error, TOPO_PARSE, "--%s %.80s: allowed: %ld..%ld", option->name, value, option->low,
                         option->high);
    if (option->text)
        memcpy(base + option->text - 1, &value, sizeof value);
    if (option->flag)
        *(bool *)(base + option->flag - 1) = true;
    if (option->word)
        memcpy(base + option->word - 1, &word, sizeof word);
    return TOPO_OK;
}

/* The table as getopt_long() wants it: the value of a row is LONG_ONLY and its number. */
static void getopt_table(const struct cli_command *command, struct option *table, char *letters)
{
    int count = 0;
    *letters++ = ':';
    *letters++ = 'h';
    for (const struct cli_option *row = command->options; row->name && count < ROWS_MAX; row++, count++) {
        table[count] =
            (struct option){row->name, row->argument ? required_argument : no_argument, NULL, LONG_ONLY + count};
        if (row->letter) {
            *letters++ = row->letter;
            if (row->argument)
                *letters++ = ':';
        }
    }
    table[count++] = (struct option){"help", no_argument, NULL, 'h'};
    table[count++] = (struct option){"version", no_argument, NULL, VERSION_KEY};
    table[count] = (struct option){NULL, 0, NULL, 0};
    *letters = '\0';
}

/* What getopt_long() answers with '?'. Of letters in one word, as -ab, `typed` is the word before until the last one.
 */
static enum topo_status refuse(const char *name, const char *typed, struct topo_error *error)
{
    if (optopt == 'h' || optopt >= VERSION_KEY)
        return topo_fail(error, TOPO_PARSE, "option %.*s takes no value; see %s --help", (int)strcspn(typed, "="),
                         typed, name);
    if (optopt == 0)
        return topo_fail(error, TOPO_PARSE, "unknown option %.80s; see %s --help", typed, name);
    return topo_fail(error, TOPO_PARSE,
                     optopt > 0 ? "unknown option -%c; see %s --help" : "unknown option -\\x%02x; see %s --help",
                     optopt > 0 ? optopt : optopt & 0xff, name);
}

enum topo_status cli_read(const struct cli_command *command, int argc, char **argv, void *request, int *operand,
                          struct topo_error *error)
{
    struct option table[ROWS_MAX + 3];
    char letters[2 * ROWS_MAX + 3];
    enum topo_status status = TOPO_OK;
    int found;
    getopt_table(command, table, letters);
    opterr = 0;
    optind = 1;
    while (status == TOPO_OK && (found = getopt_long(argc, argv, letters, table, NULL)) != -1) {
        const struct cli_option *row = command->options;
        const char *typed = argv[optind - 1];
        if (found == 'h' || found == VERSION_KEY) {
            *operand = found == 'h' ? CLI_HELP : CLI_VERSION;
            return TOPO_OK;
        }
        if (found == ':')
            return topo_fail(error, TOPO_PARSE, "option %.80s needs a value; see %s --help", typed, command->name);
        if (found == '?')
            return refuse(command->name, typed, error);
        if (found >= LONG_ONLY)
            row += found - LONG_ONLY;
        else
            while (row->letter != found)
                row++;
        status = take(row, optarg, request, error);
    }
    *operand = optind;
    if (status == TOPO_OK && optind < argc && !command->takes_operands)
        return topo_fail(error, TOPO_PARSE, "unexpected argument %.80s; see %s --help", argv[optind], command->name);
    return status;
}

static void add_row(const struct cli_option *row, struct topo_text *out)
{
    char head[160], letter[8] = "    ";
    int length;
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    length = snprintf(head, sizeof head, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
                      row->argument ? row->argument : "");
    topo_text_add(out, head);
    if (!row->help) {
        topo_text_add(out, "\n");
        return;
    }
    if (length + 1 < HEAD)
        topo_text_add(out, indent + length);
    else
        topo_text_add(out, "\n");
    cli_wrap(out, indent, length + 1 < HEAD ? HEAD : 0, WIDTH, row->help);
}

void (*cli_about_mpi)(struct topo_text *out);

/* Ours and those of the libraries that are loaded here. */
static void add_versions(const char *name, struct topo_text *out)
{
    topo_text_addf(out, "%s (TopoMPI) %s\n", name, TOPOMPI_VERSION);
    if (cli_about_mpi)
        cli_about_mpi(out);
    else
        topo_text_add(out, TOPO_MPI_BUILT " (built with; this tool needs none)");
    topo_text_add(out, "\n");
    topo_hwloc_about(true, out);
    topo_text_add(out, "\n");
    topo_metis_state(NULL); /* loads it */
    topo_metis_about(out);
    topo_text_add(out, "\n");
}

int cli_show(const struct cli_command *command, int operand, const char *intro)
{
    static const struct cli_option common[] = {
        {'h', "help", NULL, "this text", .flag = 1},
        {0, "version", NULL, "the versions of TopoMPI and of the libraries that it uses", .flag = 1}};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    size_t tool = strcspn(command->name, " ");
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)tool, command->name);
    if (operand == CLI_VERSION) {
        add_versions(name, &out);
    } else {
        topo_text_addf(&out, "%s\n%s%s", command->usage, intro ? intro : "", intro ? "\n" : "");
        for (const struct cli_option *row = command->options; row->name; row++)
            add_row(row, &out);
        add_row(&common[0], &out);
        add_row(&common[1], &out);
        topo_text_addf(&out, "\n%s",
                       command->after ? command->after : "exit status: 0 success, 1 failure, 2 wrong arguments\n");
    }
    return cli_write(name, NULL, &out);
}

int cli_options(const struct cli_command *command, int argc, char **argv, void *request, int *operand,
                const char *intro)
{
    struct topo_error error = {""};
    enum topo_status status = cli_read(command, argc, argv, request, operand, &error);
    if (status == TOPO_OK && *operand >= 0)
        return CLI_OK;
    if (status == TOPO_OK)
        return cli_show(command, *operand, intro) == CLI_OK ? CLI_DONE : CLI_FAILED;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(command->name, " "), command->name);
    return cli_fail(name, status == TOPO_PARSE || status == TOPO_INVALID ? CLI_USAGE : CLI_FAILED, "%s", error.text);
}
