#include "comm/refusals.h"

#include "comm/early.h"
#include "job/job.h"
#include "job/threads.h"

enum { MOST = 1024 };
static struct {
    uint64_t members;
    struct topo_refusals refusals;
} row[MOST]; /* in the order in which they came; one thread writes and reads them */
static unsigned count;

unsigned topo_refusals_count(void)
{
    return count;
}

struct topo_refusals topo_refusals_of(uint64_t members, unsigned known)
{
    while (known > 0)
        if (row[--known].members == members)
            return row[known].refusals;
    return (struct topo_refusals){0};
}

bool topo_refusals_have_room(void)
{
    return !topo_threads_many() && count < MOST && topo_early_most > 0;
}

void topo_refusals_add(uint64_t members, struct topo_refusals refusals)
{
    const struct topo_refusals latest = topo_refusals_of(members, count);
    if (latest.times == refusals.times && latest.one_form == refusals.one_form)
        return;
    row[count].members = members;
    row[count++].refusals = refusals;
}

void topo_refusals_stop(void)
{
    count = 0;
}
