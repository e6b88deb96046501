#include "node/region.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "job/channel_calls.h"
#include "job/job.h"
#include "node/node.h"
#include "node/shm_name.h"

/* What the first rank of a node tells the others; an empty name: it could not make the region. */
struct offer {
    char name[TOPO_SHM_NAME_BYTES];
};

/* Bytes of node-shared memory charged to this rank, over all communicators. */
static _Atomic size_t charged;

static void unmap(const struct topo_node *node, char *base, size_t bytes)
{
    if (base && node->ranks > 1)
        munmap(base, bytes);
    else
        topo_free(base);
}

/* Without its user's part; that of lanes goes with the region it describes. */
static void drop(const struct topo_node *node, struct topo_shm_region *region)
{
    unmap(node, region->base, region->bytes);
    atomic_fetch_sub(&charged, region->charged);
    region->base = NULL;
    region->bytes = region->charged = 0;
    region->fresh = false;
}

void topo_node_drop_regions(struct topo_node *node)
{
    for (int use = 0; use < TOPO_SHM_REGIONS; use++)
        drop(node, &node->region[use]);
}

/* Makes a region of `bytes` under a new name; -1 when that fails. The caller closes the descriptor. */
static int create(struct offer *offer, size_t bytes)
{
    static atomic_flag swept = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&swept))
        topo_shm_sweep("/dev/shm");
    if (!topo_shm_name(offer->name))
        return -1;
    int descriptor = topo_shm_create(offer->name);
    if (descriptor >= 0 && ftruncate(descriptor, (off_t)bytes) == 0)
        return descriptor;
    if (descriptor >= 0) {
        close(descriptor);
        shm_unlink(offer->name);
    }
    offer->name[0] = '\0';
    return -1;
}

/* A region to be made. */
struct attempt {
    struct topo_shm_region *region;
    size_t bytes, least; /* of it now; with which its user would do, too */
    int descriptor;      /* -1: none */
    char *base;          /* NULL: some rank does not have it */
};

/* Regions that the first rank of a node fills; the others may read once all have agreed that the region is there. */
static bool is_filled(const struct topo_node *node, const struct attempt *attempt)
{
    return attempt->region == &node->region[TOPO_SHM_TREE];
}

/* Takes the pages of this rank's share of the region: a full /dev/shm is told
 * now and not by SIGBUS later, and pages lie in the memory of the ranks' own
 * NUMA nodes. Whoever fills it takes all. */
static bool take_pages(const struct topo_node *node, const struct attempt *attempt)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = attempt->bytes, pages = (bytes + page - 1) / page;
    bool filled = is_filled(node, attempt);
    size_t ranks = filled ? 1 : (size_t)node->ranks, local = (size_t)node->local;
    size_t from = pages * local / ranks * page, to = pages * (local + 1) / ranks * page;
    if (filled && local > 0)
        return true;
    if (to > bytes)
        to = bytes;
    return to <= from || topo_reserve_file(attempt->descriptor, (off_t)from, to - from) == 0;
}

/* The region under the name in `offer`, or a rank's own, mapped; NULL: not to be had. */
static char *map(const struct topo_node *node, const struct offer *offer, struct attempt *attempt)
{
    if (node->ranks == 1)
        return topo_calloc(attempt->bytes, 1);
    if (node->local > 0 && offer->name[0])
        attempt->descriptor = shm_open(offer->name, O_RDWR, 0);
    if (attempt->descriptor < 0 || !take_pages(node, attempt))
        return NULL;
    char *base = mmap(NULL, attempt->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, attempt->descriptor, 0);
    if (base == MAP_FAILED)
        return NULL;
    if (node->local == 0 && is_filled(node, attempt))
        topo_tree_write_tables(node->place.tree, (int *)(void *)base);
    return base;
}

