/* Calls with a mistake. Left out, because Open MPI itself crashes: negative counts for MPI_Allgatherv to receive,
 * MPI_COMM_NULL for operations that move; because it takes them: uncommitted types for MPI_Allgather(v). */
#include <string.h>

#include "common/native.h"
#include "fuzz/calls.h"
#include "fuzz/communicators.h"
#include "fuzz/steps.h"

enum mistake {
    COUNT,
    SENT_COUNT,
    TYPE,
    SENT_TYPE,
    LOOSE_TYPE,
    ROOT_HIGH,
    ROOT_LOW,
    NO_OP,
    OTHER_OP,
    IN_PLACE,
    NO_COMM,
    MISTAKES
};

static const char *const names[MISTAKES] = {
    "negative count", "negative count sent", "MPI_DATATYPE_NULL", "MPI_DATATYPE_NULL sent",     "uncommitted type",
    "root too high",  "negative root",       "MPI_OP_NULL",       "operation not for the type", "received MPI_IN_PLACE",
    "MPI_COMM_NULL"};

static bool moves(enum fuzz_operation operation)
{
    return operation <= FUZZ_ALLGATHERV || operation == FUZZ_ALLTOALL || operation == FUZZ_ALLTOALLV;
}

static bool adds(enum fuzz_operation operation)
{
    return operation == FUZZ_ALLREDUCE || operation >= FUZZ_REDUCE;
}

static bool possible(enum fuzz_operation operation, enum mistake mistake)
{
    if (operation == FUZZ_BARRIER)
        return mistake == NO_COMM;
    if (operation >= FUZZ_GATHER && operation <= FUZZ_SCATTERV) /* others are the root's alone, or keep it waiting */
        return mistake == ROOT_HIGH || mistake == ROOT_LOW;
    switch (mistake) {
    case COUNT: return operation != FUZZ_ALLGATHERV;
    case SENT_COUNT:
    case SENT_TYPE: return moves(operation);
    case ROOT_HIGH:
    case ROOT_LOW: return operation == FUZZ_BCAST || operation == FUZZ_REDUCE;
    case NO_OP:
    case OTHER_OP: return adds(operation);
    case IN_PLACE: /* of MPI_Reduce at the root alone an error, the others would send; Open MPI's MPI_Exscan takes it */
        return operation != FUZZ_REDUCE && operation != FUZZ_EXSCAN;
    case LOOSE_TYPE: return operation > FUZZ_ALLGATHERV;
    case NO_COMM: return adds(operation);
    default: return true;
    }
}

struct buffers {
    int out[FUZZ_RANKS_MOST], in[FUZZ_RANKS_MOST], ones[FUZZ_RANKS_MOST], places[FUZZ_RANKS_MOST];
    int negative[FUZZ_RANKS_MOST];
    MPI_Datatype loose;
};

static void right_call(struct fuzz_call *call, struct buffers *b, enum fuzz_operation operation, MPI_Comm comm)
{
    for (int i = 0; i < FUZZ_RANKS_MOST; i++) {
        b->out[i] = i;
        b->in[i] = 0;
        b->ones[i] = 1;
        b->places[i] = i;
        b->negative[i] = -1;
    }
    *call = (struct fuzz_call){operation, b->out,    b->in,   1,       1,       b->ones, b->places,
                               b->ones,   b->places, MPI_INT, MPI_INT, MPI_SUM, 0,       comm};
}

static void spoil(struct fuzz_call *call, struct buffers *b, enum mistake mistake, int ranks)
{
    switch (mistake) {
    case COUNT:
        call->receive_count = -1;
        call->receive_counts = b->negative;
        break;
    case SENT_COUNT:
        call->send_count = -1;
        call->send_counts = b->negative;
        break;
    case TYPE: call->receive_type = MPI_DATATYPE_NULL; break;
    case SENT_TYPE: call->send_type = MPI_DATATYPE_NULL; break;
    case LOOSE_TYPE: call->receive_type = b->loose; break;
    case ROOT_HIGH: call->root = ranks; break;
    case ROOT_LOW: call->root = -5; break;
    case NO_OP: call->op = MPI_OP_NULL; break;
    case OTHER_OP:
        call->receive_type = MPI_DOUBLE;
        call->op = MPI_BAND;
        break;
    case IN_PLACE: call->receive = MPI_IN_PLACE; break;
    default: call->comm = MPI_COMM_NULL; break;
    }
}

struct outcome {
    int class;
    struct fuzz_seen seen;
};

