#include "coll/library.h"

#include "base/memory.h"
#include "coll/base/operators.h"
#include "coll/exchange/count_estimate.h"
#include "coll/call/guard.h"
#include "coll/call/history.h"
#include "coll/call/state.h"
#include "coll/reduction/operands.h"
#include "job/job.h"
#include "measure/measure.h"
#include "node/pool.h"
#include "observe/stats.h"
#include "observe/trace.h"

static void release(struct topo_comm *state)
{
    struct topo_coll_state *own = topo_coll_of(state);
    if (state->comm_group)
        topo_history_end(state);
    topo_guards_free(own->guards);
    topo_count_estimate_free(own->estimate);
    topo_stats_forget(&own->reported);
    topo_free(own->modelled);
}

static void at_finalize(void)
{
    topo_trace_stop();
    topo_history_keep();
    topo_stats_print();
    topo_measure_stop();
    topo_history_stop();
}

void topo_library_start(bool trusted)
{
    static const struct topo_comm_user user = {sizeof(struct topo_coll_state), release, at_finalize, topo_guard_bring,
                                               topo_guard_opened};
    const struct topo_news links = topo_measure_news();
    topo_operators_start();
    topo_combine_start();
    topo_job_start(trusted, &links);
    topo_pool_start();
    topo_measure_start();
    if (topo_job.active) {
        topo_comm_start(&user);
        topo_history_start();
    }
    topo_stats_start();
}

void topo_library_stop(void)
{
    topo_comm_stop();
    topo_history_stop();
    topo_measure_stop();
    topo_job_stop();
    topo_pool_stop();
}
