#include "job/channel.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "job/device.h"
#include "job/recovery.h"
#include "job/threads.h"

struct topo_channel topo_channel_job;
static int places;           /* for channels, TOPO_TAGS tags each */
static unsigned char *taken; /* [places] */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What ranks bring to the agreement on a channel, in one element, so that no all-reduce cuts it. */
enum { WORDS = 8, LOOKED_AT = 64 * WORDS };
struct facts {
    uint64_t not_objection, not_lowest; /* of what is turned round the least is the most */
    uint64_t least[TOPO_CHANNEL_LEASTS];
    uint64_t offered[WORDS]; /* places from some number on, which this rank has taken */
};
static MPI_Datatype facts_type;
static MPI_Op facts_op;

static void meet(void *in, void *inout, int *count, MPI_Datatype *type)
{
    enum { LEASTS = offsetof(struct facts, offered) / sizeof(uint64_t), ALL = LEASTS + WORDS };
    const uint64_t *from = in;
    uint64_t *to = inout;
    (void)type;
    for (int element = 0; element < *count; element++, from += ALL, to += ALL) {
        for (int i = 0; i < LEASTS; i++)
            to[i] = from[i] < to[i] ? from[i] : to[i];
        for (int i = LEASTS; i < ALL; i++)
            to[i] &= from[i];
    }
}

/* False: MPI makes no type. After the end of a session and before MPI_Init MPICH 4.3 gives away the handles of its own
 * pairs, such as MPI_FLOAT_INT, and goes on to take them for these. */
static bool make_facts_type(void)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    if (PMPI_Type_contiguous(sizeof(struct facts) / sizeof(uint64_t), MPI_UINT64_T, &facts_type) != MPI_SUCCESS)
        return false;
    PMPI_Type_get_envelope(facts_type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        return PMPI_Type_commit(&facts_type) == MPI_SUCCESS;
    facts_type = MPI_DATATYPE_NULL;
    return false;
}

int topo_channels_reserve(void)
{
    enum { MOST = 1 << 16 };
    int *upper = NULL, found = 0, own = 0;
    if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &found) == MPI_SUCCESS && found)
        own = (int)(((long)*upper + 1) / TOPO_TAGS);
    own = own < MOST ? own : MOST;
    topo_channel_job.comm = MPI_COMM_NULL;
    facts_type = MPI_DATATYPE_NULL;
    facts_op = MPI_OP_NULL;
    taken = topo_calloc((size_t)own + 1, 1);
    return taken && make_facts_type() ? own : 0;
}

/* The job's own communicator. MPI libraries give a new one the lowest number that is free on all of its ranks, which
 * stands in its default name and so in fatal messages: those that each rank makes by itself and frees again leave their
 * numbers to the program's. */
static MPI_Comm own_communicator(void)
{
    enum { LEFT_TO_THE_PROGRAM = 64 };
    MPI_Comm left[LEFT_TO_THE_PROGRAM], own = MPI_COMM_NULL;
    int made = 0;
    while (made < LEFT_TO_THE_PROGRAM && PMPI_Comm_dup(MPI_COMM_SELF, &left[made]) == MPI_SUCCESS)
        made++;
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &own) != MPI_SUCCESS)
        own = MPI_COMM_NULL;
    while (made > 0)
        PMPI_Comm_free(&left[--made]);
    return own;
}

bool topo_channels_start(int least)
{
    struct topo_channel *job = &topo_channel_job;
    *job = (struct topo_channel){.comm = MPI_COMM_NULL, .user = MPI_COMM_WORLD};
    PMPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &job->ranks);
    job->comm = least < 1 ? MPI_COMM_NULL : own_communicator();
    if (job->comm == MPI_COMM_NULL) {
        topo_channels_stop();
        return false;
    }
    PMPI_Comm_set_errhandler(job->comm, MPI_ERRORS_RETURN);
    PMPI_Op_create(meet, true, &facts_op);
    places = least;
    taken[0] = 1;
    return true;
}

