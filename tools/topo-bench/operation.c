#include "topo-bench/operation.h"

#include <string.h>

#include "base/memory.h"

static const struct bench_operation *const operations[] = {
#define OPERATION(name) &bench_##name,
#include "topo-bench/operations.def"
#undef OPERATION
};

static enum topo_status add_operation(const char *name, const struct bench_operation **operation, int *count,
                                      struct topo_error *error)
{
    struct topo_text names = {0};
    for (int i = 0; i < *count; i++)
        if (!strcmp(operation[i]->name, name))
            return TOPO_OK;
    for (int i = 0; i < BENCH_OPERATIONS; i++)
        if (!strcmp(operations[i]->name, name)) {
            operation[(*count)++] = operations[i];
            return TOPO_OK;
        }
    bench_operation_names(&names);
    topo_fail(error, TOPO_PARSE, "unknown operation %s; allowed are %s levels tune report", name,
              names.failed ? "" : names.text);
    topo_text_free(&names);
    return TOPO_PARSE;
}

enum topo_status bench_operations_read(const char *list, const struct bench_operation **operation, int *count,
                                       struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    char *copy = topo_strdup(list), *word = copy;
    *count = 0;
    if (!copy)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    while (word && status == TOPO_OK) {
        char *comma = strchr(word, ',');
        if (comma)
            *comma = '\0';
        status = add_operation(word, operation, count, error);
        word = comma ? comma + 1 : NULL;
    }
    topo_free(copy);
    return status;
}

void bench_operation_names(struct topo_text *out)
{
    for (int i = 0; i < BENCH_OPERATIONS; i++)
        topo_text_addf(out, "%s%s", i ? " " : "", operations[i]->name);
}

int bench_operation_id(const struct bench_operation *operation)
{
    for (int i = 0; i < TOPO_OPERATION_COUNT; i++)
        if (!strcmp(topo_operation_name((enum topo_operation)i), operation->name))
            return i;
    return -1;
}
