/* Every algorithm of MPI_Alltoallv against PMPI_Alltoallv: byte for byte, gaps included. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/alltoallv/alltoallv.h"
#include "mpi/comms.h"
#include "mpi/harness.h"
#include "mpi/pending.h"
#include "mpi/types.h"

/* How many ints go from one rank to another: whole multiples of 6, so that every type holds them. */
enum counts { NOTHING, SHORT, SPARSE, ZERO_ROWS, LONG, MIXED, CUT, COUNTS };
static const char *const counts_name[COUNTS] = {"no counts",
                                                "short counts",
                                                "few pairs",
                                                "rows of zeroes",
                                                "long counts",
                                                "short and long counts",
                                                "counts of several pieces"};

/* `phase` of a rank changes what it sends. */
static int ints_of(enum counts counts, int from, int to, int phase)
{
    unsigned mixed = (unsigned)(from * 31 + to * 17 + phase * 101 + 7) * 2654435761u >> 16;
    switch (counts) {
    case NOTHING: return 0;
    case SHORT: return 6 * (int)(mixed % 9);
    case SPARSE: return mixed % 4 ? 0 : 6 * (int)(mixed % 50);
    case ZERO_ROWS: return (from + phase) % 3 == 0 || to % 4 == 1 ? 0 : 6 * (int)(mixed % 20);
    case LONG: return 6 * (int)(600 + mixed % 500);
    case CUT: return mixed % 4 ? 0 : 6 * (int)(2600 + mixed % 4000);
    default: return mixed % 3 ? 6 * (int)(mixed % 9) : 6 * (int)(mixed % 2000);
    }
}

struct sizes {
    int rank, ranks, others; /* `others`: the group that is talked to */
};

static struct sizes sizes_of(MPI_Comm comm)
{
    struct sizes s;
    int inter;
    MPI_Comm_rank(comm, &s.rank);
    MPI_Comm_size(comm, &s.ranks);
    s.others = s.ranks;
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &s.others);
    return s;
}

/* One side's arguments and memory; blocks lie in reverse order with an element between them. */
struct side {
    int *count, *place;
    void *block, *base;
    size_t bytes;
};

static struct side side_new(const struct test_type *type, const struct sizes *s, const int *ints, bool overlap,
                            int fill)
{
    struct side side = {.count = malloc((size_t)s->others * sizeof(int)),
                        .place = malloc((size_t)s->others * sizeof(int))};
    int at = 1, longest = 0;
    for (int other = s->others - 1; other >= 0; other--) {
        side.count[other] = ints[other] / type->ints;
        side.place[other] = overlap ? 1 : at;
        at += side.count[other] + 1;
        longest = side.count[other] > longest ? side.count[other] : longest;
    }
    side.block = test_buffer(type, overlap ? longest + 1 : at, fill, &side.base, &side.bytes);
    return side;
}

static void side_free(struct side *side)
{
    free(side->count);
    free(side->place);
    free(side->block);
}

struct test_case {
    enum counts counts;
    const int *phase; /* of every rank; NULL: 0 */
    const struct test_type *send, *receive;
    bool overlap, in_place;
};

/* One call in both ways; true when the receive buffers are equal and codes are too. */
static bool same(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_case *c)
{
    struct sizes s = sizes_of(comm);
    int *out = calloc((size_t)s.others, sizeof *out), *in = calloc((size_t)s.others, sizeof *in), code[2];
    for (int other = 0; other < s.others; other++) {
        int low = s.rank < other ? s.rank : other, high = s.rank < other ? other : s.rank;
        out[other] = ints_of(c->counts, s.rank, other, c->phase ? c->phase[s.rank] : 0);
        in[other] = ints_of(c->counts, other, s.rank, c->phase ? c->phase[other] : 0);
        if (c->in_place) /* what goes to a rank is as long as what comes from it */
            out[other] = in[other] = ints_of(c->counts, low, high, 0);
    }
    struct side send = side_new(c->send, &s, out, c->overlap, 0x11), receive[2];
    MPI_Aint lb, extent;
    PMPI_Type_get_extent(c->send->type, &lb, &extent);
    for (int other = 0; other < s.others; other++)
        test_fill(c->send, send.count[other], (char *)send.base + send.place[other] * extent,
                  (unsigned)(s.rank * 64 + (c->overlap ? 0 : other)));
    PMPI_Type_get_extent(c->receive->type, &lb, &extent);
    for (int i = 0; i < 2; i++) {
        receive[i] = side_new(c->receive, &s, in, false, 0x22);
        for (int other = 0; other < s.others && c->in_place; other++)
            test_fill(c->receive, receive[i].count[other], (char *)receive[i].base + receive[i].place[other] * extent,
                      (unsigned)(s.rank * 64 + other));
        const void *sent = c->in_place ? MPI_IN_PLACE : send.base;
        struct side *to = &receive[i];
        code[i] = i == 0 ? topo_alltoallv(algorithm, sent, send.count, send.place, c->send->type, to->base, to->count,
                                          to->place, c->receive->type, comm)
                         : PMPI_Alltoallv(sent, send.count, send.place, c->send->type, to->base, to->count, to->place,
                                          c->receive->type, comm);
    }
    bool equal = code[0] == code[1] && !memcmp(receive[0].block, receive[1].block, receive[0].bytes);
    side_free(&send);
    side_free(&receive[0]);
    side_free(&receive[1]);
    free(out);
    free(in);
    return equal;
}

