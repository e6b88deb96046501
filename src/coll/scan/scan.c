/* MPI_Scan and MPI_Exscan, as their plans say (plan/scan.h). The block that becomes the result lies in the program's
 * buffer, unless elements have gaps; the others lie beside it. */
#include "coll/call/operations.h"

#include "base/align.h"
#include "coll/base/datatype.h"
#include "coll/base/scratch.h"
#include "coll/call/call.h"
#include "coll/engine/engine.h"
#include "coll/reduction/vector.h"
#include "plan/scan.h"

enum { BLOCKS = TOPO_SCAN_SHIFTED + 1, NONE = -1 };

/* One call: where the blocks are, as stored elements, and which of them becomes the result. */
struct scan {
    const struct topo_vector *vector;
    struct topo_bench bench;
    char *block[BLOCKS];
    int result;
};

static struct topo_elements place(const void *of, int64_t block, int count)
{
    const struct scan *scan = of;
    (void)count; /* one */
    return (struct topo_elements){scan->block[block], topo_stored_units(scan->vector, scan->vector->count),
                                  scan->vector->stored.wire};
}

/* All of it, from lower ranks. */
static int add(const void *of, size_t at, size_t count, const char *here, char *const *landed, int number, int own)
{
    const struct scan *scan = of;
    (void)at;
    (void)here;
    (void)number;
    (void)own;
    return topo_bench_add(&scan->bench, scan->vector, landed[0], scan->block[TOPO_SCAN_OWN], count);
}

static int run_plan(struct scan *scan, const struct topo_comm *comm, const struct topo_plan *plan)
{
    const struct topo_vector *vector = scan->vector;
    const struct topo_engine_vector blocks = {.base = scan->block[TOPO_SCAN_OWN],
                                              .bytes = vector->stored.bytes,
                                              .type = vector->stored.wire,
                                              .units = (size_t)topo_stored_units(vector, 1),
                                              .place = place,
                                              .of = scan};
    const struct topo_engine_sums sums = {.add = add, .of = scan};
    const char *own = topo_vector_own(vector, 0);
    int code = MPI_SUCCESS;
    if (own != scan->block[TOPO_SCAN_OWN])
        code = topo_vector_store(vector, own, scan->block[TOPO_SCAN_OWN], vector->count);
    code = topo_first_error(code, topo_engine_run(comm, plan, &blocks, &sums));
    if (scan->result == NONE || code != MPI_SUCCESS)
        return code;
    if (scan->result != TOPO_SCAN_BEFORE && topo_plan_scan_gets(plan, TOPO_SCAN_BEFORE))
        code = topo_bench_add(&scan->bench, vector, scan->block[TOPO_SCAN_BEFORE], scan->block[scan->result],
                              vector->count);
    return code == MPI_SUCCESS && !vector->plain
               ? topo_vector_fetch(vector, scan->block[scan->result], vector->result, vector->count)
               : code;
}

static int result_of(const struct topo_plan *plan)
{
    if (plan->scans == TOPO_SCANS_TO)
        return TOPO_SCAN_OWN;
    return topo_plan_scan_gets(plan, TOPO_SCAN_SHIFTED)  ? TOPO_SCAN_SHIFTED
           : topo_plan_scan_gets(plan, TOPO_SCAN_BEFORE) ? TOPO_SCAN_BEFORE
                                                         : NONE;
}

static int run_form(struct topo_comm *comm, const struct topo_vector *vector, enum topo_algorithm_id id)
{
    const bool is_long = vector->count * vector->size >= TOPO_SCAN_LONG; /* all that plans know of bytes */
    const struct topo_plan_input in = {.bytes = is_long ? TOPO_SCAN_LONG : 1};
    const struct topo_plan *kept = topo_comm_plan(comm, topo_plan_of(id), &in);
    const size_t each = topo_align(vector->count * vector->stored.bytes, TOPO_CACHE_LINE);
    struct scan scan = {.vector = vector};
    int code = MPI_ERR_NO_MEM;
    char *taken = kept ? topo_scratch_take(BLOCKS * each) : NULL;
    if (taken && topo_bench_open(&scan.bench, vector, vector->count)) {
        struct topo_plan plan = *kept;
        plan.cut.bytes = plan.cut.segments * vector->count;
        scan.result = result_of(&plan);
        for (int i = 0; i < BLOCKS; i++)
            scan.block[i] = i == scan.result && vector->plain ? vector->result : taken + (size_t)i * each;
        code = run_plan(&scan, comm, &plan);
        topo_bench_close(&scan.bench);
    }
    topo_scratch_give(taken);
    return code;
}

static bool examine(struct topo_call *call, const void *send, const void *receive, MPI_Count count, MPI_Datatype type,
                    MPI_Op op)
{
    call->handles = (struct topo_call_handles){type, op};
    return topo_data_is_known(count, type) && op != MPI_OP_NULL && receive != MPI_IN_PLACE &&
           (TOPO_MPI_SCANS_SAME || send != receive || count == 0 || send == MPI_BOTTOM);
}

static int run(struct topo_call *call, const void *send, void *receive, MPI_Count count, MPI_Datatype type, MPI_Op op)
{
    struct topo_vector vector;
    struct topo_facts facts;
    int code;
    const struct topo_algorithm *algorithm = topo_call_choose_sum(call, 1, (size_t)count, type, op, &facts, &code);
    if (!algorithm)
        return code;
    code = topo_vector_describe(send == receive ? MPI_IN_PLACE : send, receive, (int)count, type, op, &vector);
    vector.channel = &call->state->channel;
    if (code != MPI_SUCCESS || !topo_data_committed(vector.named, type, call->state->channel.comm))
        return code;
    call->ran = algorithm;
    return run_form(call->state, &vector, algorithm->id);
}

#define SCAN(name) \
    bool topo_##name##_examine(struct topo_call *call, const void *send, void *receive, MPI_Count count, \
                               MPI_Datatype type, MPI_Op op, MPI_Comm comm) \
    { \
        (void)comm; \
        return examine(call, send, receive, count, type, op); \
    } \
    int topo_##name##_run(struct topo_call *call, const void *send, void *receive, MPI_Count count, MPI_Datatype type, \
                          MPI_Op op, MPI_Comm comm) \
    { \
        (void)comm; \
        return run(call, send, receive, count, type, op); \
    }

SCAN(scan)
SCAN(exscan)
