#include "job/recovery_messages.h"

#include <limits.h>
#include <sched.h>
#include <stddef.h>

#include "base/memory.h"
#include "job/mpi.h"

/* A message of the call under way. What is sent was copied, if an int counts its bytes. */
struct topo_recovery_message {
    MPI_Request request;
    bool is_sent;
    void *copy;
};

/* So that no message writes to memory of the program when the call has been left: a receive is cancelled, or ends as it
 * was matched already, by a rank that lives or one that MPI knows to be lost. A send goes on from its copy, which
 * stays, if it is not through. */
static void end_message(struct topo_recovery_message *message)
{
    int done = 0;
    if (!message->is_sent)
        PMPI_Cancel(&message->request);
    do {
        if (topo_recovery_own.Test(&message->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            done = true;
    } while (!done && !message->is_sent);
    if (done)
        topo_free(message->copy);
    else
        PMPI_Request_free(&message->request);
}

void topo_recovery_end_messages(const struct topo_recovery_point *left)
{
    for (int i = 0; i < left->count; i++)
        end_message(&left->messages[i]);
}

/* What a function of MPI's returned: a failure is where the call is left. */
static int checked(int code)
{
    int class = MPI_SUCCESS;
    if (code == MPI_SUCCESS || !topo_recovery_point)
        return code;
    PMPI_Error_class(code, &class);
    if (TOPO_MPI_LOST(class) || topo_recovery_is_lost(topo_recovery_point->comm))
        topo_recovery_leave(MPI_SUCCESS);
    return code;
}

static bool has_room(void)
{
    enum { FIRST = 16 };
    struct topo_recovery_point *point = topo_recovery_point;
    if (point->count < point->room)
        return true;
    const int room = point->room ? 2 * point->room : FIRST;
    struct topo_recovery_message *grown = point->room
                                              ? topo_realloc(point->messages, (size_t)room, sizeof *point->messages)
                                              : topo_alloc((size_t)room, sizeof *point->messages);
    if (grown) {
        point->messages = grown;
        point->room = room;
    }
    return grown != NULL;
}

static void add(MPI_Request request, bool is_sent, void *copy)
{
    topo_recovery_point->messages[topo_recovery_point->count++] =
        (struct topo_recovery_message){request, is_sent, copy};
}

static void forget(MPI_Request request)
{
    for (int i = topo_recovery_point ? topo_recovery_point->count - 1 : -1; i >= 0; i--)
        if (topo_recovery_point->messages[i].request == request) {
            topo_free(topo_recovery_point->messages[i].copy);
            topo_recovery_point->messages[i] = topo_recovery_point->messages[--topo_recovery_point->count];
            return;
        }
}

static int irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (!topo_recovery_point)
        return topo_recovery_own.Irecv(buffer, count, type, source, tag, comm, request);
    if (!has_room())
        return MPI_ERR_NO_MEM;
    const int code = checked(topo_recovery_own.Irecv(buffer, count, type, source, tag, comm, request));
    if (code == MPI_SUCCESS)
        add(*request, false, NULL);
    return code;
}

typedef int starts(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int start_copy(starts *start, const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                      MPI_Request *request)
{
    MPI_Count size = 0;
    int code = PMPI_Type_size_x(type, &size), at = 0;
    if (!topo_recovery_point || code != MPI_SUCCESS)
        return start(buffer, count, type, dest, tag, comm, request);
    const bool copies = size * count <= INT_MAX;
    void *copy = copies ? topo_alloc((size_t)(size * count) + 1, 1) : NULL;
    if (!has_room() || (copies && !copy)) {
        topo_free(copy);
        return MPI_ERR_NO_MEM;
    }
    if (copies)
        code = PMPI_Pack(buffer, count, type, copy, (int)(size * count), &at, comm);
    if (code == MPI_SUCCESS)
        code = copies ? start(copy, at, MPI_PACKED, dest, tag, comm, request)
                      : start(buffer, count, type, dest, tag, comm, request);
    if (code == MPI_SUCCESS)
        add(*request, true, copy);
    else
        topo_free(copy);
    return checked(code);
}

static int isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                 MPI_Request *request)
{
    return start_copy(topo_recovery_own.Isend, buffer, count, type, dest, tag, comm, request);
}

static int issend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    return start_copy(topo_recovery_own.Issend, buffer, count, type, dest, tag, comm, request);
}

