#include "job/world_ranks.h"

#include <stdatomic.h>

#include "base/log.h"
#include "base/numbers_search.h"
#include "family/family.h"
#include "job/job.h"

int topo_world_ranks_short = TOPO_MPI_GROUP_SHORT;

struct groups {
    MPI_Group group, world;
    bool foreign; /* a process of another job was met */
};

/* Places first .. first + count - 1 of `group` in `other`. */
static int translate(MPI_Group group, int first, int count, MPI_Group other, int *found)
{
    enum { PLACES = 64 };
    int place[PLACES], code = MPI_SUCCESS;
    for (int from = 0; from < count && code == MPI_SUCCESS; from += PLACES) {
        int places = count - from < PLACES ? count - from : PLACES;
        for (int i = 0; i < places; i++)
            place[i] = first + from + i;
        code = PMPI_Group_translate_ranks(group, places, place, other, found + from);
    }
    return code;
}

static int some(void *context, int first, int count, const int *number, int numbers, int *found)
{
    const struct groups *groups = context;
    MPI_Group few;
    int code = PMPI_Group_incl(groups->world, numbers, number, &few);
    if (code != MPI_SUCCESS)
        return code;
    code = translate(groups->group, first, count, few, found);
    for (int i = 0; i < count; i++)
        found[i] = found[i] == MPI_UNDEFINED ? -1 : found[i];
    PMPI_Group_free(&few);
    return code;
}

static int any(void *context, int place, int *number)
{
    struct groups *groups = context;
    int code = translate(groups->group, place, 1, groups->world, number);
    groups->foreign = *number == MPI_UNDEFINED;
    *number = groups->foreign ? -1 : *number;
    return code;
}

/* Once a process, by the first rank of the group, which is known. */
static void tell_no_rule(int first, int ranks)
{
    static atomic_bool said;
    if (first == topo_job.rank && !atomic_exchange(&said, true))
        topo_say("a communicator of %d ranks in an order without a rule runs natively: to find out who they are would "
                 "take too long",
                 ranks);
}

int topo_world_ranks(MPI_Group group, int ranks, uint64_t most, int *world, bool *all)
{
    struct groups groups = {.group = group};
    const struct topo_numbers_asked asked = {&groups, some, any};
    int end, code = PMPI_Comm_group(MPI_COMM_WORLD, &groups.world);
    if (code != MPI_SUCCESS)
        return code;
    code = PMPI_Group_size(groups.world, &end);
    if (code == MPI_SUCCESS && ranks <= topo_world_ranks_short) {
        *all = true;
        code = translate(group, 0, ranks, groups.world, world);
        for (int i = 0; i < ranks; i++)
            *all = *all && world[i] != MPI_UNDEFINED;
    } else if (code == MPI_SUCCESS) {
        code = topo_numbers_search(&asked, ranks, end, most, world, all);
        if (code == MPI_SUCCESS && !*all && !groups.foreign)
            tell_no_rule(world[0], ranks);
    }
    PMPI_Group_free(&groups.world);
    return code;
}
