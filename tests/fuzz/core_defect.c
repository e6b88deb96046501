/* A defect within the library on purpose, to see that the fuzzer finds it: between the library and MPI, it makes one bit
 * of all that is added up by MPI_Reduce_local wrong. Two calls of the library are equally wrong; MPI's own operations do
 * not come by here. */
#include "preload/tool.h"

TOOL_BELOW_LIBRARY

int PMPI_Reduce_local(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op)
{
    MPI_Aint lb, extent;
    TOOL_NEXT(PMPI_Reduce_local);
    int code = next(from, to, count, type, op);
    PMPI_Type_get_true_extent(type, &lb, &extent);
    if (code == MPI_SUCCESS && count > 0)
        ((char *)to)[lb] ^= 1;
    return code;
}
