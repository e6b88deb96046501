#include "job/channel_calls.h"

static int tag_of(const struct topo_channel *channel)
{
    return channel->tag + TOPO_TAG_CALL;
}

static int send(const void *bytes, int count, int to, const struct topo_channel *channel)
{
    return PMPI_Send(bytes, count, MPI_BYTE, topo_channel_peer(channel, to), tag_of(channel), channel->comm);
}

static int receive(void *bytes, int count, int from, const struct topo_channel *channel)
{
    return PMPI_Recv(bytes, count, MPI_BYTE, topo_channel_peer(channel, from), tag_of(channel), channel->comm,
                     MPI_STATUS_IGNORE);
}

static int exchange(const void *own, int to, void *theirs, int from, int count, const struct topo_channel *channel)
{
    return PMPI_Sendrecv(own, count, MPI_BYTE, topo_channel_peer(channel, to), tag_of(channel), theirs, count, MPI_BYTE,
                         topo_channel_peer(channel, from), tag_of(channel), channel->comm, MPI_STATUS_IGNORE);
}

static void combine(uint64_t *values, const uint64_t *theirs, int count, enum topo_channel_op op)
{
    for (int i = 0; i < count; i++)
        switch (op) {
        case TOPO_CHANNEL_LEAST: values[i] = theirs[i] < values[i] ? theirs[i] : values[i]; break;
        case TOPO_CHANNEL_MOST: values[i] = theirs[i] > values[i] ? theirs[i] : values[i]; break;
        case TOPO_CHANNEL_SUM: values[i] += theirs[i]; break;
        }
}

/* Recursive doubling among as many ranks as the highest power of two, `twos`, counts. Of the first 2 (n - twos) those
 * with even numbers hand theirs to the next rank and get the result from it. */
int topo_channel_allreduce(uint64_t *values, int count, enum topo_channel_op op, const struct topo_channel *channel)
{
    const int n = channel->ranks, rank = channel->rank, bytes = count * (int)sizeof *values;
    uint64_t theirs[TOPO_CHANNEL_VALUES];
    int twos = 1, code = MPI_SUCCESS;
    while (twos <= n / 2)
        twos *= 2;
    const int rest = n - twos;
    const bool folded = rank < 2 * rest;
    if (folded && rank % 2 == 0) {
        code = send(values, bytes, rank + 1, channel);
        return code != MPI_SUCCESS ? code : receive(values, bytes, rank + 1, channel);
    }
    if (folded && (code = receive(theirs, bytes, rank - 1, channel)) == MPI_SUCCESS)
        combine(values, theirs, count, op);
    const int number = folded ? rank / 2 : rank - rest;
    for (int mask = 1; mask < twos && code == MPI_SUCCESS; mask *= 2) {
        const int other = number ^ mask, peer = other < rest ? 2 * other + 1 : other + rest;
        code = exchange(values, peer, theirs, peer, bytes, channel);
        if (code == MPI_SUCCESS)
            combine(values, theirs, count, op);
    }
    return folded && code == MPI_SUCCESS ? send(values, bytes, rank - 1, channel) : code;
}

bool topo_channel_all(bool here, const struct topo_channel *channel)
{
    uint64_t all = here;
    return topo_channel_allreduce(&all, 1, TOPO_CHANNEL_LEAST, channel) == MPI_SUCCESS && all;
}

enum topo_status topo_channel_worst(enum topo_status status, const struct topo_channel *channel)
{
    uint64_t worst = status;
    int code = topo_channel_allreduce(&worst, 1, TOPO_CHANNEL_MOST, channel);
    return code == MPI_SUCCESS ? (enum topo_status)worst : TOPO_MPI;
}

/* Along a binomial tree: who is `mask` ranks further gets it if that is below this rank's lowest bit. */
static int bcast_part(void *bytes, int count, const struct topo_channel *channel)
{
    const int rank = channel->rank;
    int mask = 1, code = MPI_SUCCESS;
    while (mask < channel->ranks && !(rank & mask))
        mask *= 2;
    if (rank > 0)
        code = receive(bytes, count, rank - mask, channel);
    for (mask /= 2; mask > 0 && code == MPI_SUCCESS; mask /= 2)
        if (rank + mask < channel->ranks)
            code = send(bytes, count, rank + mask, channel);
    return code;
}

int topo_channel_bcast(void *bytes, size_t count, const struct topo_channel *channel)
{
    enum { PART = 1 << 18 }; /* so that long ones are under way on several levels of the tree at once */
    int code = MPI_SUCCESS;
    for (size_t at = 0; at < count && code == MPI_SUCCESS; at += PART)
        code = bcast_part((char *)bytes + at, count - at < PART ? (int)(count - at) : PART, channel);
    return code;
}

/* Dissemination: in each step a rank tells the one that is twice as far as in the step before. */
int topo_channel_barrier(const struct topo_channel *channel)
{
    const int n = channel->ranks, rank = channel->rank;
    int code = MPI_SUCCESS;
    for (int64_t far = 1; far < n && code == MPI_SUCCESS; far *= 2)
        code = exchange(NULL, (int)((rank + far) % n), NULL, (int)((rank - far + n) % n), 0, channel);
    return code;
}
