#include "node/region.h"

#include "base/memory.h"
#include "job/channel_calls.h"
#include "job/job.h"
#include "node/idle.h"
#include "node/node.h"
#include "node/pool.h"

/* Without its user's part; that of lanes goes with the region it describes. */
static void drop(struct topo_shm_region *region)
{
    topo_pool_drop(region->segment);
    region->base = NULL;
    region->segment = NULL;
    region->bytes = 0;
    region->fresh = false;
}

void topo_node_drop_regions(struct topo_node *node)
{
    for (int use = 0; use < TOPO_SHM_REGIONS; use++)
        drop(&node->region[use]);
}

/* Stamps are of all communicators (observe/waiting.h). */
static bool may_give(const struct topo_node *node, int use)
{
    return node->region[use].base && !node->region[use].stays && use != TOPO_SHM_STAMPS;
}

bool topo_node_may_give(const struct topo_node *node)
{
    bool may = false;
    for (int use = 0; use < TOPO_SHM_REGIONS; use++)
        may |= may_give(node, use);
    return may;
}

void topo_node_give(struct topo_node *node)
{
    for (int use = 0; use < TOPO_SHM_REGIONS; use++)
        if (may_give(node, use))
            drop(&node->region[use]);
}

/* A region to be made. */
struct attempt {
    struct topo_shm_region *region;
    struct topo_shm_size size;
    size_t bytes;                 /* of it now */
    struct topo_segment *segment; /* NULL: some rank does not have it */
};

/* Regions that the first rank of a node fills; the others may read once all have agreed that the region is there. */
static bool is_filled(const struct topo_node *node, const struct attempt *attempt)
{
    return attempt->region == &node->region[TOPO_SHM_TREE];
}

/* This rank's part of a segment that it has, the same on all ranks but where one fills it. */
static bool prepare(const struct topo_node *node, const struct attempt *attempt)
{
    if (!is_filled(node, attempt))
        return topo_pool_prepare(attempt->segment, node->local, node->ranks);
    if (node->local > 0)
        return true;
    if (!topo_pool_prepare(attempt->segment, 0, 1))
        return false;
    topo_tree_write_tables(node->place.tree, (int *)(void *)attempt->segment->base);
    return true;
}

/* The first rank of the node: makes the segments. */
static void make(const struct topo_node *node, struct attempt *attempt, int count, struct topo_segment_offer *offer)
{
    int *members = topo_alloc((size_t)node->ranks, sizeof *members);
    for (int i = 0; members && i < node->ranks; i++)
        members[i] = topo_channel_peer(node->place.channel, topo_node_member(node, i));
    for (int i = 0; members && i < count; i++)
        attempt[i].segment = topo_pool_make(attempt[i].bytes, attempt[i].size.zeros, members, node->ranks, &offer[i]);
    for (int i = 1; i < node->ranks; i++)
        PMPI_Send(offer, count * (int)sizeof *offer, MPI_BYTE,
                  topo_channel_peer(node->place.channel, topo_node_member(node, i)),
                  node->place.channel->tag + TOPO_TAG_GATHER, node->place.channel->comm);
    topo_free(members);
}