/* All kinds of counts with other types on both sides of each rank's call. */
static void all_counts(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types,
                       const char *machine)
{
    struct sizes s = sizes_of(comm);
    for (int k = 0; k < COUNTS; k++) {
        struct test_case c = {.counts = (enum counts)k,
                              .send = &types[(s.rank + k + 1) % TEST_TYPES],
                              .receive = &types[(s.rank + k / 2) % TEST_TYPES],
                              .overlap = k % 2};
        harness_check(same(algorithm, comm, &c), "%s on %s: %s", algorithm->name, machine, counts_name[k]);
    }
}

static void all_types(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types)
{
    for (int t = 0; t < TEST_TYPES; t++)
        for (int in_place = 0; in_place < 2; in_place++) {
            struct test_case c = {MIXED, NULL, &types[(t + 2) % TEST_TYPES], &types[t], false, in_place};
            harness_check(same(algorithm, comm, &c), "%s: %s%s", algorithm->name, types[t].name,
                          in_place ? ", in place" : "");
        }
}

/* Counts change on one rank only, or on some, or on none, call after call. */
static void changing(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types,
                     const char *machine)
{
    struct sizes s = sizes_of(comm);
    int *phase = calloc((size_t)s.ranks, sizeof *phase);
    bool good = true;
    for (int call = 0; call < 14; call++) {
        struct test_case c = {
            call % 5 == 4 ? SPARSE : call % 2 ? MIXED : SHORT, phase, &types[0], &types[1], false, false};
        good &= same(algorithm, comm, &c);
        if (call % 4 == 1)
            phase[call % s.ranks]++;
        if (call % 4 == 2)
            for (int rank = call % 3; rank < s.ranks; rank += 3)
                phase[rank] += call;
    }
    harness_check(good, "%s on %s: counts change on some ranks", algorithm->name, machine);
    free(phase);
}

static bool is_right_on(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context)
{
    const struct test_type *types = context;
    struct test_case c = {SHORT, NULL, &types[1], &types[2], false, false};
    return same(algorithm, comm->comm, &c);
}

static void application_messages(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types)
{
    struct test_case c = {MIXED, NULL, &types[0], &types[0], false, false};
    struct test_pending pending;
    test_pending_begin(&pending, comm);
    test_pending_end(&pending, same(algorithm, comm, &c), algorithm->name);
}

/* Calls of all forms follow one another on two communicators while some ranks
 * are late: nobody waits for anyone between the calls. `auto` takes its iterations. */
