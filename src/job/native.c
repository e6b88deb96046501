#include "job/native.h"

struct topo_native topo_native = {
#define OPERATION(name, Name, ...) .name = PMPI_##Name,
#include "catalog/operations.def"
};
