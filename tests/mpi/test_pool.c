/* Segments that ranks of a node share (node/pool.h): handed out, kept, given back, and what they may take. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/memory.h"
#include "coll/allreduce/allreduce.h"
#include "coll/library.h"
#include "comm/comm.h"
#include "job/job.h"
#include "node/descriptors.h"
#include "node/pool.h"
#include "mpi/harness.h"

enum { TAG = 7, BYTES = 300000, KIB = 1024, ZEROS = 5000 }; /* of a segment that was used, at its start */

static int rank, ranks, *members;
static bool named; /* memory is in /dev/shm (tests/named.c) */

static bool all_of(bool here)
{
    int good = here, all = 0;
    PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

/* As a communicator of all ranks does it, which are all there when the first one makes it; NULL on all: it is not to be
 * had. */
static struct topo_segment *get_but(size_t bytes, bool can)
{
    struct topo_segment_offer offer;
    MPI_Barrier(MPI_COMM_WORLD);
    struct topo_segment *segment = rank == 0 ? topo_pool_make(bytes, ZEROS, members, ranks, &offer) : NULL;
    PMPI_Bcast(&offer, sizeof offer, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank > 0)
        segment = topo_pool_take(bytes, ranks, &offer);
    bool all = all_of(segment && can && topo_pool_prepare(segment, rank, ranks));
    topo_pool_agreed(segment, all);
    return all ? segment : NULL;
}

static struct topo_segment *get(size_t bytes)
{
    return get_but(bytes, true);
}

static void drop(struct topo_segment *segment)
{
    MPI_Barrier(MPI_COMM_WORLD);
    topo_pool_drop(segment);
    MPI_Barrier(MPI_COMM_WORLD);
}

static bool is_all(const struct topo_segment *segment, size_t from, size_t to, char value)
{
    bool all = true;
    for (size_t at = from; at < to; at++)
        all &= segment->base[at] == value;
    return all_of(all);
}

/* Pages of a mapping that are there. */
static size_t resident(const char *base, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page, count = 0;
    unsigned char *there = malloc(pages);
    if (mincore((void *)(uintptr_t)base, bytes, there) == 0)
        for (size_t i = 0; i < pages; i++)
            count += there[i] & 1;
    free(there);
    return count;
}

/* What one rank writes the others read. */
static bool is_common(const struct topo_segment *segment)
{
    int *word = (int *)(void *)segment->base;
    word[rank] = rank + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    bool good = true;
    for (int i = 0; i < ranks; i++)
        good &= word[i] == i + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    return all_of(good);
}

static void kept(void)
{
    const uint64_t room = topo_pool_room(ranks, 0, NULL);
    struct topo_segment *first = get(BYTES);
    bool there = first != NULL;
    harness_check(there, "a segment");
    if (!there)
        return;
    const uint64_t id = first->id;
    harness_check(is_all(first, 0, BYTES, 0) && is_common(first), "it is zero at first, and common");
    harness_check(topo_pool_room(ranks, 0, NULL) + first->share * (size_t)ranks <= room, "it is charged");
    harness_check((first->name[0] != '\0') == named, "it has %s", named ? "a name" : "no name");
    memset(first->base, 1, BYTES);
    drop(first);
    if (!named)
        harness_check(topo_pool_room(ranks, 0, NULL) == room, "what nobody holds is free");

    struct topo_segment *second = get(BYTES);
    there = second != NULL;
    harness_check(there && is_all(second, 0, ZEROS, 0) && is_all(second, ZEROS, BYTES, !named),
                  "of the next one what was asked for is zero, and no more is touched");
    harness_check(there && is_common(second), "it is common");
    harness_check(all_of(there && (second->id == id) == !named), "it is %s memory", named ? "other" : "the same");
    struct topo_segment *third = get(BYTES);
    harness_check(third && third->id != id && third->id != second->id && is_common(third),
                  "one that is held is not handed out again");
    drop(third);
    drop(second);
}

/* One rank has not come by to drop it: nobody gets it, and it is not ended. */
static void late(void)
{
    struct topo_segment *segment = get(BYTES), *next;
    const char *base = segment ? segment->base : NULL;
    if (!segment)
        return;
    if (rank != ranks - 1)
        topo_pool_drop(segment);
    next = get(BYTES);
    harness_check(all_of(next && (rank < ranks - 1 || (next->base != base && base[0] == 0))) && is_common(next),
                  "a segment that one rank still holds");
    if (rank == ranks - 1)
        topo_pool_drop(segment);
    drop(next);
}

/* A rank that cannot have it: nobody has, and all of it is free again. */
static void refused(void)
{
    const uint64_t room = topo_pool_room(ranks, 0, NULL);
    for (int who = 0; who < ranks; who++) {
        harness_check(!get_but(BYTES, rank != who), "rank %d cannot have it", who);
        harness_check(all_of(named || topo_pool_room(ranks, 0, NULL) == room), "nothing is taken then");
        topo_memory_fail_after(rank == who ? 0 : -1);
        harness_check(!get(BYTES + 8192), "rank %d is out of memory", who);
        topo_memory_fail_after(-1);
    }
    struct topo_segment *segment = get(BYTES);
    harness_check(all_of(segment != NULL), "all can after that");
    drop(segment);
}

/* Idle segments stay below a quarter of what there may be, and make room for others. */
static void bounded(void)
{
    enum { COUNT = 12 };
    struct topo_segment *many[COUNT];
    const size_t limit = topo_job.options.value[TOPO_OPTION_SHARED].size, each = limit / 16;
    size_t pages = 0, page = (size_t)sysconf(_SC_PAGESIZE);
    const char *base[COUNT];
    bool good = true;
    for (int i = 0; i < COUNT; i++) {
        many[i] = get(each);
        good &= many[i] != NULL;
        base[i] = many[i] ? many[i]->base : NULL;
    }
    harness_check(good, "twelve segments of a sixteenth");
    for (int i = 0; i < COUNT; i++)
        drop(many[i]);
    for (int i = 0; i < COUNT && good; i++)
        pages += resident(base[i], each / page * page);
    harness_check(pages * page <= limit / 4, "a quarter stays at most: %zu KiB", pages * page / KIB);
    struct topo_segment *large = get((size_t)topo_pool_room(ranks, 0, NULL));
    harness_check(all_of(large != NULL), "idle segments make room");
    pages = 0;
    for (int i = 0; i < COUNT && good && large; i++)
        pages += base[i] + each <= large->base || base[i] >= large->base + large->length
                     ? resident(base[i], each / page * page)
                     : 0;
    harness_check(pages <= COUNT, "they are gone then: %zu pages", pages);
    drop(large);
}

/* Descriptors: what was not sent is not there; what another thread is to have is kept for it. */
static void descriptors(void)
{
    int pipe_end[2], code = 0, found;
    char text[4] = "";
    bool good = pipe(pipe_end) == 0;
    for (uint64_t secret = 1; secret <= 3; secret++)
        code |= topo_descriptor_send(pipe_end[1], secret, &rank, 1);
    harness_check(named || code == 0, "descriptors are sent");
    found = topo_descriptor_receive(2);
    good &= found >= 0 && write(found, "abc", 3) == 3 && read(pipe_end[0], text, 3) == 3 && !strcmp(text, "abc");
    harness_check(named || good, "the one in the middle arrives");
    close(found);
    int first = topo_descriptor_receive(1), last = topo_descriptor_receive(3);
    harness_check(named || (first >= 0 && last >= 0), "so do the others");
    close(first);
    close(last);
    harness_check(topo_descriptor_receive(3) < 0 && topo_descriptor_receive(4) < 0, "and nothing else");
    harness_check(topo_descriptor_send(pipe_end[1], 5, (int[]){ranks}, 1) != 0, "nobody is there");
    close(pipe_end[0]);
    close(pipe_end[1]);
}

/* This process's socket, -1: none. */
static int find_socket(void)
{
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
        struct sockaddr_un name = {0};
        socklen_t length = sizeof name;
        if (getsockname(descriptor, (struct sockaddr *)&name, &length) == 0 && name.sun_family == AF_UNIX &&
            !strncmp(name.sun_path + 1, "topompi-", 8))
            return descriptor;
    }
    return -1;
}

