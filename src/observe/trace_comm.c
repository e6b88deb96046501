#include "base/hash.h"
#include "base/memory.h"
#include "job/world_ranks.h"
#include "observe/trace_parts.h"

enum { VECTORS = 64 };

static int group_key = MPI_KEYVAL_INVALID;
static unsigned groups, vectors;
/* The newest vectors by what is in them: programs use the same ones again and again. */
static struct {
    uint64_t hash;
    unsigned id;
} known_vectors[VECTORS];

static int forget_members(MPI_Comm comm, int key, void *members, void *extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    topo_free(members);
    return MPI_SUCCESS;
}

const struct topo_trace_members *topo_trace_members_of(MPI_Comm comm)
{
    struct topo_trace_members *members = NULL;
    int flag = 0, count, own;
    MPI_Group group = MPI_GROUP_NULL;
    if (PMPI_Comm_get_attr(comm, group_key, &members, &flag) == MPI_SUCCESS && flag)
        return members;
    PMPI_Comm_size(comm, &count);
    PMPI_Comm_rank(comm, &own);
    members = topo_alloc(1, sizeof *members + (size_t)count * sizeof(int));
    bool usable = members;
    if (usable) {
        PMPI_Comm_group(comm, &group);
        usable = topo_world_ranks(group, count, UINT64_MAX, members->world, &usable) == MPI_SUCCESS && usable;
        PMPI_Group_free(&group);
    }
    if (usable) {
        members->id = groups + 1;
        usable = PMPI_Comm_set_attr(comm, group_key, members) == MPI_SUCCESS;
    }
    if (!usable) {
        topo_free(members);
        return NULL;
    }
    groups++;
    topo_trace_write_group(&topo_trace_out, members->id, own, members->world, count);
    return members;
}

unsigned topo_trace_vector_of(const struct topo_trace_counts *counts, int count)
{
    uint64_t hash = TOPO_HASH_START ^ (uint64_t)count, *bytes = topo_alloc((size_t)count, sizeof *bytes);
    unsigned id = 0;
    if (!bytes)
        return 0;
    for (int i = 0; i < count; i++) {
        bytes[i] = topo_trace_bytes(topo_counts_of(counts->counts, i), counts->types ? counts->types[i] : counts->type);
        hash = topo_hash_add(hash, bytes[i]);
    }
    hash ^= hash >> 29;
    if (known_vectors[hash % VECTORS].id && known_vectors[hash % VECTORS].hash == hash) {
        id = known_vectors[hash % VECTORS].id;
    } else {
        id = ++vectors;
        topo_trace_write_vector(&topo_trace_out, id, bytes, count);
        known_vectors[hash % VECTORS].hash = hash;
        known_vectors[hash % VECTORS].id = id;
    }
    topo_free(bytes);
    return id;
}

uint64_t topo_trace_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

void topo_trace_comm_start(void)
{
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_members, &group_key, NULL);
}

void topo_trace_comm_stop(void)
{
    PMPI_Comm_free_keyval(&group_key);
}
