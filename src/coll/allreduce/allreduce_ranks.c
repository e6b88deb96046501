/* All-reduces by messages between all ranks, as their plans say (plan/sum_ranks.h). The total is made in the result,
 * or, where elements have gaps, in memory of its own. */
#include "coll/allreduce/allreduce.h"

#include <stdatomic.h>

#include "base/copy.h"
#include "base/log.h"
#include "coll/base/scratch.h"
#include "coll/call/call.h"
#include "coll/engine/engine.h"
#include "comm/allreduce_shapes.h"
#include "job/job.h"
#include "model/packet.h"
#include "plan/sum_ranks.h"

/* Stored elements (struct topo_vector), and how they are added up. */
struct sum {
    const struct topo_vector *vector;
    struct topo_bench bench;
    char *base;
};

static int add_own(const void *of, size_t at, size_t count)
{
    const struct sum *sum = of;
    const char *own = topo_vector_own(sum->vector, at);
    char *here = topo_stored_at(sum->vector, sum->base, at);
    return own == here ? MPI_SUCCESS : topo_vector_store(sum->vector, own, here, count);
}

static int add(const void *of, size_t at, size_t count, const char *mine, char *const *landed, int number, int own)
{
    const struct sum *sum = of;
    char *here = topo_stored_at(sum->vector, sum->base, at), *came = landed[0];
    int code = MPI_SUCCESS;
    (void)number; /* one at a time */
    if (sum->bench.combine) {
        sum->bench.combine((const char *[]){own > 0 ? came : mine, own > 0 ? mine : came}, 2, here, count);
        return MPI_SUCCESS;
    }
    if (own > 0) {
        code = mine == here ? MPI_SUCCESS : topo_vector_copy(sum->vector, mine, here, count);
        return code == MPI_SUCCESS ? topo_bench_add(&sum->bench, sum->vector, came, here, count) : code;
    }
    code = topo_bench_add(&sum->bench, sum->vector, mine, came, count);
    topo_copy(here, came, count * sum->vector->stored.bytes, false);
    return code;
}

static int run_plan(const struct topo_allreduce *call, const struct topo_plan *kept, size_t packet)
{
    const struct topo_vector *vector = &call->vector;
    struct topo_plan plan = *kept;
    struct sum sum = {.vector = vector};
    char *taken = vector->plain ? NULL : topo_scratch_take(vector->count * vector->stored.bytes + 1);
    int code = MPI_ERR_NO_MEM;
    sum.base = vector->plain ? vector->result : taken;
    if ((vector->plain || taken) &&
        topo_bench_open(&sum.bench, vector, packet > 0 && packet < vector->count ? packet : vector->count)) {
        const struct topo_engine_vector elements = {.base = sum.base,
                                                    .bytes = vector->stored.bytes,
                                                    .type = vector->stored.wire,
                                                    .units = (size_t)topo_stored_units(vector, 1),
                                                    .own = vector->plain && !vector->in_place ? vector->input : NULL};
        const struct topo_engine_sums sums = {.add_own = add_own, .add = add, .of = &sum};
        plan.cut.bytes = vector->count;
        code = topo_engine_run(call->comm, &plan, &elements, &sums);
        topo_bench_close(&sum.bench);
    }
    if (taken && code == MPI_SUCCESS)
        code = topo_vector_fetch(vector, taken, vector->result, vector->count);
    topo_scratch_give(taken);
    return code;
}

/* A grid that was asked for and does not fit is said once; strictly it is an error. */
static int check_given_grid(const struct topo_allreduce *call)
{
    static atomic_bool said;
    const char *name = topo_option_info(TOPO_OPTION_CYCLIC_GRID)->name;
    const char *text = topo_job.options.value[TOPO_OPTION_CYCLIC_GRID].text;
    bool strict = topo_job.options.value[TOPO_OPTION_STRICT].flag;
    struct topo_grid grid;
    if (topo_grid_option(name, text, &grid, NULL) != TOPO_OK || grid.dims == 0 ||
        topo_grid_fits(&grid, call->comm->ranks))
        return MPI_SUCCESS;
    if (!atomic_exchange(&said, true) && call->comm->rank == 0)
        topo_say("%s=%s is a grid of %d ranks, the communicator has %d; %s", name, text, grid.ranks,
                 call->comm->ranks, strict ? "an MPI error, as TOPOMPI_STRICT=1 says" : "it gets the automatic grid");
    if (!strict)
        return MPI_SUCCESS;
    topo_call_await_reason(TOPO_OPERATION_allreduce, call->comm);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

/* Elements of a packet, of which there are not too many to be counted; 0: the operation wants whole blocks, or
 * TOPOMPI_PACKET says so. */
static size_t packet_of(const struct topo_vector *vector, size_t suits)
{
    enum { PACKETS_MOST = 1 << 24 };
    const size_t given = topo_job.options.value[TOPO_OPTION_PACKET].size,
                 bytes = given == TOPO_SIZE_AUTO ? suits : given, least = vector->count / PACKETS_MOST + 1;
    if (bytes == 0 || vector->whole)
        return 0;
    const size_t packet = topo_packet_elements(bytes, vector->size);
    return packet > least ? packet : least;
}

int topo_allreduce_by_ranks(const struct topo_allreduce *call, enum topo_algorithm_id id)
{
    struct topo_comm *comm = call->comm;
    const struct topo_vector *vector = &call->vector;
    const bool by_leader = id == TOPO_ALGORITHM_allreduce_leader;
    topo_plan_function *form = by_leader ? topo_plan_sum_doubling : topo_plan_of(id);
    struct topo_plan_input in = {.root = -1, .ordered = !call->commutative};
    const struct topo_allreduce_shape *shape;
    int code = id == TOPO_ALGORITHM_allreduce_cyclic ? check_given_grid(call) : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        return code;
    enum topo_status status = topo_allreduce_shapes_get(
        call->channel, comm->tree, id == TOPO_ALGORITHM_allreduce_mixed_grid ? TOPO_SHAPE_MIXED : TOPO_SHAPE_CYCLIC,
        vector->count * vector->size, &comm->shapes, &shape);
    if (status != TOPO_OK)
        return status == TOPO_NOMEM ? MPI_ERR_NO_MEM : MPI_ERR_INTERN;
    if (form == topo_plan_sum_grid && shape->stripes) {
        form = topo_plan_sum_stripes;
        in.uneven = topo_allreduce_shapes_stripes(comm->shapes);
    } else if (form == topo_plan_sum_grid) {
        in.grid = &shape->grid;
    }
    if (call->commutative) /* else by rank */
        in.numbers = topo_comm_numbers(comm, by_leader ? TOPO_ALGORITHM_allreduce_recursive_halving : id);
    const size_t packet = packet_of(vector, shape->packet);
    in.packets =
        topo_plan_packets_of(topo_plan_sum_blocks(form, comm->ranks, &in), vector->count, vector->stored.bytes, packet);
    const struct topo_plan *plan = topo_comm_plan(comm, form, &in);
    return plan ? run_plan(call, plan, packet) : MPI_ERR_NO_MEM;
}