void topo_channels_stop(void)
{
    if (!taken)
        return;
    if (topo_channel_job.comm != MPI_COMM_NULL)
        PMPI_Comm_free(&topo_channel_job.comm);
    if (facts_type != MPI_DATATYPE_NULL)
        PMPI_Type_free(&facts_type);
    if (facts_op != MPI_OP_NULL)
        PMPI_Op_free(&facts_op);
    topo_free(taken);
    taken = NULL;
    places = 0;
}

int topo_channels_most(void)
{
    return places - 1;
}

/* Takes the places from `from` on that are free, of LOOKED_AT, but `most` at most; returns the first free one, which
 * may be behind those, or `places`: there is none. */
static int offer(int from, int most, uint64_t offered[WORDS])
{
    int lowest = places;
    memset(offered, 0, WORDS * sizeof *offered);
    pthread_mutex_lock(&lock);
    for (int at = from; at < places && (lowest == places || (at < from + LOOKED_AT && most > 0)); at++) {
        if (taken[at])
            continue;
        if (lowest == places)
            lowest = at;
        if (at < from + LOOKED_AT && most-- > 0) {
            offered[(at - from) / 64] |= UINT64_C(1) << (at - from) % 64;
            taken[at] = 1;
        }
    }
    pthread_mutex_unlock(&lock);
    return lowest;
}

/* Gives back what was offered, but for place `kept`. */
static void take_back(int from, const uint64_t offered[WORDS], int kept)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; taken && i < LOOKED_AT; i++)
        if (offered[i / 64] >> i % 64 & 1 && from + i != kept)
            taken[from + i] = 0;
    pthread_mutex_unlock(&lock);
}

static int first_of(const uint64_t offered[WORDS])
{
    for (int i = 0; i < WORDS; i++)
        if (offered[i])
            return 64 * i + __builtin_ctzll(offered[i]);
    return -1;
}

/* How many places to offer: all, but a few where other threads may offer some at the same time. */
static int most_offered(void)
{
    enum { FEW = 8 };
    return topo_threads_many() ? FEW : LOOKED_AT;
}

/* The lowest place that all ranks offer; each has taken what it offers. Where they have none in common they give all
 * back, and the next try begins at the highest of their lowest ones, which is further on: had all of them offered the
 * first place that was looked at, it would be the one. */
enum topo_opening topo_channel_open(struct topo_channel *channel, MPI_Comm user, const struct topo_numbers *world,
                                    bool reluctant, uint64_t least[TOPO_CHANNEL_LEASTS])
{
    /* A reluctant rank may know less of the communicator than the others, so its answer comes first. */
    enum { UNABLE = 1, RELUCTANT };
    int place = -1;
    for (int from = 0; place < 0;) {
        struct facts mine, all;
        const uint64_t objection = reluctant ? RELUCTANT : topo_device_loaded() ? UNABLE : 0;
        mine.not_objection = ~objection;
        mine.not_lowest = ~(uint64_t)offer(from, objection ? 0 : most_offered(), mine.offered);
        memcpy(mine.least, least, sizeof mine.least);
        bool agreed = PMPI_Allreduce(&mine, &all, 1, facts_type, facts_op, user) == MPI_SUCCESS;
        const uint64_t objected = agreed ? ~all.not_objection : UNABLE;
        if (!objected && first_of(all.offered) >= 0)
            place = from + first_of(all.offered);
        take_back(from, mine.offered, place);
        if (objected)
            return objected == RELUCTANT ? TOPO_UNWANTED : TOPO_UNABLE;
        from = (int)~all.not_lowest;
        if (place < 0 && from >= places)
            return TOPO_UNTAGGED;
        if (place >= 0)
            memcpy(least, all.least, sizeof all.least);
    }
    *channel = (struct topo_channel){topo_channel_job.comm, world, place * TOPO_TAGS, .user = user};
    PMPI_Comm_rank(user, &channel->rank);
    PMPI_Comm_size(user, &channel->ranks);
    return TOPO_OPENED;
}

void topo_channel_close(struct topo_channel *channel)
{
    if (channel->comm != MPI_COMM_NULL) {
        pthread_mutex_lock(&lock);
        if (taken && !topo_recovers)
            taken[channel->tag / TOPO_TAGS] = 0;
        pthread_mutex_unlock(&lock);
    }
    channel->comm = MPI_COMM_NULL;
}
