#include "topo-bench/operation.h"

#include <string.h>

static const struct bench_operation *const operations[] = {
#define OPERATION(name) &bench_##name,
#include "topo-bench/operations.def"
#undef OPERATION
};

enum { OPERATIONS = sizeof operations / sizeof *operations };

const struct bench_operation *bench_operation_find(const char *name)
{
    for (int i = 0; i < OPERATIONS; i++)
        if (!strcmp(operations[i]->name, name))
            return operations[i];
    return NULL;
}

void bench_operation_names(struct topo_text *out)
{
    for (int i = 0; i < OPERATIONS; i++)
        topo_text_addf(out, "%s%s", i ? " " : "", operations[i]->name);
}

int bench_operation_id(const struct bench_operation *operation)
{
    for (int i = 0; i < TOPO_OPERATION_COUNT; i++)
        if (!strcmp(topo_operation_name((enum topo_operation)i), operation->name))
            return i;
    return -1;
}
