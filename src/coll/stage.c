#include "coll/stage.h"

#include <stdint.h>

#include "coll/scratch.h"
#include "comm/device.h"

/* The bytes of the buffer: all from the first to the last, and whether there are gaps among them. */
static int span(struct topo_stage *stage)
{
    MPI_Aint true_lb, true_extent, lb, extent;
    MPI_Count size;
    int code;
    if ((code = PMPI_Type_get_true_extent(stage->type, &true_lb, &true_extent)) != MPI_SUCCESS ||
        (code = PMPI_Type_get_extent(stage->type, &lb, &extent)) != MPI_SUCCESS ||
        (code = PMPI_Type_size_x(stage->type, &size)) != MPI_SUCCESS)
        return code;
    MPI_Aint last = (stage->count - 1) * extent; /* from the first element to the last one */
    stage->first = true_lb + (last < 0 ? last : 0);
    stage->bytes = (size_t)(true_extent + (last < 0 ? -last : last));
    stage->gaps = (size_t)size * (size_t)stage->count != stage->bytes;
    return MPI_SUCCESS;
}

/* Moves the elements by MPI, which knows devices, as the program's own call must rely on it: packed, then unpacked. */
static int move_elements(const struct topo_stage *stage, const char *from, char *to)
{
    MPI_Aint lb, extent;
    int code, size, room;
    if ((code = PMPI_Pack_size(1, stage->type, stage->comm, &size)) != MPI_SUCCESS ||
        (code = PMPI_Type_get_extent(stage->type, &lb, &extent)) != MPI_SUCCESS)
        return code;
    int most = size > 0 && size < 1 << 24 ? (1 << 24) / size : 1; /* elements at a time */
    most = stage->count < most ? stage->count : most;
    if ((code = PMPI_Pack_size(most, stage->type, stage->comm, &room)) != MPI_SUCCESS)
        return code;
    char *packed = topo_scratch_take((size_t)room + 1);
    if (!packed)
        return MPI_ERR_NO_MEM;
    for (int done = 0; done < stage->count && code == MPI_SUCCESS; done += most) {
        int count = stage->count - done < most ? stage->count - done : most, in = 0, out = 0;
        MPI_Aint at = done * extent;
        code = PMPI_Pack(from + at, count, stage->type, packed, room, &in, stage->comm);
        if (code == MPI_SUCCESS)
            code = PMPI_Unpack(packed, in, &out, to + at, count, stage->type, stage->comm);
    }
    topo_scratch_give(packed);
    return code;
}

static int move(const struct topo_stage *stage, const void *from, void *to)
{
    if (stage->gaps)
        return move_elements(stage, from, to);
    return topo_device_copy((char *)to + stage->first, (const char *)from + stage->first, stage->bytes) ? MPI_SUCCESS
                                                                                                        : MPI_ERR_OTHER;
}

int topo_stage_open(struct topo_stage *stage, void *buffer, int count, MPI_Datatype type, bool reads, MPI_Comm comm)
{
    *stage = (struct topo_stage){.host = buffer, .buffer = buffer, .count = count, .type = type, .comm = comm};
    if (count <= 0 || buffer == MPI_IN_PLACE || !topo_device_loaded())
        return MPI_SUCCESS;
    int code = span(stage);
    if (code != MPI_SUCCESS || stage->bytes == 0 ||
        !topo_device_pointer((void *)((uintptr_t)buffer + (uintptr_t)stage->first)))
        return code;
    stage->copy = topo_scratch_take(stage->bytes);
    if (!stage->copy)
        return MPI_ERR_NO_MEM;
    stage->host = (void *)((uintptr_t)stage->copy - (uintptr_t)stage->first); /* may lie anywhere */
    if (reads)
        code = move(stage, buffer, stage->host);
    if (code != MPI_SUCCESS) {
        topo_scratch_give(stage->copy);
        stage->copy = NULL;
    }
    return code;
}

int topo_stage_close(struct topo_stage *stage, bool writes)
{
    int code = stage->copy && writes ? move(stage, stage->host, stage->buffer) : MPI_SUCCESS;
    topo_scratch_give(stage->copy);
    stage->copy = NULL;
    return code;
}