static struct outcome outcome_of(const struct fuzz_call *call, bool native)
{
    fuzz_seen = (struct fuzz_seen){0};
    int code = fuzz_call_guarded(call, native);
    return (struct outcome){fuzz_error_class(code), fuzz_seen};
}

void fuzz_mistake(struct fuzz_worker *worker, struct fuzz_comm *comm)
{
    enum fuzz_operation operation = (enum fuzz_operation)fuzz_below(&worker->plan, FUZZ_OPERATIONS);
    enum mistake mistake = NO_COMM;
    for (int tries = 0; tries < 5 && (tries == 0 || !possible(operation, mistake)); tries++)
        mistake = (enum mistake)fuzz_below(&worker->plan, MISTAKES);
    if (comm->rank < 0 || !possible(operation, mistake) || fuzz_without("mistakes"))
        return;
    struct buffers buffers;
    struct fuzz_call call;
    PMPI_Type_contiguous(1, MPI_INT, &buffers.loose);
    right_call(&call, &buffers, operation, comm->comm);
    spoil(&call, &buffers, mistake, comm->size);
    fuzz_does(worker, "mistake: %s in MPI_%s on communicator %d by %s of %d ranks, handler %d", names[mistake],
              fuzz_operation_name(operation), comm->id, comm->made_by, comm->size, comm->handler);
    struct outcome ours = outcome_of(&call, false), natively = outcome_of(&call, true);
    if (ours.class != natively.class || ours.seen.calls != natively.seen.calls ||
        ours.seen.class != natively.seen.class || ours.seen.comm != natively.seen.comm)
        fuzz_differ(worker, "class %d, natively %d; handler called %d times, natively %d, with class %d, natively %d%s",
                    ours.class, natively.class, ours.seen.calls, natively.seen.calls, ours.seen.class,
                    natively.seen.class, ours.seen.comm != natively.seen.comm ? ", another communicator" : "");
    if (ours.class == MPI_SUCCESS)
        fuzz_differ(worker, "no error");
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm->comm);
    if (sum != comm->size)
        fuzz_differ(worker, "the next sum is %d, not %d", sum, comm->size);
    PMPI_Type_free(&buffers.loose);
}

void fuzz_mistake_alone(struct fuzz_worker *worker, struct fuzz_comm *comm)
{
    int root = fuzz_below(&worker->plan, comm->size), before = fuzz_chance(&worker->plan, 50) ? 140 : 3;
    int out = 1, in = 0, all[FUZZ_RANKS_MOST], other[FUZZ_RANKS_MOST] = {0}, code, native_code;
    MPI_Comm apart;
    if (comm->rank < 0 || fuzz_without("alone"))
        return;
    fuzz_does(worker,
              "mistake of the root alone: MPI_Reduce(buffer, buffer) on a duplicate of communicator %d by %s "
              "of %d ranks",
              comm->id, comm->made_by, comm->size);
    MPI_Comm_dup(comm->comm, &apart);
    MPI_Comm_set_errhandler(apart, MPI_ERRORS_RETURN);
    for (int i = 0; i < before; i++)
        MPI_Reduce(&out, &in, 1, MPI_INT, MPI_SUM, root, apart);
    code = MPI_Reduce(&out, comm->rank == root ? &out : &in, 1, MPI_INT, MPI_SUM, root, apart);
    native_code = NATIVE(Reduce)(&out, comm->rank == root ? &out : &in, 1, MPI_INT, MPI_SUM, root, apart);
    if (fuzz_error_class(code) != fuzz_error_class(native_code))
        fuzz_differ(worker, "class %d, natively %d", fuzz_error_class(code), fuzz_error_class(native_code));
    /* The messages of the others lie there unreceived: no further MPI_Reduce. */
    for (int i = 0; i < before; i++) {
        out = comm->rank + i;
        MPI_Allgather(&out, 1, MPI_INT, all, 1, MPI_INT, apart);
        for (int r = 0; r < comm->size; r++)
            if (all[r] != r + i)
                fuzz_differ(worker, "then an MPI_Allgather got %d, not %d", all[r], r + i);
        MPI_Barrier(apart);
        fuzz_progress();
    }
    /* Those messages are to be there before the communicator goes: Open MPI would take one that comes later for a
     * message of the next communicator with its identifier. */
    for (int i = 0; i < 3; i++)
        NATIVE(Alltoall)(other, 1, MPI_INT, all, 1, MPI_INT, apart);
    MPI_Comm_free(&apart);
}
