/* The process environment: the only way to it from src/. */
#ifndef TOPO_BASE_ENVIRONMENT_H
#define TOPO_BASE_ENVIRONMENT_H

#include <stdlib.h>

/* The value of a variable, or NULL. It is the environment's own and may change with it: not to be freed. */
static inline const char *topo_environment(const char *name)
{
    return getenv(name);
}

#endif
