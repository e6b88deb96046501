/* The MPI libraries that there are cores for, and how launchers number the ranks. */
#ifndef TOPO_FAMILY_KNOWN_H
#define TOPO_FAMILY_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/environment.h"

/* Families (family/family.h) by the names that their cores have. */
static const char *const topo_families[] = {"abi", "mpich", "ompi"};

struct topo_product {
    const char *name, *family;
};

/* What the first line of PMPI_Get_library_version() names first: "Open MPI v4.1.4, package: ...",
 * "MPICH Version:\t4.0.2", "Intel(R) MPI Library 2021.16 for Linux* OS", "MVAPICH Version:\t3.0",
 * "MPI VERSION    : CRAY MPICH version 8.1.27.26 (ANL base 3.4a2)". NULL: none of these. */
static inline const struct topo_product *topo_product_of(const char *version)
{
    static const struct topo_product products[] = {{"Open MPI", "ompi"},
                                                   {"CRAY MPICH", "mpich"},
                                                   {"Intel(R) MPI", "mpich"},
                                                   {"MVAPICH", "mpich"},
                                                   {"MPICH", "mpich"}};
    const struct topo_product *found = NULL;
    const char *first = version + strcspn(version, "\n");
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const char *at = strstr(version, products[i].name);
        if (at && at < first) {
            first = at;
            found = &products[i];
        }
    }
    return found;
}

/* MPI_ERR_NO_MEM, where no header says it. */
static inline int topo_no_memory_of(const struct topo_product *product)
{
    enum { OF_MPICH = 34, OF_OTHERS = 39 };
    return product && !strcmp(product->family, "mpich") ? OF_MPICH : OF_OTHERS;
}

/* The rank in MPI_COMM_WORLD as text, where the launcher says it by a variable that we know; else NULL. */
static inline const char *topo_launched_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",
                                            "MV2_COMM_WORLD_RANK",  "PALS_RANKID", "SLURM_PROCID"};
    const char *rank = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !rank; i++)
        rank = topo_environment(variables[i]);
    return rank;
}

/* Is this the rank that speaks for all, or may it be? */
static inline bool topo_launched_first(void)
{
    const char *rank = topo_launched_rank();
    return !rank || !strcmp(rank, "0");
}

#endif
