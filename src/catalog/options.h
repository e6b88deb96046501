/* The environment variables: declared in options.def, read once (rank 0's are the job's). */
#ifndef TOPO_CATALOG_OPTIONS_H
#define TOPO_CATALOG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

enum topo_option {
#define OPTION(id, name, kind, fallback, values, help) TOPO_OPTION_##id,
#include "catalog/options.def"
#undef OPTION
    TOPO_OPTION_COUNT
};

enum topo_option_kind {
    TOPO_OPTION_KIND_CHOICE,
    TOPO_OPTION_KIND_ALGORITHM,
    TOPO_OPTION_KIND_SIZE,
    TOPO_OPTION_KIND_FLAG,
    TOPO_OPTION_KIND_REPORT,
    TOPO_OPTION_KIND_TEXT
};

/* One row of options.def. `values` is a list of words for CHOICE, and for
 * ALGORITHM the operation whose algorithms are allowed. */
struct topo_option_info {
    const char *name;
    enum topo_option_kind kind;
    const char *fallback, *values, *help;
};

/* The value of one option. `text` is what was given (or the default); the other
 * members hold it parsed: `choice` is the index into the allowed words. */
/* `size` of a SIZE option that is left to us ("auto"). */
#define TOPO_SIZE_AUTO SIZE_MAX

struct topo_option_value {
    char *text;
    char *complaint; /* what was given is none of the allowed values, and so why `text` holds instead; NULL: it is */
    bool from_environment;
    int choice;
    size_t size;
    bool flag;
};

struct topo_options {
    struct topo_option_value value[TOPO_OPTION_COUNT];
};

/* Row `option` of the table; the pointer is static. */
const struct topo_option_info *topo_option_info(enum topo_option option);

/* The words a CHOICE or ALGORITHM option allows, blank separated, appended to `out`. */
void topo_option_words(enum topo_option option, struct topo_text *out);

/* Where options come from: gives the value of a variable or NULL. `context` is the caller's. */
typedef const char *topo_option_source(const char *name, void *context);

/* The process environment as a source. */
const char *topo_option_environment(const char *name, void *context);

/* Reads every option; a value is one line, words are in any case. On TOPO_PARSE all options are read; each whose value
 * is none of the allowed ones has `complaint`, which names variable, value and what is allowed, and *error is the
 * first of these. Such an option that names an operation's algorithm is then "native", TOPOMPI is "off", and any other
 * has its default. Free with topo_options_free() in every case. */
enum topo_status topo_options_load(struct topo_options *options, topo_option_source *source, void *context,
                                   struct topo_error *error);
void topo_options_free(struct topo_options *options);

/* Treats an option's value as one that topo_options_load() refuses, for TEXT options, which others judge. Errors:
 * TOPO_NOMEM. */
enum topo_status topo_option_refuse(struct topo_options *options, enum topo_option option, const char *complaint);

/* Every operation's algorithm becomes the native one, as TOPOMPI=off says. */
void topo_options_off(struct topo_options *options);

/* What follows from a complaint about the option, appended to `out`: "MPI_Allgather runs natively". */
void topo_option_consequence(enum topo_option option, struct topo_text *out);

/* Old names that are in use (RENAMED rows of options.def): "TOPOMPI_X=value is now TOPOMPI_Y=value", appended to `out`,
 * separated by commas. Only those that topo_options_load() takes: a new name goes first. */
void topo_options_renamed(topo_option_source *source, void *context, struct topo_text *out);

/* Variables that start with TOPOMPI but that no row declares (a typing error
 * otherwise unseen): appended to `out`, blank separated. */
void topo_options_unknown(char *const *environment, struct topo_text *out);

/* The set options as NAME=VALUE lines, for sending rank 0's to all. */
void topo_options_pack(const struct topo_options *options, struct topo_text *out);

/* A source that reads such lines; `context` is a struct topo_option_lines, which
 * keeps the value that was asked for last: topo_text_free() it at the end. */
struct topo_option_lines {
    const char *lines; /* NULL: none */
    struct topo_text value;
    bool failed; /* memory was out: a value is missing */
};
const char *topo_option_packed(const char *name, void *context);

#endif
