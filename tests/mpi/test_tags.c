/* MPI libraries that have few tags (MPI_TAG_UB): how many communicators can have some, what becomes of those that find
 * none, and of all that are made later. The program defines the PMPI function that tells the library, and the one by
 * which ranks agree on tags, which it counts. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/comm.h"
#include "job/job.h"
#include "mpi/calls.h"
#include "mpi/harness.h"
#include "observe/stats.h"

/* The MPI library's function of this name. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static int upper, allreduces, rank, ranks;

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *found)
{
    int code = NEXT(PMPI_Comm_get_attr)(comm, keyval, value, found);
    if (keyval == MPI_TAG_UB && upper > 0)
        *(int **)value = &upper;
    return code;
}

int PMPI_Allreduce(const void *own, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    allreduces += comm != MPI_COMM_WORLD;
    return NEXT(PMPI_Allreduce)(own, all, count, type, op, comm);
}

static const struct topo_algorithm *ring(void)
{
    return topo_algorithm_find(TOPO_OPERATION_allgather, "ring");
}

/* One call by ours, where that can be had. */
static bool gathers(MPI_Comm comm)
{
    int own[2] = {rank, ranks}, all[2 * 64] = {0}, n, me;
    bool good = true;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    own[0] = me;
    struct test_call call = {.count = 2, .send = own, .receive = all, .send_type = MPI_INT, .receive_type = MPI_INT};
    call.operation = TOPO_OPERATION_allgather;
    good &= test_call(&call, ring(), comm) == MPI_SUCCESS;
    for (int i = 0; i < n; i++)
        good &= all[2 * i] == i && all[2 * i + 1] == ranks;
    return good;
}

static bool has_tags(MPI_Comm comm)
{
    struct topo_comm *state = NULL;
    return topo_comm_of(comm, &state) == MPI_SUCCESS && state && state->channel.comm != MPI_COMM_NULL &&
           state->channel.tag > 0 && state->channel.tag + TOPO_TAGS - 1 <= upper && !state->unable;
}

enum { COMMS = 80 };
static MPI_Comm comms[COMMS];
static int with_tags;
static bool right;

static void make_all(void)
{
    with_tags = 0;
    right = true;
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        right &= gathers(comms[i]) && gathers(comms[i]);
        right &= !has_tags(comms[i]) || with_tags == i; /* those that have none are the last ones */
        with_tags += has_tags(comms[i]);
    }
}

static long counted(void)
{
    const char *total = strstr(harness_said(topo_stats_print), "total: ");
    return total ? strtol(total + strlen("total: "), NULL, 10) : -1;
}

static void all_run_out(int most)
{
    const char *text = harness_said(make_all), *line = strstr(text, "no tags are left: ");
    char expected[64];
    snprintf(expected, sizeof expected, "no tags are left: %d communicators", most);
    harness_check(right, "calls with and without tags");
    harness_check(with_tags == most - 1 || with_tags == most, "%d of %d communicators have tags, %d can", with_tags,
                  COMMS, most);
    harness_check(rank > 0 ? !*text
                           : line && !strncmp(line, expected, strlen(expected)) && !strstr(line + 1, "no tags"),
                  "it is said once: %s", text);
    /* Tags of those that are freed are used again. */
    bool good = true;
    for (int i = 0; i < COMMS; i += 2)
        MPI_Comm_free(&comms[i]);
    for (int i = 0; i < COMMS; i += 2) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        good &= gathers(comms[i]) && has_tags(comms[i]) == (i < with_tags);
    }
    harness_check(good, "freed tags are used again");
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    const long calls = counted(); /* of all ranks */
    harness_check(rank > 0 || calls == 2 * COMMS + COMMS / 2, "%ld of %d calls are counted", calls,
                  2 * COMMS + COMMS / 2);
}

/* Many that come and go; by parts of the ranks, which have others in use when they meet again. */
static void come_and_go(void)
{
    enum { TIMES = 500, KEPT = 12 };
    MPI_Comm kept[KEPT];
    bool good = true;
    for (int i = 0; i < KEPT; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, i % 3 ? (rank + i) % 2 : rank > 0, rank, &kept[i]);
        int n;
        MPI_Comm_size(kept[i], &n);
        good &= gathers(kept[i]) && (n == 1 || has_tags(kept[i]));
    }
    harness_check(good, "communicators of parts of the ranks");
    allreduces = 0;
    good = true;
    for (int i = 0; i < TIMES; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        good &= gathers(comm) && gathers(comm) && has_tags(comm);
        MPI_Comm_free(&comm);
    }
    harness_check(good, "%d communicators one after the other", TIMES);
    harness_check(allreduces == TIMES, "%d all-reduces for %d communicators", allreduces, TIMES);
    for (int i = 0; i < KEPT; i++)
        MPI_Comm_free(&kept[i]);
}

int main(int argc, char **argv)
{
    static const int uppers[][2] = {
        {32767, 32768 / TOPO_TAGS - 1}, {8388607, (1 << 16) - 1}, {INT32_MAX, (1 << 16) - 1}};
    harness_option("TOPOMPI_STATS", "1");
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    upper = 4095;
    if (ranks > 1 && harness_use_machine(harness_machine(0))) {
        const int most = 4096 / TOPO_TAGS - 1;
        harness_check(topo_channels_most() == most, "%d communicators can have tags", topo_channels_most());
        all_run_out(most);
        come_and_go();
        for (size_t i = 0; i < sizeof uppers / sizeof *uppers; i++) {
            upper = uppers[i][0];
            if (harness_use_machine(harness_machine(0)))
                harness_check(topo_channels_most() == uppers[i][1], "%d with tags up to %d", topo_channels_most(),
                              upper);
        }
    }
    return harness_finish();
}