static int test(MPI_Request *request, int *done, MPI_Status *status)
{
    const MPI_Request was = *request;
    const int code = topo_recovery_own.Test(request, done, status);
    if (was != MPI_REQUEST_NULL && (code != MPI_SUCCESS || *done))
        forget(was);
    return checked(code);
}

/* Looks for up to `limit` that are through: there are *done; MPI_UNDEFINED: none is left. */
static int test_up_to(int limit, int count, MPI_Request *request, int *done, int *indices, MPI_Status *status)
{
    int active = 0, code = MPI_SUCCESS, through = 0;
    *done = 0;
    for (int i = 0; i < count && *done < limit && code == MPI_SUCCESS; i++) {
        if (request[i] == MPI_REQUEST_NULL)
            continue;
        active++;
        code = test(&request[i], &through, status);
        if (code != MPI_SUCCESS || through)
            indices[(*done)++] = i;
    }
    if (active == 0)
        *done = MPI_UNDEFINED;
    return code;
}

static int testsome(int count, MPI_Request *request, int *done, int *indices, MPI_Status *statuses)
{
    (void)statuses;
    return test_up_to(count, count, request, done, indices, MPI_STATUS_IGNORE);
}

/* MPI makes progress in each look. */
static int waitany(int count, MPI_Request *request, int *index, MPI_Status *status)
{
    enum { LOOKS = 100 };
    int done, code, looks = 0;
    while ((code = test_up_to(1, count, request, &done, index, status)) == MPI_SUCCESS && done == 0) {
        topo_recovery_ask();
        if (looks < LOOKS)
            looks++;
        else
            sched_yield();
    }
    if (done == MPI_UNDEFINED)
        *index = MPI_UNDEFINED;
    return code;
}

static int wait_for(MPI_Request *request, MPI_Status *status)
{
    int index;
    return waitany(1, request, &index, status);
}

static int waitall(int count, MPI_Request *request, MPI_Status *statuses)
{
    int code = MPI_SUCCESS;
    (void)statuses;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        code = wait_for(&request[i], MPI_STATUS_IGNORE);
    return code;
}

static int recv_now(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    const int code = irecv(buffer, count, type, source, tag, comm, &request);
    return code == MPI_SUCCESS ? wait_for(&request, status) : code;
}

static int send_now(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    MPI_Request request;
    const int code = isend(buffer, count, type, dest, tag, comm, &request);
    return code == MPI_SUCCESS ? wait_for(&request, MPI_STATUS_IGNORE) : code;
}

static int sendrecv(const void *out, int out_count, MPI_Datatype out_type, int dest, int out_tag, void *in,
                    int in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request receive;
    int code = irecv(in, in_count, in_type, source, in_tag, comm, &receive);
    if (code == MPI_SUCCESS)
        code = send_now(out, out_count, out_type, dest, out_tag, comm);
    return code == MPI_SUCCESS ? wait_for(&receive, status) : code;
}

void topo_recovery_replace_messages(void)
{
    topo_mpi.Irecv = irecv;
    topo_mpi.Isend = isend;
    topo_mpi.Issend = issend;
    topo_mpi.Recv = recv_now;
    topo_mpi.Send = send_now;
    topo_mpi.Sendrecv = sendrecv;
    topo_mpi.Test = test;
    topo_mpi.Testsome = testsome;
    topo_mpi.Wait = wait_for;
    topo_mpi.Waitall = waitall;
    topo_mpi.Waitany = waitany;
}
