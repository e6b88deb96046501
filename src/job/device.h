/* Memory of accelerators. A program whose MPI library knows devices may hand pointers to such memory to MPI calls; the
 * processor, which our forms in shared memory copy and add with, must not touch it.
 *
 * Ranks must not decide by their own buffers, as one may have its buffer on a device and another not. So all ranks of a
 * communicator leave it to the native calls, untouched, where any of them has a driver loaded when they agree on the
 * communicator (job/channel.h); for MPI_COMM_WORLD that is the end of MPI_Init. An MPI library that knows devices has
 * loaded the driver by then, in its own MPI_Init. */
#ifndef TOPO_JOB_DEVICE_H
#define TOPO_JOB_DEVICE_H

#include <stdbool.h>

/* True when this process has the driver of an accelerator loaded, CUDA's (libcuda.so.1) or ROCm's (libamdhip64.so). We
 * load none and bind to none. */
bool topo_device_loaded(void);

#endif
