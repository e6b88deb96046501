#include "common/native.h"
#include "fuzz/calls.h"

#define NAMED(NAME, Name) #Name,
static const char *const names[] = {FUZZ_EACH_OPERATION(NAMED)};

#define EITHER(name, ...) (native ? NATIVE(name)(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

int fuzz_call(const struct fuzz_call *c, bool native)
{
    switch (c->operation) {
    case FUZZ_ALLGATHER:
        return EITHER(Allgather, c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
                      c->comm);
    case FUZZ_ALLGATHERV:
        return EITHER(Allgatherv, c->send, c->send_count, c->send_type, c->receive, c->receive_counts,
                      c->receive_places, c->receive_type, c->comm);
    case FUZZ_ALLREDUCE:
        return EITHER(Allreduce, c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    case FUZZ_ALLTOALL:
        return EITHER(Alltoall, c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
                      c->comm);
    case FUZZ_ALLTOALLV:
        return EITHER(Alltoallv, c->send, c->send_counts, c->send_places, c->send_type, c->receive, c->receive_counts,
                      c->receive_places, c->receive_type, c->comm);
    case FUZZ_BARRIER: return EITHER(Barrier, c->comm);
    case FUZZ_BCAST: return EITHER(Bcast, c->receive, c->receive_count, c->receive_type, c->root, c->comm);
    case FUZZ_GATHER:
        return EITHER(Gather, c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
                      c->root, c->comm);
    case FUZZ_GATHERV:
        return EITHER(Gatherv, c->send, c->send_count, c->send_type, c->receive, c->receive_counts, c->receive_places,
                      c->receive_type, c->root, c->comm);
    case FUZZ_SCATTERV:
        return EITHER(Scatterv, c->send, c->send_counts, c->send_places, c->send_type, c->receive, c->receive_count,
                      c->receive_type, c->root, c->comm);
    case FUZZ_SCATTER:
        return EITHER(Scatter, c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
                      c->root, c->comm);
    case FUZZ_REDUCE:
        return EITHER(Reduce, c->send, c->receive, c->receive_count, c->receive_type, c->op, c->root, c->comm);
    case FUZZ_REDUCE_SCATTER:
        return EITHER(Reduce_scatter, c->send, c->receive, c->receive_counts, c->receive_type, c->op, c->comm);
    case FUZZ_REDUCE_SCATTER_BLOCK:
        return EITHER(Reduce_scatter_block, c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    case FUZZ_SCAN: return EITHER(Scan, c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    case FUZZ_EXSCAN: return EITHER(Exscan, c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    default: return MPI_ERR_INTERN;
    }
}

const char *fuzz_operation_name(enum fuzz_operation operation)
{
    return names[operation];
}

int fuzz_error_class(int code)
{
    int class = code;
    if (code >= 0)
        PMPI_Error_class(code, &class);
    return class;
}