static void take(const struct topo_node *node, struct attempt *attempt, int count, struct topo_segment_offer *offer)
{
    PMPI_Recv(offer, count * (int)sizeof *offer, MPI_BYTE,
              topo_channel_peer(node->place.channel, topo_node_member(node, 0)),
              node->place.channel->tag + TOPO_TAG_GATHER, node->place.channel->comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        attempt[i].segment = topo_pool_take(attempt[i].bytes, node->ranks, &offer[i]);
}

/* What a rank says of a segment; the least of all ranks' counts. */
enum outcome { OUTCOME_NOT_RECEIVED, OUTCOME_NO_MEMORY, OUTCOME_HAS };

static enum outcome outcome_of(const struct topo_node *node, const struct attempt *attempt,
                               const struct topo_segment_offer *offer)
{
    if (attempt->segment)
        return prepare(node, attempt) ? OUTCOME_HAS : OUTCOME_NO_MEMORY;
    return node->local > 0 && offer->id ? OUTCOME_NOT_RECEIVED : OUTCOME_NO_MEMORY;
}

/* Are all ranks on this node, and have them for certain? Then they need not ask each other. */
static bool are_known(const struct topo_node *node, const struct attempt *attempt, int count,
                      const struct topo_segment_offer *offer)
{
    bool known = node->levels->nodes == 1;
    for (int i = 0; i < count; i++)
        known = known && topo_pool_is_known(&offer[i]) && !is_filled(node, &attempt[i]);
    return known;
}

/* One try at `count` regions, told to all ranks: a segment is there when every rank has it. */
static void try_at_once(const struct topo_node *node, struct attempt *attempt, int count)
{
    struct topo_segment_offer offer[TOPO_SHM_REGIONS] = {{0}};
    uint64_t all[TOPO_SHM_REGIONS];
    for (int i = 0; i < count; i++)
        attempt[i].segment = NULL;
    if (node->local == 0)
        make(node, attempt, count, offer);
    else
        take(node, attempt, count, offer);
    for (int i = 0; i < count; i++)
        all[i] = outcome_of(node, &attempt[i], &offer[i]);
    bool agreed = are_known(node, attempt, count, offer) ||
                  topo_channel_allreduce(all, count, TOPO_CHANNEL_LEAST, node->place.channel) == MPI_SUCCESS;
    for (int i = 0; i < count; i++) {
        bool has = agreed && all[i] == OUTCOME_HAS;
        topo_pool_agreed(attempt[i].segment, has);
        attempt[i].segment = has ? attempt[i].segment : NULL;
        if (agreed && all[i] == OUTCOME_NOT_RECEIVED)
            topo_pool_use_names();
    }
}

uint64_t topo_node_room(const struct topo_node *node)
{
    return topo_pool_room(node->ranks, 0, NULL);
}

/* The largest region that all ranks have room for, of which `least` bytes are needed, if `replaced` goes (NULL: none
 * does). Each rank can tell of its node without asking the others: it has an equal part of what the node may have, and
 * a segment is charged to its users in equal parts. Where memory is missing one of them says so. */
static size_t allowed(const struct topo_node *node, size_t least, const struct topo_segment *replaced)
{
    enum { ROOM, SPEAKER, WORDS };
    uint64_t agreed = node->place.consent->room, least_of[WORDS];
    node->place.consent->room = 0;
    if (agreed > 0 && agreed >= least)
        return (size_t)agreed;
    least_of[ROOM] = topo_pool_room(node->ranks, least, replaced);
    least_of[SPEAKER] = topo_pool_complains() ? (uint64_t)topo_job.rank : UINT64_MAX;
    if (topo_channel_allreduce(least_of, WORDS, TOPO_CHANNEL_LEAST, node->place.channel) != MPI_SUCCESS)
        return 0;
    if (least_of[SPEAKER] != UINT64_MAX)
        topo_pool_tell(least_of[SPEAKER] == (uint64_t)topo_job.rank);
    return (size_t)least_of[ROOM];
}

static void install(const struct attempt *attempt)
{
    struct topo_shm_region *region = attempt->region;
    drop(region);
    region->segment = attempt->segment;
    region->base = attempt->segment->base;
    region->bytes = attempt->bytes;
    region->fresh = true;
}

/* Replaces the region; it keeps what it has when there is no more to be had, even of what idle communicators have. Why
 * an attempt failed counts in what is allowed from then on. */
static bool replace(const struct topo_node *node, struct topo_shm_region *region, struct topo_shm_size size)
{
    for (size_t failed = SIZE_MAX;;) {
        size_t most = allowed(node, size.least, region->segment);
        if (most < size.wanted && failed == SIZE_MAX && topo_idle_make_room(node))
            most = allowed(node, size.least, region->segment);
        struct attempt attempt = {.region = region, .size = size, .bytes = size.wanted < most ? size.wanted : most};
        if (attempt.bytes >= failed)
            attempt.bytes = failed > size.least ? size.least : 0;
        if (attempt.bytes < size.least || attempt.bytes == 0)
            break;
        try_at_once(node, &attempt, 1);
        if (attempt.segment) {
            install(&attempt);
            return true;
        }
        failed = attempt.bytes;
    }
    region->refused = size.least;
    return false;
}

/* False: as much was refused before. It stays refused, although there is more memory now: equal calls of a communicator
 * take one form. */
static bool may_have(const struct topo_shm_region *region, size_t least)
{
    return topo_job.options.value[TOPO_OPTION_SHARED].size > 0 && (!region->refused || least < region->refused);
}

bool topo_node_reserve(struct topo_node *node, enum topo_shm_use use, struct topo_shm_size size, bool *fresh)
{
    struct topo_shm_region *region = &node->region[use];
    struct topo_consent *consent = node->place.consent;
    *fresh = false;
    if (!may_have(region, size.least))
        return false;
    if (!region->base || region->bytes < size.least) {
        if (!consent->may_wait) {
            consent->wishes = consent->postponed = true;
            if (size.least > region->wish.least)
                region->wish = size;
            return false;
        }
        if (!replace(node, region, size))
            return false;
    }
    *fresh = region->fresh;
    region->fresh = false;
    topo_node_goes_through(node, use);
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
        bytes += topo_segment_length(attempt[i].bytes) + most - 1; /* charges are rounded up */
    return bytes <= allowed(node, 0, NULL) || (topo_idle_make_room(node) && bytes <= allowed(node, 0, NULL));
}

void topo_node_grant(struct topo_node *node)
{
    struct attempt attempt[TOPO_SHM_REGIONS];
    int count = 0;
    for (int use = 0; use < TOPO_SHM_REGIONS; use++) {
        struct topo_shm_region *region = &node->region[use];
        const struct topo_shm_size wish = region->wish;
        region->wish.least = 0;
        if (wish.least > region->bytes && may_have(region, wish.least))
            attempt[count++] = (struct attempt){.region = region, .size = wish, .bytes = wish.wanted};
    }
    if (count > 1 && fit(node, attempt, count))
        try_at_once(node, attempt, count);
    for (int i = 0; i < count; i++)
        if (attempt[i].segment)
            install(&attempt[i]);
        else
            replace(node, attempt[i].region, attempt[i].size);
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

static void give_back(void *segment)
{
    topo_pool_drop(segment);
}

void topo_node_lend_tree(struct topo_node *node)
{
    struct topo_shm_region *region = &node->region[TOPO_SHM_TREE];
    size_t bytes = topo_tree_table_bytes(topo_job.tree);
    bool fresh;
    if (bytes == 0 || most_ranks(node) == 1 ||
        !topo_node_reserve(node, TOPO_SHM_TREE, (struct topo_shm_size){0, bytes, bytes}, &fresh))
        return;
    if (node->ranks == 1) {
        drop(region);
        return;
    }
    struct topo_segment *segment = region->segment;
    *region = (struct topo_shm_region){.base = NULL};
    topo_tree_lend(topo_job.tree, (int *)(void *)segment->base, &(struct topo_tree_lender){give_back, segment});
}