/* The program may close what it did not open, on some rank, and open something of its own under that number. */
static void closed(void)
{
    int pair[2], own = find_socket();
    char text[8] = "";
    bool good = socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0 && write(pair[0], "theirs", 7) == 7;
    harness_check((own >= 0) == !named, "a socket");
    if (rank == ranks - 1 && own >= 0)
        good &= dup2(pair[1], own) == own;
    struct topo_segment *segment = get(BYTES + 65536);
    harness_check(all_of(segment && segment->name[0]) && is_common(segment), "without a socket it has a name");
    drop(segment);
    segment = get(BYTES + 65536);
    harness_check(all_of(segment && segment->name[0]) && is_common(segment), "so has the next one");
    drop(segment);
    topo_library_stop();
    good &= read(pair[1], text, sizeof text) == 7 && !strcmp(text, "theirs");
    if (rank == ranks - 1 && own >= 0)
        good &= close(own) == 0;
    harness_check(good && find_socket() < 0, "what the program opened is its own");
    close(pair[0]);
    close(pair[1]);
}

/* Below the library. */
static int exchanged;

int PMPI_Sendrecv(const void *a, int b, MPI_Datatype c, int d, int e, void *f, int g, MPI_Datatype h, int i, int j,
                  MPI_Comm k, MPI_Status *l)
{
    static __typeof__(PMPI_Sendrecv) *next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Sendrecv");
    exchanged++;
    return next(a, b, c, d, e, f, g, h, i, j, k, l);
}

