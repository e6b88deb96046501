#include "node/idle.h"

#include <pthread.h>

#include "base/hash.h"
#include "base/memory.h"
#include "job/channel_calls.h"
#include "job/job.h"
#include "job/recovery.h"
#include "job/threads.h"
#include "node/region.h"

_Thread_local uint64_t topo_idle_calls __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list; no call of MPI's is made with it */
static struct topo_node *nodes;

/* Sums over the ranks: how many communicators are idle, as each of their ranks counts; ranks that cannot tell; and
 * numbers of the idle ones, which add up to 0 for one whose ranks all say the same. Several share a sum, and then give
 * all or none. */
enum { FOUND, UNABLE, SUMS, WORDS = TOPO_CHANNEL_VALUES };

void topo_idle_add(struct topo_node *node)
{
    pthread_mutex_lock(&lock);
    node->next = nodes;
    nodes = node;
    pthread_mutex_unlock(&lock);
}

void topo_idle_remove(struct topo_node *node)
{
    pthread_mutex_lock(&lock);
    struct topo_node **at = &nodes;
    while (*at && *at != node)
        at = &(*at)->next;
    if (*at)
        *at = node->next;
    pthread_mutex_unlock(&lock);
}

/* Calls since its last one by ours. */
static bool is_idle(const struct topo_node *node)
{
    enum { CALLS = 256 }; /* twice what is made before ours begins on one node (topo_comm_calls_to_pay()) */
    return topo_idle_calls - node->used_at >= CALLS && node->used_at <= topo_idle_calls;
}

/* Which ranks of the job the one that asks has; NULL: this rank cannot tell. */
static unsigned char *asking_ranks(const struct topo_channel *channel)
{
    unsigned char *has = topo_threads_many() || topo_recovers ? NULL : topo_calloc((size_t)topo_job.ranks, sizeof *has);
    for (int i = 0; has && i < channel->ranks; i++)
        has[topo_channel_peer(channel, i)] = 1;
    return has;
}

/* A number that stands for the communicator and how far it is, equal on all of its ranks and odd; 0: it gives nothing
 * to ranks that do not have all of its own. */
static uint64_t number_of(const struct topo_node *node, const unsigned char *has)
{
    const struct topo_channel *channel = node->place.channel;
    uint64_t number = topo_hash_add(topo_hash_add(TOPO_HASH_START, (uint64_t)channel->tag), node->uses);
    if (!topo_node_may_give(node) || !is_idle(node))
        return 0;
    for (int i = 0; i < channel->ranks; i++) {
        const int rank = topo_channel_peer(channel, i);
        if (!has[rank])
            return 0;
        number = topo_hash_add(number, (uint64_t)rank);
    }
    number = (number ^ number >> 33) * UINT64_C(0xff51afd7ed558ccd); /* so that no two differ as two others do */
    number = (number ^ number >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (number ^ number >> 33) | 1;
}

static uint64_t *sum_of(uint64_t number, uint64_t sums[WORDS])
{
    return &sums[SUMS + (number >> 32) % (WORDS - SUMS)];
}

/* Its first rank adds as much as all others take away: 0 if all of them add one and the same odd number. */
static void count(const struct topo_node *node, uint64_t number, uint64_t sums[WORDS])
{
    const struct topo_channel *channel = node->place.channel;
    *sum_of(number, sums) += channel->rank == 0 ? number * (uint64_t)(channel->ranks - 1) : -number;
    sums[FOUND]++;
}

/* Before the ranks agree; after it, what is idle goes. */
static void look(const struct topo_node *asking, const unsigned char *has, uint64_t sums[WORDS], bool agreed)
{
    pthread_mutex_lock(&lock);
    for (struct topo_node *node = nodes; has && node; node = node->next) {
        const uint64_t number = node == asking ? 0 : number_of(node, has);
        if (number && !agreed)
            count(node, number, sums);
        else if (number && *sum_of(number, sums) == 0)
            topo_node_give(node);
    }
    pthread_mutex_unlock(&lock);
}

bool topo_idle_make_room(const struct topo_node *asking)
{
    uint64_t sums[WORDS] = {0};
    unsigned char *has = asking_ranks(asking->place.channel);
    sums[UNABLE] = !has;
    look(asking, has, sums, false);
    bool gives = topo_channel_allreduce(sums, WORDS, TOPO_CHANNEL_SUM, asking->place.channel) == MPI_SUCCESS &&
                 sums[FOUND] > 0 && sums[UNABLE] == 0;
    if (gives)
        look(asking, has, sums, true);
    topo_free(has);
    return gives;
}
