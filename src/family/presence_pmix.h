/* The types and numbers of PMIx that presence_pmix.c needs, as the PMIx Standard has them since version 2
 * (docs/REFERENCES.md, Launchers 2). They are its ABI, so that no pmix.h is needed and any PMIx library that the
 * program's MPI uses will do. */
#ifndef TOPO_FAMILY_PRESENCE_PMIX_H
#define TOPO_FAMILY_PRESENCE_PMIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PMIX_SUCCEEDED = 0, PMIX_TIMED_OUT = -24, PMIX_FOUND_NOTHING = -46 };
enum { PMIX_TYPE_BOOL = 1, PMIX_TYPE_STRING = 3 };
enum { PMIX_SCOPE_GLOBAL = 3 };
#define PMIX_ALL_RANKS (UINT32_MAX - 1)

struct pmix_process {
    char nspace[256];
    uint32_t rank;
};

struct pmix_datum {
    uint16_t type;
    union {
        bool flag;
        char *string;
        struct {
            char *name, *value, separator;
        } largest;
    } data;
};

struct pmix_directive {
    char key[512];
    uint32_t flags;
    struct pmix_datum value;
};

/* PMIx_Init, PMIx_Finalize, PMIx_Put, PMIx_Get. */
typedef int pmix_init_function(struct pmix_process *self, struct pmix_directive *info, size_t count);
typedef int pmix_finalize_function(const struct pmix_directive *info, size_t count);
typedef int pmix_put_function(uint8_t scope, const char *key, struct pmix_datum *value);
typedef int pmix_get_function(const struct pmix_process *process, const char *key, const struct pmix_directive *info,
                              size_t count, struct pmix_datum **value);

#endif
