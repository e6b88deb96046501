/* Command lines of the tools: one table of options gives the reading, the complaints and --help. */
#ifndef TOPO_TOOLS_OPTIONS_H
#define TOPO_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

struct cli_option;

/* Takes one value of an option, NULL where it has none, into the request. Errors: TOPO_PARSE or TOPO_INVALID where what
 * was typed is wrong; the message says what is allowed and gets "--option: " before it unless it begins so itself. */
typedef enum topo_status cli_reader(void *request, const struct cli_option *option, const char *value,
                                    struct topo_error *error);

/* Each row has one of text, flag, word, number and read. */
struct cli_option {
    char letter;          /* 0: none */
    const char *name;     /* NULL ends the table */
    const char *argument; /* "FILE", or the words that are allowed: "text|json"; NULL: it takes none */
    const char *help;     /* wrapped when it is shown; NULL: that of the row below */
    size_t text, flag, word, number;
    const char *words; /* those of the argument, where it is too long to be shown */
    long low, high;    /* of a number */
    cli_reader *read;
};

/* Where the value goes: a const char *, a bool that becomes true, an enumeration or int that gets the word's place, a
 * long. */
#define CLI_TEXT(type, member) .text = 1 + offsetof(type, member)
#define CLI_FLAG(type, member) .flag = 1 + offsetof(type, member)
#define CLI_WORD(type, member) .word = 1 + offsetof(type, member)
#define CLI_NUMBER(type, member, least, most) .number = 1 + offsetof(type, member), .low = least, .high = most

struct cli_command {
    const char *name;  /* "topo-dump schedule" */
    const char *usage; /* what --help says before the options; --help and --version are options of all commands */
    const struct cli_option *options;
    const char *after;   /* what it says after them; NULL: the exit status as everywhere */
    bool takes_operands; /* words that are no options */
};

/* What was asked for instead of work; *operand then. */
enum { CLI_HELP = -1, CLI_VERSION = -2 };

/* Reads argv[1] and on; *operand is the index of the first operand, behind all options. Errors: TOPO_PARSE and what a
 * reader returns. */
enum topo_status cli_read(const struct cli_command *command, int argc, char **argv, void *request, int *operand,
                          struct topo_error *error);

/* Appends the version of the MPI library, for --version; tools that have one set it first. NULL: the tool has none. */
extern void (*cli_about_mpi)(struct topo_text *out);

/* Prints what *operand asks for; `intro` (may be NULL) stands between usage and options. An exit status. */
int cli_show(const struct cli_command *command, int operand, const char *intro);

/* For tools that begin with it: cli_read() and cli_show() with messages. CLI_OK; CLI_DONE when there is nothing more to
 * do; CLI_USAGE or CLI_FAILED after one line. */
int cli_options(const struct cli_command *command, int argc, char **argv, void *request, int *operand,
                const char *intro);

/* Adds words in lines of at most `width` characters that begin with `indent`; `column` characters are in the line. */
void cli_wrap(struct topo_text *out, const char *indent, size_t column, size_t width, const char *text);

#endif
