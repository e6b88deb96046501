#include "fuzz/cases.h"

#include <string.h>

enum { ROWS_BYTES = 4 << 20 };

/* Bytes that a rank may have in a buffer; long messages through shared memory hang Open MPI itself at 9 ranks and more.
 */
static size_t room(struct fuzz_random *random)
{
    int kind = fuzz_below(random, 1000);
    if (fuzz_job.ranks >= 9 && !fuzz_job.tcp)
        return kind < 700 ? 2048 : 16384;
    return kind < 500 ? 2048 : kind < 800 ? 32768 : kind < 965 ? 262144 : kind < 995 ? 1 << 20 : 4 << 20;
}

int fuzz_count_any(struct fuzz_random *random, size_t bytes, int blocks)
{
    int most = (int)(room(random) / (bytes * (size_t)blocks)), kind = fuzz_below(random, 100), count;
    if (kind < 6)
        count = 0;
    else if (kind < 20)
        count = 1;
    else if (kind < 45)
        count = fuzz_between(random, 2, 9);
    else if (kind < 65)
        count = (1 << fuzz_below(random, 15)) + fuzz_between(random, -1, 1);
    else
        count = fuzz_between(random, 1, most);
    return count > most ? most : count;
}

/* Calls in a row: caches fill, rules of the first calls end (at the 129th). */
static int rows_any(struct fuzz_random *random, size_t bytes)
{
    int kind = fuzz_below(random, 100);
    int rows = kind < 65   ? 1
               : kind < 82 ? fuzz_between(random, 2, 9)
               : kind < 92 ? fuzz_between(random, 10, 60)
                           : fuzz_between(random, 120, 200);
    return bytes * (size_t)rows > ROWS_BYTES ? 1 : rows;
}

/* One address less another one, as an address: where a type with absolute places is to be used with it. */
static void *apart(const void *to, const void *from)
{
    return (void *)((uintptr_t)to - (uintptr_t)from);
}

/* The same call with another receive buffer; with MPI_BOTTOM for the place of either. */
static void set_native(struct fuzz_case *c)
{
    c->native = c->ours;
    if (c->got.block) {
        fuzz_area_copy(&c->expected, &c->got);
        fuzz_area_copy(&c->fresh, &c->got);
        c->native.receive = c->expected.base;
    }
    if (c->send_bottom) {
        fuzz_type_make_at(&c->send_there, c->adds ? &c->type : &c->send_type, c->send.base);
        c->ours.send = c->native.send = MPI_BOTTOM;
        if (c->adds) {
            c->ours.receive_type = c->native.receive_type = c->send_there.type;
            c->ours.receive = apart(c->ours.receive, c->send.base);
            c->native.receive = apart(c->native.receive, c->send.base);
        } else {
            c->ours.send_type = c->native.send_type = c->send_there.type;
        }
    }
    if (c->bottom) {
        fuzz_type_make_at(&c->there, &c->type, c->got.base);
        fuzz_type_make_at(&c->there_natively, &c->type, c->expected.base);
        c->ours.receive = c->native.receive = MPI_BOTTOM;
        c->ours.receive_type = c->there.type;
        c->native.receive_type = c->there_natively.type;
        if (c->adds && c->send.block) {
            c->ours.send = apart(c->send.base, c->got.base);
            c->native.send = apart(c->send.base, c->expected.base);
        }
    }
}

void fuzz_case_make(struct fuzz_case *c, struct fuzz_worker *worker, struct fuzz_comm *comm)
{
    enum fuzz_operation operation = (enum fuzz_operation)fuzz_below(&worker->plan, FUZZ_OPERATIONS);
    memset(c, 0, sizeof *c);
    c->comm = comm;
    c->ours = (struct fuzz_call){.operation = operation, .comm = comm->comm, .op = MPI_OP_NULL};
    c->ours.root = fuzz_below(&worker->plan, comm->size);
    c->ours.send_type = c->ours.receive_type = MPI_DATATYPE_NULL;
    c->ours.send_counts = c->numbers[0];
    c->ours.send_places = c->numbers[1];
    c->ours.receive_counts = c->numbers[2];
    c->ours.receive_places = c->numbers[3];
    if (operation == FUZZ_ALLREDUCE || operation >= FUZZ_REDUCE)
        fuzz_case_reduce(c, worker);
    else if (operation != FUZZ_BARRIER)
        fuzz_case_move(c, worker);
    set_native(c);
    if (c->send.block)
        fuzz_area_copy(&c->sent, &c->send);
    c->rows = rows_any(&worker->plan, c->weight + 1);
}

static void compare(struct fuzz_case *c, struct fuzz_worker *worker, int row, int code, int native_code)
{
    int class = fuzz_error_class(code), native_class = fuzz_error_class(native_code);
    if (class != native_class || class != MPI_SUCCESS)
        fuzz_differ(worker, "call %d: error class %d, natively %d", row, class, native_class);
    if (c->clean && c->got.block) {
        fuzz_area_clean(&c->got, &c->type);
        fuzz_area_clean(&c->expected, &c->type);
    }
    if (c->part) {
        fuzz_area_clear(&c->got, &c->type, c->own);
        fuzz_area_clear(&c->expected, &c->type, c->own);
    }
    long at = fuzz_area_differs(&c->got, &c->expected);
    if (at >= 0)
        fuzz_differ(worker, "call %d: received byte %ld of %zu (element 0 at %ld) is %02x, natively %02x, before %02x",
                    row, at, c->got.bytes, (long)(c->got.base - (char *)c->got.block), c->got.block[at],
                    c->expected.block[at], c->fresh.block[at]);
    at = fuzz_area_differs(&c->send, &c->sent);
    if (at >= 0)
        fuzz_differ(worker, "call %d: byte %ld of the send buffer changed", row, at);
    if (fuzz_strange_types() > 0)
        fuzz_differ(worker, "call %d: the operation was called with another type than the call's", row);
}

static void clear(struct fuzz_case *c)
{
    struct fuzz_area *areas[] = {&c->send, &c->sent, &c->got, &c->expected, &c->fresh};
    struct fuzz_type *types[] = {&c->send_there, &c->there, &c->there_natively, &c->send_type, &c->type};
    for (int i = 0; i < 5; i++) {
        fuzz_area_free(areas[i]);
        fuzz_type_free(types[i]);
    }
}

void fuzz_case_run(struct fuzz_case *c, struct fuzz_worker *worker)
{
    bool native_first = fuzz_chance(&worker->plan, 50);
    int code, native_code = MPI_SUCCESS;
    if (native_first)
        native_code = fuzz_call(&c->native, true);
    for (int row = 1; row <= c->rows; row++) {
        if (row > 1 && c->got.block)
            fuzz_area_restore(&c->got, &c->fresh);
        code = fuzz_call(&c->ours, false);
        if (row == 1 && !native_first)
            native_code = fuzz_call(&c->native, true);
        compare(c, worker, row, code, native_code);
        fuzz_progress();
    }
    clear(c);
}
