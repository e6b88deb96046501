/* The table of algorithms: the name, requirements, help and source of each. */
#ifndef TOPO_CATALOG_ALGORITHM_H
#define TOPO_CATALOG_ALGORITHM_H

#include <stdbool.h>

#include "catalog/graph_kind.h"
#include "catalog/parameters.h"

enum topo_operation {
#define OPERATION(name, ...) TOPO_OPERATION_##name,
#include "catalog/operations.def"
    TOPO_OPERATION_COUNT
};

/* The column `waits` of catalog/operations.def. */
enum topo_waits { TOPO_WAITS_SOME, TOPO_WAITS_ALL };

static inline enum topo_waits topo_operation_waits(enum topo_operation operation)
{
    static const enum topo_waits waits[] = {
#define OPERATION(name, Name, NAME, number, communication, waits, ...) TOPO_WAITS_##waits,
#include "catalog/operations.def"
    };
    return waits[operation];
}

/* Restrictions of an algorithm; evaluated on facts that are equal on all ranks. CUTS: it combines vectors in parts, and
 * CUTS_LONG: long ones (coll/call/choose.h). NEIGHBOURS is none: of its renumbering a rank needs its own number and who
 * plays its partners' alone. Nor is TRIED: the guard may try it where no rule names it (select/candidates.h). Nor is
 * ORDERED: it adds up in tree order inside a node and in the order of the units on every level, so all rows of an
 * operation that are marked so give the same bits. Nor are the last ones: parameters that a rule may give
 * (catalog/parameters.def). */
enum topo_trait {
    TOPO_TRAIT_ANY = 0,
    TOPO_TRAIT_POWER_OF_TWO = 1,
    TOPO_TRAIT_COMMUTATIVE = 2,
    TOPO_TRAIT_NEIGHBOURS = 4,
    TOPO_TRAIT_TRIED = 8,
    TOPO_TRAIT_ORDERED = 16,
    TOPO_TRAIT_RADIX = 32,
    TOPO_TRAIT_DRIVERS = 64,
    TOPO_TRAIT_SEGMENT = 128,
    TOPO_TRAIT_CUTS = 256,
    TOPO_TRAIT_CUTS_LONG = 512
};

/* Index of every algorithm over all operations. */
enum topo_algorithm_id {
#define ALGORITHM(operation, name, graph, traits, source, help) TOPO_ALGORITHM_##operation##_##name,
#include "catalog/algorithms.def"
    TOPO_ALGORITHM_COUNT
};

/* What runs in a call: a row of the table, or a rule's copy of one with what the rule gives beside its name. */
struct topo_algorithm {
    enum topo_algorithm_id id;
    enum topo_operation operation;
    const char *name;
    enum topo_graph_kind graph; /* mapping it uses */
    unsigned traits;
    const char *source, *help;
    struct topo_parameters parameters; /* of a row: none */
};

/* "allgather", ... */
const char *topo_operation_name(enum topo_operation operation);

/* Row of the table; static. */
const struct topo_algorithm *topo_algorithm(enum topo_algorithm_id id);

/* The native row of an operation, its first; the others follow it. */
const struct topo_algorithm *topo_algorithm_native(enum topo_operation operation);

/* Row by name, or NULL. */
const struct topo_algorithm *topo_algorithm_find(enum topo_operation operation, const char *name);

/* True when both name one row and the same parameters. */
bool topo_algorithm_equal(const struct topo_algorithm *a, const struct topo_algorithm *b);

/* Appends the name and the parameters, as rules say them: "radix radix=8". */
void topo_algorithm_write(const struct topo_algorithm *algorithm, struct topo_text *out);

/* True when the algorithm's restrictions hold for n ranks; else *why (may be
 * NULL) is a static text that says what is missing. */
bool topo_algorithm_applies(const struct topo_algorithm *algorithm, int n, const char **why);

/* True when it needs one of the traits in `lacking`, which a call does not have (COMMUTATIVE: the operation; CUTS,
 * CUTS_LONG: the operation may be applied to parts of a vector, or of one that is long); *why as above. */
bool topo_algorithm_misses(const struct topo_algorithm *algorithm, unsigned lacking, const char **why);

#endif
