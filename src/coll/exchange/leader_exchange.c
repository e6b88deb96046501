#include "coll/exchange/leader_exchange.h"

#include "coll/exchange/p2p_stream.h"
#include "coll/scratch.h"
#include "coll/transport.h"

/* All parcels in one direction. */
static int list(const struct topo_comm *comm, bool sends, struct topo_carriage *carriage)
{
    const struct topo_levels *levels = comm->shared->levels;
    int me = comm->shared->node, nodes = levels->nodes;
    for (int d = 1; d < nodes; d++) {
        int other = (me + (sends ? d : nodes - d)) % nodes;
        carriage[d - 1] = (struct topo_carriage){.rank = comm->order[levels->start[other]], .node = other};
    }
    return nodes - 1;
}

int topo_drive_open(struct topo_drive *drive, const struct topo_comm *comm, const struct topo_channel *channel)
{
    size_t most = 2 * (size_t)comm->shared->levels->nodes;
    *drive = (struct topo_drive){.channel = channel};
    drive->carriage = topo_scratch_take(most * (sizeof *drive->carriage + sizeof(MPI_Request)));
    if (!drive->carriage)
        return MPI_ERR_NO_MEM;
    drive->request = (MPI_Request *)(void *)(drive->carriage + most);
    drive->in = list(comm, false, drive->carriage);
    drive->out = list(comm, true, drive->carriage + drive->in);
    for (int i = 0; i < drive->in + drive->out; i++)
        drive->request[i] = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* Starts the next piece. The first one of an incoming parcel may be shorter than the room for it. */
static int move(struct topo_drive *drive, int i)
{
    struct topo_carriage *c = &drive->carriage[i];
    size_t rest = c->length - c->offset, length = rest < TOPO_PIECE ? rest : TOPO_PIECE;
    char *at = c->at + c->offset;
    c->offset += length;
    return i < drive->in ? topo_irecv(at, length, c->rank, drive->channel, &drive->request[i])
                         : topo_isend(at, length, c->rank, drive->channel, &drive->request[i]);
}

int topo_drive_receive(struct topo_drive *drive)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < drive->in && code == MPI_SUCCESS; i++)
        code = move(drive, i);
    return code;
}

int topo_drive_run(struct topo_drive *drive)
{
    int count = drive->in + drive->out, done, code = MPI_SUCCESS;
    for (int i = drive->in; i < count && code == MPI_SUCCESS; i++)
        code = move(drive, i);
    while (code == MPI_SUCCESS) {
        code = PMPI_Waitany(count, drive->request, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS || done == MPI_UNDEFINED)
            break;
        struct topo_carriage *c = &drive->carriage[done];
        if (done < drive->in && drive->told)
            c->length = drive->told(c->at);
        if (c->offset < c->length)
            code = move(drive, done);
    }
    return code;
}

int topo_drive_close(struct topo_drive *drive, int code)
{
    int waited = MPI_SUCCESS;
    if (drive->carriage)
        waited = PMPI_Waitall(drive->in + drive->out, drive->request, MPI_STATUSES_IGNORE);
    topo_scratch_give(drive->carriage);
    drive->carriage = NULL;
    return code != MPI_SUCCESS ? code : waited;
}
