/* Slurm's topology.conf. */
#include "readers/slurm_file.h"

READER(topology)
{
    return read_slurm_file("f", data, size);
}
