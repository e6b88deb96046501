#include "topo-bench/start.h"

#include <stdlib.h>

#include <mpi.h>

#include "base/text.h"
#include "catalog/options.h"

int bench_launched_as(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    long rank;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]) && topo_parse_long(getenv(variables[i]), 0, 1L << 30, &rank))
            return (int)rank;
    return 0;
}

void bench_clear_environment(void)
{
    for (int i = 0; i < TOPO_OPTION_COUNT; i++) {
        const struct topo_option_info *info = topo_option_info((enum topo_option)i);
        if (info->kind == TOPO_OPTION_KIND_ALGORITHM || i == TOPO_OPTION_ENABLED)
            unsetenv(info->name);
    }
}

void bench_start_mpi(int *argc, char ***argv)
{
    const char *enabled = topo_option_info(TOPO_OPTION_ENABLED)->name;
    setenv(enabled, "off", 1);
    PMPI_Init(argc, argv);
    unsetenv(enabled);
}
