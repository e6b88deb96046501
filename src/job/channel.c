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

static int propose(int from, int count)
{
    pthread_mutex_lock(&lock);
    int first = first_free(from, count);
    pthread_mutex_unlock(&lock);
    return first;
}

/* As MPI libraries agree on context identifiers: the highest of what the ranks propose, if it is free on all. Threads
 * that agree for other communicators at the same time may take it first; the next try begins behind it. */
enum topo_opening topo_channel_open(struct topo_channel *channel, MPI_Comm user, const int *world, size_t tags,
                                    bool reluctant, int *least)
{
    enum { UNABLE = 2 };
    int count = units_for(tags), from = 0;
    for (;;) {
        int mine[3] = {topo_device_loaded() ? UNABLE : reluctant, propose(from, count), -*least}, most[3] = {0};
        if (PMPI_Allreduce(mine, most, 3, MPI_INT, MPI_MAX, user) != MPI_SUCCESS)
            return TOPO_UNABLE;
        int first = most[1];
        if (most[0] == UNABLE || first + count > units)
            return TOPO_UNABLE;
        if (most[0])
            return TOPO_UNWANTED;
        int got = take(first, count), all = 0;
        int code = PMPI_Allreduce(&got, &all, 1, MPI_INT, MPI_LAND, user);
        if (code == MPI_SUCCESS && all) {
            *least = -most[2];
            *channel = (struct topo_channel){topo_channel_job.comm, world, first * UNIT, first, count, user};
            return TOPO_OPENED;
        }
        if (got)
            give_back(first, count);
        if (code != MPI_SUCCESS)
            return TOPO_UNABLE;
        from = first + 1;
    }
}

void topo_channel_close(struct topo_channel *channel)
{
    if (channel->comm != MPI_COMM_NULL)
        give_back(channel->first, channel->units);
    channel->comm = MPI_COMM_NULL;
}
