#include "node/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "job/job.h"
#include "node/descriptors.h"
#include "node/room.h"

/* So much of this rank's part in TOPOMPI_SHARED stays in segments that nobody holds, at most. */
enum { IDLE_PART = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below; no call of MPI's is made with it */
static struct topo_segment *segments;                    /* that are mapped here */
static uint32_t made;                                    /* by this process */
static bool passes;                                      /* segments without a name, as far as is known */
static size_t charged, charged_named; /* this rank's parts in TOPOMPI_SHARED, of what it holds; of these in /dev/shm */
static char why[160];                 /* a segment could not be had; "": all could */
static bool said;                     /* to the user */

/* This rank's part of TOPOMPI_SHARED. */
static size_t allowance(void)
{
    return topo_job.options.value[TOPO_OPTION_SHARED].size / (size_t)topo_job.node_ranks;
}

static size_t share_of(size_t length, int ranks)
{
    return (length + (size_t)ranks - 1) / (size_t)ranks;
}

static uint64_t id_of(uint32_t number)
{
    return ((uint64_t)topo_job.rank + 1) << 32 | number;
}

static bool is_made_here(const struct topo_segment *segment)
{
    return segment->id >> 32 == id_of(0) >> 32;
}

static void remember_why(size_t length, int code)
{
    if (code != 0 && !why[0])
        snprintf(why, sizeof why, "%zu KiB of node-shared memory: %s%s", length >> 10, strerror(code),
                 passes ? "" : "; it may have a quarter of what is free in /dev/shm");
}

/* A new entry; nothing is mapped. */
static struct topo_segment *add(size_t length, const int *members, int ranks)
{
    size_t count = members ? (size_t)ranks : 0;
    struct topo_segment *segment = topo_calloc(1, sizeof *segment + count * sizeof *members);
    if (!segment)
        return NULL;
    segment->length = length;
    segment->descriptor = -1;
    if (members)
        memcpy(segment->members, members, count * sizeof *members);
    segment->next = segments;
    segments = segment;
    return segment;
}

static void forget(struct topo_segment *segment)
{
    struct topo_segment **at = &segments;
    while (*at != segment)
        at = &(*at)->next;
    *at = segment->next;
    topo_segment_settle(segment, is_made_here(segment));
    topo_segment_close(segment);
    topo_free(segment);
}

/* Those that were ended, and the oldest idle ones where this rank's part in all is more than `most` bytes. */
static void tidy(size_t most)
{
    size_t idle = 0;
    for (struct topo_segment *next, *segment = segments; segment; segment = next) {
        next = segment->next;
        if (segment->held)
            continue;
        if (topo_segment_is_idle(segment) && (idle + segment->share <= most || !topo_segment_end_idle(segment)))
            idle += segment->share;
        else if (topo_segment_is_ended(segment))
            forget(segment);
    }
}

/* What is idle makes room for a new one. */
static void make_room_for(size_t length, int ranks)
{
    size_t most = allowance(), used = charged + share_of(length, ranks);
    tidy(used < most ? most - used : 0);
}

static void hold(struct topo_segment *segment, int ranks)
{
    segment->held = true;
    segment->ranks = ranks;
    segment->share = share_of(segment->length, ranks);
    charged += segment->share;
    charged_named += segment->name[0] ? segment->share : 0;
}

static void release(struct topo_segment *segment)
{
    segment->held = false;
    charged -= segment->share;
    charged_named -= segment->name[0] ? segment->share : 0;
}

/* One of an earlier communicator of the same ranks, which is theirs again. */
static struct topo_segment *claim(size_t length, const int *members, int ranks)
{
    for (struct topo_segment *segment = segments; segment; segment = segment->next)
        if (!segment->held && is_made_here(segment) && segment->length == length && segment->ranks == ranks &&
            !memcmp(segment->members, members, (size_t)ranks * sizeof *members) && topo_segment_claim(segment, ranks))
            return segment;
    return NULL;
}

static struct topo_segment *make_own(size_t length)
{
    struct topo_segment *segment = add(length, NULL, 1);
    if (segment && (segment->base = topo_calloc(length, 1)))
        return segment;
    if (segment)
        forget(segment);
    return NULL;
}

static struct topo_segment *make_shared(size_t length, const int *members, int ranks, struct topo_segment_offer *offer)
{
    struct topo_segment *segment = add(length, members, ranks);
    if (!segment)
        return NULL;
    segment->id = id_of(made++);
    int code = topo_segment_create(segment, members, ranks, &passes, charged_named, offer);
    if (code == 0)
        return segment;
    remember_why(length, code);
    forget(segment);
    return NULL;
}

struct topo_segment *topo_pool_make(size_t bytes, size_t zeros, const int *members, int ranks,
                                    struct topo_segment_offer *offer)
{
    struct topo_segment *segment;
    size_t length = topo_segment_length(bytes);
    memset(offer, 0, sizeof *offer);
    pthread_mutex_lock(&lock);
    segment = ranks > 1 ? claim(length, members, ranks) : NULL;
    if (segment) {
        segment->used = true;
        memset(segment->base, 0, zeros);
    } else {
        make_room_for(length, ranks);
        segment = ranks > 1 ? make_shared(length, members, ranks, offer) : make_own(length);
    }
    if (segment)
        hold(segment, ranks);
    offer->id = segment ? segment->id : 0;
    pthread_mutex_unlock(&lock);
    return segment;
}

static struct topo_segment *find(uint64_t id)
{
    struct topo_segment *segment = segments;
    while (segment && segment->id != id)
        segment = segment->next;
    return segment;
}

static struct topo_segment *take_new(size_t length, int ranks, const struct topo_segment_offer *offer)
{
    make_room_for(length, ranks);
    passes = passes && !offer->name[0];
    struct topo_segment *segment = add(length, NULL, ranks);
    if (!segment)
        return NULL;
    segment->id = offer->id;
    if (topo_segment_open(segment, offer) == 0)
        return segment;
    forget(segment);
    return NULL;
}

struct topo_segment *topo_pool_take(size_t bytes, int ranks, const struct topo_segment_offer *offer)
{
    if (!offer->id)
        return NULL;
    pthread_mutex_lock(&lock);
    struct topo_segment *segment = find(offer->id);
    if (segment)
        segment->used = true;
    else if (offer->secret || offer->name[0])
        segment = take_new(topo_segment_length(bytes), ranks, offer);
    if (segment)
        hold(segment, ranks);
    pthread_mutex_unlock(&lock);
    return segment;
}

bool topo_pool_prepare(const struct topo_segment *segment, int part, int parts)
{
    int code = topo_segment_prepare(segment, part, parts);
    pthread_mutex_lock(&lock);
    remember_why(segment->length, code);
    pthread_mutex_unlock(&lock);
    return code == 0;
}

void topo_pool_agreed(struct topo_segment *segment, bool all)
{
    if (!segment)
        return;
    pthread_mutex_lock(&lock);
    topo_segment_settle(segment, is_made_here(segment));
    if (!all) {
        if (segment->id != 0)
            topo_segment_end(segment);
        release(segment);
        forget(segment);
    }
    pthread_mutex_unlock(&lock);
}

void topo_pool_use_names(void)
{
    pthread_mutex_lock(&lock);
    passes = false;
    pthread_mutex_unlock(&lock);
}

void topo_pool_drop(struct topo_segment *segment)
{
    if (!segment)
        return;
    pthread_mutex_lock(&lock);
    release(segment);
    if (segment->id == 0) {
        forget(segment);
    } else {
        if (segment->name[0] || topo_room_is_limited())
            topo_segment_end(segment);
        topo_segment_leave(segment);
    }
    tidy(allowance() / IDLE_PART);
    pthread_mutex_unlock(&lock);
}

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t topo_pool_room(int ranks, size_t least, const struct topo_segment *replaced)
{
    const uint64_t beside = topo_segment_beside();
    uint64_t room = 0, mapped = 0, named = UINT64_MAX;
    pthread_mutex_lock(&lock);
    size_t limit = allowance(), used = charged - (replaced ? replaced->share : 0);
    for (const struct topo_segment *segment = segments; segment; segment = segment->next)
        mapped += segment->length;
    if (used < limit)
        room = lower((uint64_t)(limit - used) * (uint64_t)ranks, topo_room_addresses(mapped));
    if (ranks > 1)
        room = lower(room, topo_file_limit());
    if (ranks > 1 && !passes)
        named = topo_room_named(charged_named, ranks);
    if (named < least + beside && least + beside <= room)
        remember_why(least, ENOSPC);
    room = lower(room, named);
    pthread_mutex_unlock(&lock);
    return room > beside ? room - beside : 0;
}

bool topo_pool_complains(void)
{
    pthread_mutex_lock(&lock);
    bool complains = why[0] && !said;
    pthread_mutex_unlock(&lock);
    return complains;
}

void topo_pool_tell(bool speaks)
{
    char host[64] = "";
    pthread_mutex_lock(&lock);
    if (speaks) {
        gethostname(host, sizeof host - 1);
        topo_say("%s: %s; what needs it goes by messages or natively", host, why);
    }
    said = true;
    pthread_mutex_unlock(&lock);
}

void topo_pool_start(void)
{
    bool wanted = topo_job.active && topo_job.options.value[TOPO_OPTION_SHARED].size > 0 && topo_job.node_ranks > 1;
    passes = wanted && topo_job.number != 0 && topo_descriptors_start(topo_job.number, topo_job.rank);
    why[0] = '\0';
    said = false;
}

void topo_pool_stop(void)
{
    topo_descriptors_stop();
    while (segments)
        forget(segments);
    charged = charged_named = 0;
}
