/* Slurm's topology.yaml. */
#include "readers/slurm_file.h"

READER(topology_yaml)
{
    return read_slurm_file("f.yaml", data, size);
}
