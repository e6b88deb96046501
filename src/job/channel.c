#include "job/channel.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "job/device.h"

/* Tags are taken in units of so many: enough for every algorithm in communicators of up to some hundred ranks, and with
 * the 2^31 tags of Open MPI there are more units than communicators. */
enum { UNIT = 8192 };

struct topo_channel topo_channel_job = {.comm = MPI_COMM_NULL};
static int units;            /* in all */
static unsigned char *taken; /* [units] */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int units_for(size_t tags)
{
    return (int)((tags + UNIT - 1) / UNIT);
}

int topo_channels_reserve(void)
{
    int *upper = NULL, found = 0, own = 0;
    if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &found) == MPI_SUCCESS && found)
        own = (int)(((long)*upper + 1) / UNIT);
    taken = topo_calloc((size_t)own + 1, 1);
    return taken ? own : 0;
}

bool topo_channels_start(int least)
{
    struct topo_channel *job = &topo_channel_job;
    *job = (struct topo_channel){.comm = MPI_COMM_NULL, .units = 1, .user = MPI_COMM_WORLD};
    PMPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &job->ranks);
    if (least < job->units || PMPI_Comm_dup(MPI_COMM_WORLD, &job->comm) != MPI_SUCCESS) {
        job->comm = MPI_COMM_NULL;
        topo_channels_stop();
        return false;
    }
    PMPI_Comm_set_errhandler(job->comm, MPI_ERRORS_RETURN);
    units = least;
    memset(taken, 1, (size_t)job->units);
    return true;
}

void topo_channels_stop(void)
{
    if (topo_channel_job.comm != MPI_COMM_NULL)
        PMPI_Comm_free(&topo_channel_job.comm);
    topo_free(taken);
    taken = NULL;
    units = 0;
}

/* The first of `count` free units in a row at or after `from`; `units` when there are none. */
static int first_free(int from, int count)
{
    int run = 0;
    for (int at = from; at < units; at++) {
        run = taken[at] ? 0 : run + 1;
        if (run == count)
            return at - count + 1;
    }
    return units;
}

/* Takes `count` units from `first` on if all are free. */
static bool take(int first, int count)
{
    bool free = true;
    pthread_mutex_lock(&lock);
    for (int at = first; at < first + count; at++)
        free &= !taken[at];
    if (free)
        memset(taken + first, 1, (size_t)count);
    pthread_mutex_unlock(&lock);
    return free;
}

static void give_back(int first, int count)
{
    pthread_mutex_lock(&lock);
    if (taken)
        memset(taken + first, 0, (size_t)count);
    pthread_mutex_unlock(&lock);
}

/* Takes the first `count` free units in a row at or after `from`; where they begin, or `units`: there are none. */
static int take_first(int from, int count)
{
    pthread_mutex_lock(&lock);
    int first = first_free(from, count);
    if (first < units)
        memset(taken + first, 1, (size_t)count);
    pthread_mutex_unlock(&lock);
    return first;
}

/* What ranks bring to the agreement; of each the least of all ranks' comes back, so of two of them it is the most. */
enum { NOT_OBJECTION, NOT_FIRST, FIRST, LEASTS, FACTS = LEASTS + TOPO_CHANNEL_LEASTS };

/* As MPI libraries agree on context identifiers: the highest of what the ranks propose. Each rank has taken what it
 * proposes, so where all propose the same they are done; else those that had other units give them back and take the
 * highest, if they are free on all. Threads that agree for other communicators at the same time may have taken them;
 * the next try begins behind them. */
enum topo_opening topo_channel_open(struct topo_channel *channel, MPI_Comm user, const struct topo_numbers *world,
                                    size_t tags, bool reluctant, uint64_t least[TOPO_CHANNEL_LEASTS])
{
    /* A reluctant rank may know less of the communicator than the others, so its answer comes first. */
    enum { UNABLE = 1, RELUCTANT };
    int count = units_for(tags), first;
    for (int from = 0;; from = first + 1) {
        int own = take_first(from, count), got, all = 0;
        uint64_t objection = reluctant ? RELUCTANT : topo_device_loaded() ? UNABLE : 0, mine[FACTS], lowest[FACTS];
        mine[NOT_OBJECTION] = ~objection;
        mine[NOT_FIRST] = ~(uint64_t)own;
        mine[FIRST] = (uint64_t)own;
        memcpy(mine + LEASTS, least, TOPO_CHANNEL_LEASTS * sizeof *least);
        bool agreed = PMPI_Allreduce(mine, lowest, FACTS, MPI_UINT64_T, MPI_MIN, user) == MPI_SUCCESS;
        objection = agreed ? ~lowest[NOT_OBJECTION] : UNABLE;
        first = agreed ? (int)~lowest[NOT_FIRST] : units;
        if (own < units && (objection || own != first))
            give_back(own, count);
        if (objection || first == units)
            return objection == RELUCTANT ? TOPO_UNWANTED : TOPO_UNABLE;
        got = own == first || take(first, count);
        int code = MPI_SUCCESS;
        if (lowest[FIRST] == (uint64_t)first)
            all = got;
        else
            code = PMPI_Allreduce(&got, &all, 1, MPI_INT, MPI_LAND, user);
        if (code == MPI_SUCCESS && all) {
            memcpy(least, lowest + LEASTS, TOPO_CHANNEL_LEASTS * sizeof *least);
            *channel = (struct topo_channel){.comm = topo_channel_job.comm,
                                             .world = world,
                                             .tag = first * UNIT,
                                             .first = first,
                                             .units = count,
                                             .user = user};
            PMPI_Comm_rank(user, &channel->rank);
            PMPI_Comm_size(user, &channel->ranks);
            return TOPO_OPENED;
        }
        if (got)
            give_back(first, count);
        if (code != MPI_SUCCESS)
            return TOPO_UNABLE;
    }
}

void topo_channel_close(struct topo_channel *channel)
{
    if (channel->comm != MPI_COMM_NULL)
        give_back(channel->first, channel->units);
    channel->comm = MPI_COMM_NULL;
}