/* One try at `count` regions, told to all ranks: a base is there when every rank has it. */
static void try_at_once(const struct topo_node *node, struct attempt *attempt, int count)
{
    const struct topo_channel *channel = node->place.channel;
    struct offer offer[TOPO_SHM_REGIONS] = {{""}};
    uint64_t all[TOPO_SHM_REGIONS];
    const int bytes = count * (int)sizeof *offer;
    for (int i = 0; i < count; i++)
        attempt[i].descriptor = node->ranks > 1 && node->local == 0 ? create(&offer[i], attempt[i].bytes) : -1;
    for (int i = 1; node->local == 0 && i < node->ranks; i++)
        PMPI_Send(offer, bytes, MPI_BYTE, topo_channel_peer(channel, topo_node_member(node, i)),
                  channel->tag + TOPO_TAG_GATHER, channel->comm);
    if (node->local > 0)
        PMPI_Recv(offer, bytes, MPI_BYTE, topo_channel_peer(channel, topo_node_member(node, 0)),
                  channel->tag + TOPO_TAG_GATHER, channel->comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        all[i] = (attempt[i].base = map(node, &offer[i], &attempt[i])) != NULL;
    bool agreed = topo_channel_allreduce(all, count, TOPO_CHANNEL_LEAST, channel) == MPI_SUCCESS;
    for (int i = 0; i < count; i++) {
        if (node->local == 0 && offer[i].name[0])
            shm_unlink(offer[i].name);
        if (attempt[i].descriptor >= 0)
            close(attempt[i].descriptor);
        if (!agreed || !all[i]) {
            unmap(node, attempt[i].base, attempt[i].bytes);
            attempt[i].base = NULL;
        }
    }
}

/* What `ulimit -v` leaves this process beyond what the MPI library may come to need: it ends the job where it gets
 * none. */
static uint64_t room(void)
{
    enum { RESERVE = 16 << 20 };
    struct rlimit limit;
    unsigned long pages = 0;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    uint64_t used = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) + RESERVE;
    return pages && used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The first limit is for a node: each of its ranks in the job has an equal part, and a region is charged to its users
 * in equal parts, so the sum over a node stays below the limit and every rank can tell without asking the others. */
static uint64_t room_beside(const struct topo_node *node, size_t replaced)
{
    size_t limit = topo_job.options.value[TOPO_OPTION_SHARED].size / (size_t)topo_job.node_ranks;
    size_t used = atomic_load(&charged) - replaced;
    uint64_t mine = used < limit ? (uint64_t)(limit - used) * (uint64_t)node->ranks : 0;
    return lower(mine, node->ranks > 1 ? lower(topo_file_limit(), room()) : room());
}

uint64_t topo_node_room(const struct topo_node *node)
{
    return room_beside(node, 0);
}

/* The largest region that all ranks have room for, if one that is charged with `replaced` on this rank goes. */
static size_t allowed(const struct topo_node *node, size_t replaced)
{
    uint64_t least = node->place.consent->room;
    node->place.consent->room = 0;
    if (least > 0)
        return (size_t)least;
    least = room_beside(node, replaced);
    if (topo_channel_allreduce(&least, 1, TOPO_CHANNEL_LEAST, node->place.channel) != MPI_SUCCESS)
        least = 0;
    return (size_t)least;
}

static void install(const struct topo_node *node, const struct attempt *attempt)
{
    struct topo_shm_region *region = attempt->region;
    drop(node, region);
    region->base = attempt->base;
    region->bytes = attempt->bytes;
    region->charged = (attempt->bytes + (size_t)node->ranks - 1) / (size_t)node->ranks;
    atomic_fetch_add(&charged, region->charged);
    region->fresh = true;
}

/* Replaces the region; it keeps what it has when there is no more to be had. */
static bool replace(const struct topo_node *node, struct topo_shm_region *region, size_t least, size_t wanted)
{
    size_t most = allowed(node, region->charged);
    for (size_t bytes = wanted < most ? wanted : most; bytes >= least && bytes > 0; bytes = bytes > least ? least : 0) {
        struct attempt attempt = {.region = region, .bytes = bytes};
        try_at_once(node, &attempt, 1);
        if (!attempt.base)
            continue;
        install(node, &attempt);
        return true;
    }
    region->refused = least;
    return false;
}

/* False: as much was refused before. It stays refused, although there is more memory now: equal calls of a communicator
 * take one form. */
static bool may_have(const struct topo_shm_region *region, size_t least)
{
    return topo_job.options.value[TOPO_OPTION_SHARED].size > 0 && (!region->refused || least < region->refused);
}

bool topo_node_reserve(struct topo_node *node, enum topo_shm_use use, size_t least, size_t wanted, bool *fresh)
{
    struct topo_shm_region *region = &node->region[use];
    struct topo_consent *consent = node->place.consent;
    *fresh = false;
    if (!may_have(region, least))
        return false;
    if (!region->base || region->bytes < least) {
        if (!consent->may_wait) {
            consent->wishes = consent->postponed = true;
            if (least > region->wish.least) {
                region->wish.least = least;
                region->wish.wanted = wanted;
            }
            return false;
        }
        if (!replace(node, region, least, wanted))
            return false;
    }
    *fresh = region->fresh;
    region->fresh = false;
    return true;
}

/* Ranks of the largest node. */
static size_t most_ranks(const struct topo_node *node)
{
    size_t most = 1;
    for (int index = 0; index < node->levels->nodes; index++)
        if ((size_t)topo_node_ranks(node->levels, index) > most)
            most = (size_t)topo_node_ranks(node->levels, index);
    return most;
}

/* Collective: all of them beside those that they replace. */
static bool fit(const struct topo_node *node, const struct attempt *attempt, int count)
{
    size_t bytes = 0, most = most_ranks(node);
    for (int i = 0; i < count; i++)
        bytes += attempt[i].bytes + most - 1; /* charges are rounded up */
    return bytes <= allowed(node, 0);
}

void topo_node_grant(struct topo_node *node)
{
    struct attempt attempt[TOPO_SHM_REGIONS];
    int count = 0;
    for (int use = 0; use < TOPO_SHM_REGIONS; use++) {
        struct topo_shm_region *region = &node->region[use];
        size_t least = region->wish.least;
        region->wish.least = 0;
        if (least > region->bytes && may_have(region, least))
            attempt[count++] = (struct attempt){.region = region, .bytes = region->wish.wanted, .least = least};
    }
    if (count > 1 && fit(node, attempt, count))
        try_at_once(node, attempt, count);
    for (int i = 0; i < count; i++)
        if (attempt[i].base)
            install(node, &attempt[i]);
        else
            replace(node, attempt[i].region, attempt[i].least, attempt[i].bytes);
}

void topo_node_reserve_at_once(struct topo_node *node, void (*reserve)(struct topo_node *node))
{
    struct topo_consent *consent = node->place.consent;
    consent->may_wait = false; /* so that it asks */
    reserve(node);
    consent->may_wait = true;
    consent->wishes = consent->postponed = false;
    topo_node_grant(node);
    reserve(node);
    consent->room = 0;
}

/* A region that went over to the tree. */
struct lent {
    char *base;
    size_t bytes, charged;
};

static void give_back(void *context)
{
    struct lent *lent = context;
    munmap(lent->base, lent->bytes);
    atomic_fetch_sub(&charged, lent->charged);
    topo_free(lent);
}

void topo_node_lend_tree(struct topo_node *node)
{
    struct topo_shm_region *region = &node->region[TOPO_SHM_TREE];
    size_t bytes = topo_tree_table_bytes(topo_job.tree);
    bool fresh;
    if (bytes == 0 || most_ranks(node) == 1 || !topo_node_reserve(node, TOPO_SHM_TREE, bytes, bytes, &fresh))
        return;
    /* From here on each rank is by itself: one that keeps its own tables has the same numbers. */
    struct lent *lent = node->ranks > 1 ? topo_alloc(1, sizeof *lent) : NULL;
    if (!lent) {
        drop(node, region);
        return;
    }
    *lent = (struct lent){region->base, region->bytes, region->charged};
    *region = (struct topo_shm_region){.base = NULL};
    topo_tree_lend(topo_job.tree, (int *)(void *)lent->base, &(struct topo_tree_lender){give_back, lent});
}
