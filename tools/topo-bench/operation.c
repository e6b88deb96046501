#include "topo-bench/operation.h"

#include <string.h>

#include "base/memory.h"

/* Indexed by the library's name. */
static const struct bench_operation *const operations[] = {
#define OPERATION(name, ...) &bench_##name,
#include "catalog/operations.def"
};

static enum topo_status add_operation(const char *name, const struct bench_operation **operation, int *count,
                                      struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text names = {0};
    for (int i = 0; i < *count; i++)
        if (!strcmp(operation[i]->name, name))
            return TOPO_OK;
    for (int i = 0; i < TOPO_OPERATION_COUNT; i++)
        if (!strcmp(operations[i]->name, name)) {
            operation[(*count)++] = operations[i];
            return TOPO_OK;
        }
    bench_operation_names(&names);
    topo_fail(error, TOPO_PARSE, "unknown operation %s; allowed are %s levels reduce_local tune report guidelines",
              name, names.failed ? "" : names.text);
    return TOPO_PARSE;
}

enum topo_status bench_operations_read(const char *list, const struct bench_operation **operation, int *count,
                                       struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    *count = 0;
    for (int i = 0; !list && i < TOPO_OPERATION_COUNT; i++)
        operation[(*count)++] = operations[i];
    if (!list)
        return TOPO_OK;
    TOPO_SCOPED char *copy = topo_strdup(list);
    char *rest = copy, *word;
    if (!copy)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    while (status == TOPO_OK && (word = strsep(&rest, ",")))
        status = add_operation(word, operation, count, error);
    return status;
}

void bench_operation_names(struct topo_text *out)
{
    for (int i = 0; i < TOPO_OPERATION_COUNT; i++)
        topo_text_addf(out, "%s%s", i ? " " : "", operations[i]->name);
}

enum topo_operation bench_operation_id(const struct bench_operation *operation)
{
    int id = 0;
    while (operations[id] != operation)
        id++;
    return (enum topo_operation)id;
}
