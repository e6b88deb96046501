/* What a rule gives an algorithm beside its name (docs/TUNING.md). The table says who has what; a rule's copy of a row,
 * which travels with the choice to every place that remembers it, keeps what was given (catalog/algorithm.h). */
#ifndef TOPO_CATALOG_PARAMETERS_H
#define TOPO_CATALOG_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

/* 0: not given, the algorithm's own. */
struct topo_parameters {
#define PARAMETER(name, ...) size_t name;
#include "catalog/parameters.def"
};

/* What was given, else the algorithm's own. */
static inline int topo_given(size_t parameter, int own)
{
    return parameter ? (int)parameter : own;
}

/* True when `word` of a rule is meant as a parameter: NAME=VALUE with the name of one. */
bool topo_parameter_is(const char *word);

/* Reads NAME=VALUE into *parameters. `name` is the algorithm's, for messages, `traits` says which it has. Errors:
 * TOPO_PARSE with what is wrong and what is allowed. */
enum topo_status topo_parameters_read(const char *name, unsigned traits, const char *word,
                                      struct topo_parameters *parameters, struct topo_error *error);

/* Appends what is given as rules say it, each behind a blank: " radix=8 drivers=2". */
void topo_parameters_write(const struct topo_parameters *parameters, struct topo_text *out);

/* Appends what an algorithm with these traits has: "radix=2-1024, drivers=1-1024"; "none". */
void topo_parameters_allowed(unsigned traits, struct topo_text *out);

/* Walks through the table: the name of parameter `i` and what was given, 0 where nothing was; NULL behind the last. */
const char *topo_parameter(const struct topo_parameters *parameters, int i, size_t *given);

bool topo_parameters_equal(const struct topo_parameters *a, const struct topo_parameters *b);

#endif
