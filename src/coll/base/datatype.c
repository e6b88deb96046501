#include "coll/base/datatype.h"

#include <limits.h>
#include <string.h>

/* True when an element's bytes are one run without gaps in the order of the type
 * map. Equal size and extent are not enough: displacements may be permuted, and
 * another rank may describe the same signature by another type. Predefined
 * types, and contiguous or duplicated ones of such, are what programs use for
 * long messages; all others are packed. */
static int is_run(MPI_Datatype type, MPI_Count size, MPI_Aint lb, MPI_Aint extent, bool *run, bool *named)
{
    int integers, addresses, types, combiner, code;
    *run = *named = false;
    if (lb != 0 || size != extent)
        return MPI_SUCCESS;
    if ((code = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner)) != MPI_SUCCESS)
        return code;
    if (combiner == MPI_COMBINER_NAMED) {
        *run = *named = true;
        return MPI_SUCCESS;
    }
    if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP)
        return MPI_SUCCESS;

    int count[1], inner_integers, inner_addresses, inner_types;
    MPI_Aint none[1];
    bool inner_named;
    MPI_Datatype inner;
    if ((code = PMPI_Type_get_contents(type, integers, addresses, types, count, none, &inner)) != MPI_SUCCESS)
        return code;
    if ((code = PMPI_Type_size_x(inner, &size)) == MPI_SUCCESS &&
        (code = PMPI_Type_get_extent(inner, &lb, &extent)) == MPI_SUCCESS)
        code = is_run(inner, size, lb, extent, run, &inner_named);
    /* Only derived inner types come as new handles. */
    if (PMPI_Type_get_envelope(inner, &inner_integers, &inner_addresses, &inner_types, &combiner) == MPI_SUCCESS &&
        combiner != MPI_COMBINER_NAMED)
        PMPI_Type_free(&inner);
    return code;
}

/* This thread's latest predefined types that are runs, whose handles never come to mean others: to ask the MPI library
 * for all of that takes as long as a short call inside a node. */
enum { KNOWN = 4 };
struct known {
    MPI_Datatype type; /* 0: none */
    MPI_Count size;
    MPI_Aint extent;
};
static _Thread_local struct known known[KNOWN] __attribute__((tls_model("initial-exec")));

static struct known *known_as(MPI_Datatype type)
{
    return &known[(uint64_t)(uintptr_t)type * 0x9E3779B97F4A7C15U >> 62];
}

bool topo_data_is_predefined(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

int topo_data_bytes(MPI_Count count, MPI_Datatype type, size_t *bytes)
{
    const struct known *as = known_as(type);
    MPI_Count size = as->size;
    int code = as->type == type ? MPI_SUCCESS : PMPI_Type_size_x(type, &size);
    if (code == MPI_SUCCESS)
        *bytes = (size_t)size * (size_t)count;
    return code;
}

int topo_data_describe(const void *base, MPI_Count count, MPI_Datatype type, struct topo_data *data)
{
    MPI_Count size;
    MPI_Aint lb;
    int code;
    struct known *as = known_as(type);
    data->base = (void *)base;
    data->count = count;
    data->type = type;
    if (as->type == type) {
        data->extent = as->extent;
        data->bytes = (size_t)as->size * (size_t)count;
        data->contiguous = data->named = true;
        return MPI_SUCCESS;
    }
    if ((code = PMPI_Type_size_x(type, &size)) != MPI_SUCCESS ||
        (code = PMPI_Type_get_extent(type, &lb, &data->extent)) != MPI_SUCCESS)
        return code;
    data->bytes = (size_t)size * (size_t)count;
    code = is_run(type, size, lb, data->extent, &data->contiguous, &data->named);
    if (code == MPI_SUCCESS && data->named)
        *as = (struct known){type, size, data->extent};
    return code;
}

bool topo_data_committed(bool named, MPI_Datatype type, MPI_Comm comm)
{
    char nothing = 0;
    int position = 0;
    return named || PMPI_Pack(&nothing, 0, type, &nothing, 0, &position, comm) == MPI_SUCCESS;
}

/* MPICH's MPI_Pack and MPI_Unpack refuse a null address, where a type's displacements are addresses (MPI_BOTTOM) too.
 * Gives the elements at 0 as one of *type at `other`; free it. */
static int from_elsewhere(int count, MPI_Datatype elements, const void *other, MPI_Datatype *type)
{
    MPI_Aint address;
    int code = PMPI_Get_address(other, &address);
    address = -address;
    if (code == MPI_SUCCESS)
        code = PMPI_Type_create_hindexed(1, &count, &address, elements, type);
    return code == MPI_SUCCESS ? PMPI_Type_commit(type) : code;
}

/* Elements at `here` to `packed`, or the other way round. */
static int move_packed(bool pack, void *here, int count, MPI_Datatype elements, void *packed, int bytes, MPI_Comm comm)
{
    char other = 0;
    void *memory = here ? here : &other;
    int position = 0, code = MPI_SUCCESS;
    MPI_Datatype type = here ? elements : MPI_DATATYPE_NULL;
    if (!here) {
        code = from_elsewhere(count, elements, &other, &type);
        count = 1;
    }
    if (code == MPI_SUCCESS)
        code = pack ? PMPI_Pack(memory, count, type, packed, bytes, &position, comm)
                    : PMPI_Unpack(packed, bytes, &position, memory, count, type, comm);
    if (!here && type != MPI_DATATYPE_NULL)
        PMPI_Type_free(&type);
    return code;
}

int topo_pack(const void *from, int count, MPI_Datatype elements, void *packed, int bytes, MPI_Comm comm)
{
    return move_packed(true, (void *)from, count, elements, packed, bytes, comm);
}

int topo_unpack(const void *packed, int bytes, void *to, int count, MPI_Datatype elements, MPI_Comm comm)
{
    return move_packed(false, to, count, elements, (void *)packed, bytes, comm);
}

int topo_data_pack(const struct topo_data *data, size_t block, void *packed, MPI_Comm comm)
{
    const char *from = topo_data_block(data, block);
    if (!data->contiguous)
        return data->bytes > INT_MAX ? MPI_ERR_COUNT
                                     : topo_pack(from, (int)data->count, data->type, packed, (int)data->bytes, comm);
    memcpy(packed, from, data->bytes);
    return MPI_SUCCESS;
}

int topo_data_unpack(const struct topo_data *data, size_t block, const void *packed, MPI_Comm comm)
{
    char *to = topo_data_block(data, block);
    if (!data->contiguous)
        return data->bytes > INT_MAX ? MPI_ERR_COUNT
                                     : topo_unpack(packed, (int)data->bytes, to, (int)data->count, data->type, comm);
    memcpy(to, packed, data->bytes);
    return MPI_SUCCESS;
}