/* The messages by which ranks agree in a communicator's first call, all ranks together. */
static int agreed_by(const char *machine)
{
    MPI_Comm comm;
    int sum = 0, all = 0;
    if (!harness_use_machine(machine))
        return -1;
    for (int life = 0; life < 2; life++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        exchanged = 0;
        topo_allreduce(topo_algorithm_find(TOPO_OPERATION_allreduce, "leader"), &rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        PMPI_Allreduce(&exchanged, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        harness_check(sum == ranks * (ranks - 1) / 2 && (life == 1 || all > 0), "life %d on %s", life, machine);
        MPI_Comm_free(&comm);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return all;
}

/* Who shares memory that they had before need not ask each other whether they have it, but on other nodes they must. */
static void known(const char *machine)
{
    const int on_one = agreed_by(machine);
    harness_check((on_one == 0) == !named, "%d messages on one node", on_one);
    char two[64];
    snprintf(two, sizeof two, "synthetic:node:2 core:%d,%d", (ranks + 1) / 2, ranks / 2);
    if (ranks >= 4)
        harness_check(agreed_by(two) > 0, "on two nodes they ask");
}

/* Where messages come without the descriptors that they tell of, on one rank. */
static bool deaf;

ssize_t recvmsg(int descriptor, struct msghdr *message, int flags)
{
    errno = EAGAIN;
    return deaf ? -1 : syscall(SYS_recvmsg, descriptor, message, flags);
}

static void not_received(const char *machine)
{
    MPI_Comm comm;
    struct topo_comm *state;
    int sum = 0;
    if (!harness_use_machine(machine))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    deaf = rank == ranks - 1;
    bool good = topo_allreduce(topo_algorithm_find(TOPO_OPERATION_allreduce, "leader"), &rank, &sum, 1, MPI_INT,
                               MPI_SUM, comm) == MPI_SUCCESS;
    deaf = false;
    good &= sum == ranks * (ranks - 1) / 2 && topo_comm_of(comm, &state) == MPI_SUCCESS && state && state->node &&
            topo_node_stands(state->node, TOPO_SHM_BUFFERS) && state->node->region[TOPO_SHM_BUFFERS].segment->name[0];
    harness_check(good, "what is not received has a name then");
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    char machine[64];
    harness_start(&argc, &argv);
    named = argc > 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(machine, sizeof machine, "synthetic:node:1 core:%d", ranks);
    harness_option("TOPOMPI_SHARED", "8M");
    members = malloc((size_t)ranks * sizeof *members);
    for (int i = 0; i < ranks; i++)
        members[i] = i;
    if (ranks > 1 && harness_use_machine(machine)) {
        kept();
        late();
        refused();
        if (!named)
            bounded();
        known(machine);
        harness_use_machine(machine);
        descriptors();
        closed();
        not_received(machine);
    }
    free(members);
    return harness_finish();
}
