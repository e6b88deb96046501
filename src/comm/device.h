/* Memory of accelerators. A program whose MPI library knows devices may hand pointers to such memory to MPI calls; the
 * processor must not read them. The driver is asked, CUDA's (libcuda.so.1) or ROCm's (libamdhip64.so), but only where
 * the process has loaded it: we load none and bind to none. Without a driver nothing costs more than looking whether
 * one came. */
#ifndef TOPO_COMM_DEVICE_H
#define TOPO_COMM_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/* True from the moment on at which the process has a driver loaded, which may be late and in some ranks only. 25 ns
 * until then (dl_iterate_phdr() tells whether any library was loaded since), a look at a flag after. */
bool topo_device_loaded(void);

/* True when `pointer` lies in memory of a device, managed memory included, of which the driver says so; false for
 * everything else, NULL and addresses that nobody allocated too. */
bool topo_device_pointer(const void *pointer);

/* Copies `bytes` where at least one of both lies on a device, and returns when they are there. False when the driver
 * fails. */
bool topo_device_copy(void *to, const void *from, size_t bytes);

#endif
