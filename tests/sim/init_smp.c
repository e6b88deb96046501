/* What SimGrid's selections find out about a communicator in its first use, which ranks are on a node and whether in a
 * row (simgrid::smpi::Comm::init_smp()), takes a ring and an all-reduce of a message a pair: two million messages for
 * 1,024 ranks, most of a minute, in calls that are not timed. Loaded before SimGrid (tests/sim/run), these two take a
 * logarithm of the ranks. Both know init_smp() by what it asks: one int of each rank, one logical and. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Handles of SMPI, which this file only passes on. */
struct datatype;
struct op;
struct comm;

typedef int allgather_function(const void *, int, struct datatype *, void *, int, struct datatype *, struct comm *);
typedef int allreduce_function(const void *, void *, int, struct datatype *, struct op *, struct comm *);

#define ALLGATHER(length, name) "_ZN7simgrid4smpi" #length "allgather__" #name "EPKviPNS0_8DatatypeEPviS4_PNS0_4CommE"
#define ALLREDUCE(length, name) \
    "_ZN7simgrid4smpi" #length "allreduce__" #name "EPKvPviPNS0_8DatatypeEPNS0_2OpEPNS0_4CommE"

static void *next(const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    if (!found) {
        fprintf(stderr, "sim: this SimGrid has no %s\n", symbol);
        abort();
    }
    return found;
}

allgather_function ring __asm__(ALLGATHER(15, ring));
int ring(const void *own, int count, struct datatype *type, void *all, int each, struct datatype *all_type,
         struct comm *comm)
{
    union {
        void *object;
        allgather_function *call;
    } real = {.object = next(count == 1 ? ALLGATHER(16, bruck) : ALLGATHER(15, ring))};
    return real.call(own, count, type, all, each, all_type, comm);
}

allreduce_function by_default __asm__(ALLREDUCE(18, default));
int by_default(const void *own, void *result, int count, struct datatype *type, struct op *op, struct comm *comm)
{
    bool asks = count == 1 && (void *)op == dlsym(RTLD_DEFAULT, "smpi_MPI_LAND");
    union {
        void *object;
        allreduce_function *call;
    } real = {.object = next(asks ? ALLREDUCE(14, rdb) : ALLREDUCE(18, default))};
    return real.call(own, result, count, type, op, comm);
}
