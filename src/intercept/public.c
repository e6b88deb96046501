/* The functions of the public interface, include/topompi.h. */
#include "topompi.h"

#include "base/export.h"

TOPO_EXPORT const char *topompi_version(void)
{
    return TOPOMPI_VERSION;
}
