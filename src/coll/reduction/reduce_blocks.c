#include "coll/reduction/reduce_steps.h"

#include "coll/base/scratch.h"
#include "coll/base/transport.h"

int topo_run_blocks(const struct topo_run *run, const struct topo_vector *vector,
                    const struct topo_allreduce_steps *steps)
{
    void *block = NULL;
    char *waiting = NULL;
    int code = MPI_SUCCESS;
    size_t longest = topo_vector_longest_waiting(vector, steps);
    if (longest && !topo_vector_scratch(vector, longest, &block, &waiting))
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < steps->count && code == MPI_SUCCESS; i++) {
        const struct topo_allreduce_step *step = &steps->list[i];
        int to = step->send.count ? step->to : -1, from = step->receive.count ? step->from : -1;
        const char *source = topo_vector_source(vector, step, step->send.at);
        char *landing =
            topo_vector_lands(vector, step) ? topo_vector_at(vector, vector->result, step->receive.at) : waiting;
        code = topo_sendrecv_typed((struct topo_elements){(void *)source, (int)step->send.count, vector->type},
                                   to < 0 ? MPI_PROC_NULL : to,
                                   (struct topo_elements){landing, (int)step->receive.count, vector->type},
                                   from < 0 ? MPI_PROC_NULL : from, TOPO_TAG, run->channel);
        if (code == MPI_SUCCESS && from >= 0)
            code = topo_vector_combine(vector, step, step->receive.at, step->receive.count, landing);
    }
    topo_scratch_give(block);
    return code;
}
