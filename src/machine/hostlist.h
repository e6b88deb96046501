/* Slurm host lists: "n[0-3,7],m[01-04]x,login". */
#ifndef TOPO_MACHINE_HOSTLIST_H
#define TOPO_MACHINE_HOSTLIST_H

#include <stddef.h>

#include "base/status.h"

/* More names in one list than any machine has nodes. */
enum { TOPO_HOSTLIST_MAX = 1 << 20 };

/* Bytes of a name with its zero byte, at most. */
enum { TOPO_HOST_NAME_MAX = 256 };

/* Called for each name in the order of the list; any status but TOPO_OK ends the
 * walk and is returned (the visitor fills the error itself). `name` is
 * NUL-terminated and valid during the call only. */
typedef enum topo_status topo_hostlist_visitor(const char *name, size_t length, void *context);

/* Names every host of the list: elements are separated by commas, each with any
 * number of bracketed lists of numbers and ranges low-high. A number is written
 * with at least as many digits as `low` has, so zero padding is kept
 * (man slurm.conf, NodeName). Errors: TOPO_PARSE with what is wrong and what is
 * allowed (an empty list, element or range; unbalanced brackets; a descending
 * range; a name of 256 bytes or more; more than TOPO_HOSTLIST_MAX names). */
enum topo_status topo_hostlist_walk(const char *list, size_t length, topo_hostlist_visitor *visit, void *context,
                                    struct topo_error *error);

#endif