static void in_a_row(MPI_Comm comm, const char *machine)
{
    enum { CALLS = 24, INTS = 4096 };
    struct sizes s = sizes_of(comm);
    size_t n = (size_t)s.ranks;
    MPI_Comm both[2] = {comm, MPI_COMM_NULL};
    int *send = malloc(n * INTS * sizeof *send), *receive = malloc(CALLS * n * INTS * sizeof *receive);
    int *count[2] = {malloc(n * sizeof(int)), malloc(n * sizeof(int))}, *place = malloc(n * sizeof *place);
    bool good = true;
    MPI_Comm_dup(comm, &both[1]);
    for (int rank = 0; rank < s.ranks; rank++)
        place[rank] = rank * INTS;
    memset(receive, 0, CALLS * n * INTS * sizeof *receive);
    for (int call = 0; call < CALLS; call++) {
        int id =
            TOPO_ALGORITHM_alltoallv_native + call % (TOPO_ALGORITHM_barrier_native - TOPO_ALGORITHM_alltoallv_native);
        const struct topo_algorithm *algorithm = call % 3 == 2 ? NULL : topo_algorithm((enum topo_algorithm_id)id);
        enum counts counts = call % 8 < 4 ? SHORT : MIXED;
        for (int rank = 0; rank < s.ranks; rank++) {
            count[0][rank] = ints_of(counts, s.rank, rank, call) % INTS;
            count[1][rank] = ints_of(counts, rank, s.rank, call) % INTS;
            for (int i = 0; i < count[0][rank]; i++)
                send[rank * INTS + i] = call * 1000003 + s.rank * 65537 + rank * 257 + i;
        }
        if (call % 5 == s.rank % 5)
            usleep(500);
        good &= topo_alltoallv(algorithm, send, count[0], place, MPI_INT, receive + (size_t)call * n * INTS, count[1],
                               place, MPI_INT, both[call % 7 == 3]) == MPI_SUCCESS;
    }
    for (int call = 0; call < CALLS; call++)
        for (int rank = 0; rank < s.ranks; rank++) {
            int ints = ints_of(call % 8 < 4 ? SHORT : MIXED, rank, s.rank, call) % INTS;
            const int *got = receive + ((size_t)call * n + (size_t)rank) * INTS;
            for (int i = 0; i < INTS; i++)
                good &= got[i] == (i < ints ? call * 1000003 + rank * 65537 + s.rank * 257 + i : 0);
        }
    harness_check(good, "calls of all forms in a row on %s", machine);
    MPI_Comm_free(&both[1]);
    free(send);
    free(receive);
    free(count[0]);
    free(count[1]);
    free(place);
}

/* Node-aware calls tell the total, too: the one that was known is no reason to ask sooner for it, another one is. */
static void told_again(MPI_Comm comm, const struct test_type *types, const char *machine)
{
    const struct topo_algorithm *node_aware = topo_algorithm(TOPO_ALGORITHM_alltoallv_node_aware);
    struct test_case c = {SHORT, NULL, &types[0], &types[0], false, false};
    struct topo_comm *state = NULL;
    bool good = same(node_aware, comm, &c);
    if (topo_comm_of(comm, &state) != MPI_SUCCESS || !state || state->native || !state->layout.has_shm)
        return; /* without shared memory it is direct, which tells nothing */
    const struct topo_count_estimate *estimate = topo_count_estimate_of(state);
    uint64_t total = estimate->total;
    for (int i = 0; i < 4; i++)
        topo_count_estimate_ask(state, state->rank == 0 ? total : 0);
    unsigned interval = estimate->backoff.interval;
    good &= same(node_aware, comm, &c) && estimate->total == total && estimate->backoff.interval == interval;
    c.counts = LONG;
    good &= same(node_aware, comm, &c) && estimate->total > total && estimate->backoff.interval == 1;
    harness_check(good && interval >= 16, "node_aware on %s tells the total again, then another one", machine);
}

/* Everything on one machine; `thorough` adds what does not depend on it. Ranks dealt
 * round the nodes are the harder case. */
static void on_machine(const char *machine, const struct test_type *types, bool thorough)
{
    MPI_Comm comm;
    if (!harness_use_machine(machine))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)id);
        if (algorithm->operation != TOPO_OPERATION_alltoallv)
            continue;
        all_counts(algorithm, comm, types, machine);
        if (thorough || strstr(machine, "by:node") || strstr(machine, "auto"))
            changing(algorithm, comm, types, machine);
        if (!thorough)
            continue;
        all_types(algorithm, comm, types);
        application_messages(algorithm, comm, types);
        test_each_comm(algorithm, is_right_on, types);
    }
    told_again(comm, types, machine);
    in_a_row(comm, machine);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const char *const node[] = {"64M", "0", "20K", "64M"}, *const barriers[] = {"auto", "uneven", "sendrecv",
                                                                                       "send"};
    struct test_type types[TEST_TYPES];
    const char *machine, *last = "auto";
    int machines = 0;
    harness_start(&argc, &argv);
    test_types_make(types);
    for (; (machine = harness_machine(machines)); machines++) {
        on_machine(machine, types, machines == 0);
        last = machine;
    }
    for (int i = 1; i < 4; i++) {
        harness_option("TOPOMPI_ALLTOALLV_SYNC", barriers[i]);
        harness_option("TOPOMPI_SHARED", node[i]);
        on_machine(last, types, i == 1);
    }
    test_types_free(types);
    return harness_finish();
}
