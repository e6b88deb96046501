#include "coll/exchange/leader_exchange.h"

#include "coll/exchange/p2p_stream.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"

/* All aggregates in one direction. */
static int list(const struct topo_comm *comm, bool sends, struct topo_carriage *carriage)
{
    const struct topo_levels *levels = comm->node->levels;
    int me = comm->node->index, nodes = levels->nodes;
    for (int d = 1; d < nodes; d++) {
        int other = (me + (sends ? d : nodes - d)) % nodes;
        carriage[d - 1] =
            (struct topo_carriage){.rank = topo_tree_rank(comm->tree, levels->start[other]), .node = other};
    }
    return nodes - 1;
}

int topo_leader_exchange_open(struct topo_leader_exchange *exchange, const struct topo_comm *comm,
                              const struct topo_channel *channel)
{
    size_t most = 2 * (size_t)comm->node->levels->nodes;
    *exchange = (struct topo_leader_exchange){.channel = channel};
    exchange->carriage = topo_scratch_take(most * (sizeof *exchange->carriage + sizeof(MPI_Request)));
    if (!exchange->carriage)
        return MPI_ERR_NO_MEM;
    exchange->request = (MPI_Request *)(void *)(exchange->carriage + most);
    exchange->in = list(comm, false, exchange->carriage);
    exchange->out = list(comm, true, exchange->carriage + exchange->in);
    for (int i = 0; i < exchange->in + exchange->out; i++)
        exchange->request[i] = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* Starts the next segment. The first one of an incoming aggregate may be shorter than the room for it. */
static int move(struct topo_leader_exchange *exchange, int i)
{
    struct topo_carriage *c = &exchange->carriage[i];
    size_t rest = c->length - c->offset, length = rest < TOPO_P2P_SEGMENT ? rest : TOPO_P2P_SEGMENT;
    char *at = c->at + c->offset;
    c->offset += length;
    return i < exchange->in ? topo_irecv(at, length, c->rank, exchange->channel, &exchange->request[i])
                            : topo_isend(at, length, c->rank, exchange->channel, &exchange->request[i]);
}

int topo_leader_exchange_receive(struct topo_leader_exchange *exchange)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < exchange->in && code == MPI_SUCCESS; i++)
        code = move(exchange, i);
    return code;
}

int topo_leader_exchange_run(struct topo_leader_exchange *exchange)
{
    int count = exchange->in + exchange->out, done, code = MPI_SUCCESS;
    for (int i = exchange->in; i < count && code == MPI_SUCCESS; i++)
        code = move(exchange, i);
    while (code == MPI_SUCCESS) {
        code = PMPI_Waitany(count, exchange->request, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS || done == MPI_UNDEFINED)
            break;
        struct topo_carriage *c = &exchange->carriage[done];
        if (done < exchange->in && exchange->length_of)
            c->length = exchange->length_of(c->at);
        if (c->offset < c->length)
            code = move(exchange, done);
    }
    return code;
}

int topo_leader_exchange_close(struct topo_leader_exchange *exchange, int code)
{
    int waited = MPI_SUCCESS;
    if (exchange->carriage)
        waited = PMPI_Waitall(exchange->in + exchange->out, exchange->request, MPI_STATUSES_IGNORE);
    topo_scratch_give(exchange->carriage);
    exchange->carriage = NULL;
    return code != MPI_SUCCESS ? code : waited;
}
