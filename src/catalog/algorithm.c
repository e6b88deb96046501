#include "catalog/algorithm.h"

#include <stddef.h>
#include <string.h>

enum {
    ANY = TOPO_TRAIT_ANY,
    POWER_OF_TWO = TOPO_TRAIT_POWER_OF_TWO,
    COMMUTATIVE = TOPO_TRAIT_COMMUTATIVE,
    NEIGHBOURS = TOPO_TRAIT_NEIGHBOURS,
    TRIED = TOPO_TRAIT_TRIED,
    ORDERED = TOPO_TRAIT_ORDERED,
    RADIX = TOPO_TRAIT_RADIX,
    DRIVERS = TOPO_TRAIT_DRIVERS,
    SEGMENT = TOPO_TRAIT_SEGMENT,
    CUTS = TOPO_TRAIT_CUTS,
    CUTS_LONG = TOPO_TRAIT_CUTS_LONG
};

static const struct topo_algorithm table[TOPO_ALGORITHM_COUNT] = {
#define ALGORITHM(operation, name, graph, traits, source, help) \
    {TOPO_ALGORITHM_##operation##_##name, \
     TOPO_OPERATION_##operation, \
     #name, \
     TOPO_GRAPH_##graph, \
     (traits), \
     source, \
     help, \
     {0}},
#include "catalog/algorithms.def"
};

/* Rows that there were once, and what runs where one is named. */
static const struct {
    const char *old;
    enum topo_algorithm_id now;
} replaced[] = {
#define REPLACED(operation, old, name) {#old, TOPO_ALGORITHM_##operation##_##name},
#include "catalog/algorithms.def"
};

const char *topo_operation_name(enum topo_operation operation)
{
    static const char *const names[] = {
#define OPERATION(name, ...) #name,
#include "catalog/operations.def"
    };
    return names[operation];
}

const struct topo_algorithm *topo_algorithm(enum topo_algorithm_id id)
{
    return &table[id];
}

const struct topo_algorithm *topo_algorithm_native(enum topo_operation operation)
{
    static const enum topo_algorithm_id natives[] = {
#define OPERATION(name, ...) TOPO_ALGORITHM_##name##_native,
#include "catalog/operations.def"
    };
    return &table[natives[operation]];
}

const struct topo_algorithm *topo_algorithm_find(enum topo_operation operation, const char *name)
{
    for (int i = 0; i < TOPO_ALGORITHM_COUNT; i++)
        if (table[i].operation == operation && !strcmp(table[i].name, name))
            return &table[i];
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
        if (table[replaced[i].now].operation == operation && !strcmp(replaced[i].old, name))
            return &table[replaced[i].now];
    return NULL;
}

bool topo_algorithm_equal(const struct topo_algorithm *a, const struct topo_algorithm *b)
{
    return a->id == b->id && topo_parameters_equal(&a->parameters, &b->parameters);
}

void topo_algorithm_write(const struct topo_algorithm *algorithm, struct topo_text *out)
{
    topo_text_add(out, algorithm->name);
    topo_parameters_write(&algorithm->parameters, out);
}

bool topo_algorithm_applies(const struct topo_algorithm *algorithm, int n, const char **why)
{
    const char *missing = NULL;
    if ((algorithm->traits & TOPO_TRAIT_POWER_OF_TWO) && (n & (n - 1)))
        missing = "the number of ranks is not a power of two";
    if (why)
        *why = missing;
    return !missing;
}

bool topo_algorithm_misses(const struct topo_algorithm *algorithm, unsigned lacking, const char **why)
{
    unsigned missing = algorithm->traits & lacking & (COMMUTATIVE | CUTS | CUTS_LONG);
    if (missing && why)
        *why = missing & COMMUTATIVE ? "the operation is not commutative"
               : missing & CUTS      ? "the program's own operation gets the whole vector in one call"
                                : "the program's own operation gets the whole vector in one call, and this one is long";
    return missing != 0;
}
