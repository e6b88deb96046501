/* src/node/flag.h where a rank is a context of one process: what a rank waits for can only come when it gives way to
 * the simulator, and to look again and again would take simulated time by the number of looks. So a rank that waits
 * blocks in MPI until another one of its node wrote what it waits for, who wakes it by a message of one byte: it takes
 * as long as a message inside the node, which is more than a cache line takes. */
#include "node/flag.h"

#include <stdlib.h>

#include <simgrid/host.h>

#include "sim/stores.h"
#include "sim/waiting.h"
#include "sim/world.h"

enum { TAG = 1, MOST = 4096 };

static struct sim_rank *self;
static MPI_Comm wakes = MPI_COMM_NULL;
static MPI_Request wake = MPI_REQUEST_NULL;
static char byte;

/* The requests that topo_testsome() looked at last, and the one of them that ended while this rank was idle. */
static MPI_Request *tested;
static int tested_count, ended = -1;

void sim_waiting_start(void)
{
    int rank;
    PMPI_Comm_dup(MPI_COMM_WORLD, &wakes);
    PMPI_Comm_rank(wakes, &rank);
    self = sim_join(rank, sg_host_self());
}

void sim_stored(void)
{
    struct sim_rank *other;
    char sent = 0;
    while (self && (other = sim_wake_one(self)))
        PMPI_Send(&sent, 1, MPI_CHAR, other->number, TAG, wakes);
}

static void expect_wake(void)
{
    if (wake == MPI_REQUEST_NULL)
        PMPI_Irecv(&byte, 1, MPI_CHAR, MPI_ANY_SOURCE, TAG, wakes, &wake);
}

/* One that comes too late, when this rank has gone on already, lets the next wait look once more. */
void topo_flag_wait(struct topo_flag *flag, uint32_t target, const struct topo_wait_policy *wait_policy)
{
    (void)wait_policy;
    while (!topo_flag_reached(flag, target)) {
        self->counter = &flag->value;
        self->target = target;
        self->waits = true;
        expect_wake();
        PMPI_Wait(&wake, MPI_STATUS_IGNORE);
        self->waits = false;
    }
}

/* Nothing gives way to others between the caller's last look and here, so no store is missed. */
void topo_idle(int *iterations, bool ask, const struct topo_wait_policy *wait_policy)
{
    static MPI_Request all[MOST + 1];
    int count = ask ? 0 : tested_count, first = MPI_UNDEFINED;
    (void)wait_policy;
    ++*iterations;
    self->counter = NULL;
    self->waits = true;
    expect_wake();
    for (int i = 0; i < count; i++)
        all[i] = tested[i];
    all[count] = wake;
    PMPI_Waitany(count + 1, all, &first, MPI_STATUS_IGNORE);
    self->waits = false;
    if (first == count) {
        wake = MPI_REQUEST_NULL;
    } else if (first >= 0 && first < count) {
        tested[first] = MPI_REQUEST_NULL;
        ended = first;
    }
}

/* Simulated messages move by themselves. */
void topo_flag_progress(const struct topo_wait_policy *wait_policy)
{
    (void)wait_policy;
}

/* What ended while this rank was idle has been told to topo_idle() alone. */
int __wrap_topo_testsome(int count, MPI_Request *request, int *done, int *indices);
int __wrap_topo_testsome(int count, MPI_Request *request, int *done, int *indices)
{
    int code = MPI_SUCCESS, found = 0, active = 0, through;
    if (count > MOST)
        abort();
    if (ended >= 0)
        indices[found++] = ended;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
        if (request[i] == MPI_REQUEST_NULL)
            continue;
        active++;
        code = sim_test(&request[i], &through);
        if (through)
            indices[found++] = i;
    }
    *done = found > 0 || active > 0 ? found : MPI_UNDEFINED;
    ended = -1;
    tested = request;
    tested_count = count;
    return code;
}

uint32_t topo_flag_add(struct topo_flag *flag, uint32_t add)
{
    uint32_t now = atomic_fetch_add(&flag->value, add) + add;
    sim_stored();
    return now;
}

void topo_flag_set(struct topo_flag *flag, uint32_t value)
{
    atomic_store(&flag->value, value);
    sim_stored();
}

struct topo_wait_policy topo_wait_policy_of(const struct topo_channel *channel, int self_rank, bool oversubscribed)
{
    return (struct topo_wait_policy){.channel = channel, .self = self_rank, .oversubscribed = oversubscribed};
}
