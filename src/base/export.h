/* Symbols that leave the library: everything else is hidden (-fvisibility=hidden). */
#ifndef TOPO_BASE_EXPORT_H
#define TOPO_BASE_EXPORT_H

#define TOPO_EXPORT __attribute__((visibility("default")))

#endif
