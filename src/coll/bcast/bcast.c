#include "coll/bcast/bcast.h"

#include <limits.h>
#include <string.h>

#include "coll/base/scratch.h"
#include "coll/call/call.h"

typedef int run_function(const struct topo_bcast *call);

/* By id; NULL for native rows, which have no run of ours, and for rows of other operations. */
static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define BCAST(name, ...) [TOPO_ALGORITHM_bcast_##name] = topo_bcast_##name,
#include "catalog/algorithms.def"
};

/* A buffer or type that the native call has an error for is a mistake of this rank alone, maybe: it takes part with
 * memory of its own, so that the others, and what they share with it, get on, and the native call reports it then. */
static int run_beside(run_function *run, struct topo_bcast *call)
{
    size_t bytes = call->data.bytes;
    char *instead = topo_scratch_take(bytes);
    if (!instead)
        return MPI_ERR_NO_MEM;
    memset(instead, 0, bytes);
    int code = topo_data_describe(instead, (int)bytes, MPI_BYTE, &call->data);
    if (code == MPI_SUCCESS)
        code = run(call);
    topo_scratch_give(instead);
    return code;
}

bool topo_bcast_examine(struct topo_call *call, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                        MPI_Comm comm)
{
    (void)buffer;
    (void)comm;
    call->root = root;
    call->handles = (struct topo_call_handles){type, MPI_OP_NULL};
    return topo_data_is_known(count, type);
}

int topo_bcast_run(struct topo_call *call, void *buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct topo_bcast bcast = {.comm = call->state, .channel = &call->state->channel, .root = root};
    int code = topo_data_bytes(count, type, &call->bytes);
    (void)comm;
    if (code != MPI_SUCCESS)
        return code;
    /* Equal on all ranks: bytes and root are, counts and types need not be. MPI_Pack knows int lengths only. */
    if (call->bytes == 0 || call->bytes > INT_MAX)
        return code;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &(struct topo_facts){.bytes = call->bytes}, &code);
    if (!algorithm || (code = topo_data_describe(buffer, count, type, &bcast.data)) != MPI_SUCCESS)
        return code;
    if (buffer == MPI_IN_PLACE || !topo_data_committed(bcast.data.named, type, bcast.channel->comm))
        return run_beside(runs[algorithm->id], &bcast);
    call->ran = algorithm;
    return runs[algorithm->id](&bcast);
}
