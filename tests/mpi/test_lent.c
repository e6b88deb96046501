/* What irregular placements make long, the tables of the job's tree, lies once a node, where that can be had. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "coll/call/operations.h"
#include "coll/allreduce/allreduce.h"
#include "coll/library.h"
#include "coll/prepare.h"
#include "comm/comm.h"
#include "job/job.h"
#include "node/segment.h"
#include "mpi/harness.h"

static int rank, ranks, tried; /* machines with tables */

/* The file that is mapped at `at`, by its number; 0: memory of this process alone. With `at` NULL, mappings of our
 * regions. */
static unsigned long mapped(const void *at)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], flags[8], *path;
    unsigned long from, to, file, found = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %7s %*s %*s %lu", &from, &to, flags, &file) != 4)
            continue;
        path = strstr(line, "/memfd:topompi");
        path = path ? path : strstr(line, "/dev/shm/topompi-");
        if (!at)
            found += path != NULL;
        else if ((uintptr_t)at >= from && (uintptr_t)at < to && flags[3] == 's' && path)
            found = file;
    }
    if (maps)
        fclose(maps);
    return found;
}

/* How the tree's lists lie here. */
struct lists {
    unsigned long file; /* where the tables lie that are in memory of several ranks; 0: none does */
    int shared, own;    /* tables there, and of this rank alone */
};

static struct lists look(const struct topo_tree *tree)
{
    struct lists lists = {0};
    for (int list = 0; list <= tree->levels; list++) {
        const struct topo_numbers *numbers = list < tree->levels ? &tree->unit[list] : &tree->order;
        unsigned long file = numbers->table ? mapped(numbers->table) : 0;
        lists.file = file ? file : lists.file;
        lists.shared += file != 0;
        lists.own += numbers->table && !file;
    }
    return lists;
}

/* Ranks of a node, and they alone, have one file. */
static bool same_on_nodes(unsigned long file)
{
    unsigned long *files = malloc((size_t)ranks * sizeof *files);
    bool good = true;
    PMPI_Allgather(&file, 1, MPI_UNSIGNED_LONG, files, 1, MPI_UNSIGNED_LONG, MPI_COMM_WORLD);
    for (int other = 0; other < ranks; other++)
        good &= !file || (files[other] == file) ==
                             (topo_tree_node_of(topo_job.tree, other) == topo_tree_node_of(topo_job.tree, rank));
    free(files);
    return good;
}

/* Of regions that this process made: other jobs may be at theirs. */
static int names_left(void)
{
    DIR *folder = opendir("/dev/shm");
    char ours[32];
    int count = 0;
    snprintf(ours, sizeof ours, "topompi-%d-", (int)getpid());
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += !strncmp(entry->d_name, ours, strlen(ours));
    if (folder)
        closedir(folder);
    return count;
}

/* Calls of all forms of two operations, which ask the tree for units and order. */
static bool calls_are_right(MPI_Comm comm)
{
    int here, count, *all, sum = 0;
    bool good = true;
    MPI_Comm_rank(comm, &here);
    MPI_Comm_size(comm, &count);
    all = malloc((size_t)count * sizeof *all);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)id);
        if (!topo_algorithm_applies(algorithm, count, NULL))
            continue;
        if (algorithm->operation == TOPO_OPERATION_allgather) {
            memset(all, 0xff, (size_t)count * sizeof *all);
            good &= topo_allgather(algorithm, &here, 1, MPI_INT, all, 1, MPI_INT, comm) == MPI_SUCCESS;
            for (int i = 0; i < count; i++)
                good &= all[i] == i;
        } else if (algorithm->operation == TOPO_OPERATION_allreduce) {
            good &= topo_allreduce(algorithm, &here, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS;
            good &= sum == count * (count - 1) / 2;
        }
    }
    free(all);
    return good;
}

/* This rank's part in TOPOMPI_SHARED that nobody has; with no region of MPI_COMM_WORLD. */
static uint64_t room(void)
{
    struct topo_comm *state;
    uint64_t bytes = 0;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (topo_comm_of(comm, &state) == MPI_SUCCESS && state && !state->native && topo_comm_node(state))
        bytes = topo_node_room(state->node) / (uint64_t)state->node->ranks;
    MPI_Comm_free(&comm);
    return bytes;
}

enum expected { LENT, OWN, EITHER };

static void start(const char *machine, const char *shared, enum expected expected)
{
    MPI_Comm copy, turned;
    topo_numbers_short = 1; /* no table is short on the next machine */
    harness_option("TOPOMPI_SHARED", shared);
    if (!harness_use_machine(machine) || ranks == 1)
        return;
    struct topo_tree *tree = topo_job.tree;
    const int node = topo_tree_node_of(tree, rank);
    int here = 0, tables = look(tree).own;
    for (int other = 0; other < ranks; other++)
        here += topo_tree_node_of(tree, other) == node;
    size_t count = topo_tree_packed_ints(tree), bytes = topo_tree_table_bytes(tree);
    int *before = malloc(count * sizeof *before), *after = malloc(count * sizeof *after);
    topo_tree_pack(tree, before);
    harness_check(topo_numbers_short == 0 && bytes == (size_t)tables * (size_t)ranks * sizeof(int), "%d tables, %s, %s",
                  tables, machine, shared);
    uint64_t room_before = room();

    topo_world_created();
    struct lists lists = look(tree);
    bool moved = lists.shared > 0;
    harness_check(moved ? lists.own == 0 && lists.shared == tables && topo_tree_table_bytes(tree) == 0
                        : lists.own == tables,
                  "tables are in one place, %s, %s", machine, shared);
    harness_check(expected == EITHER || tables == 0 || moved == (expected == LENT && here > 1), "tables lie %s, %s, %s",
                  expected == LENT ? "once a node" : "where they were", machine, shared);
    tried += tables > 0;
    harness_check(same_on_nodes(lists.file), "each node has its own, %s", machine);
    MPI_Barrier(MPI_COMM_WORLD);
    harness_check(names_left() == 0, "no name is left, %s", machine);
    topo_tree_pack(tree, after);
    harness_check(topo_tree_packed_ints(tree) == count && !memcmp(before, after, count * sizeof *before) &&
                      topo_tree_check(tree, NULL) == TOPO_OK,
                  "the same tree, %s, %s", machine, shared);
    free(before);
    free(after);
    /* Without the regions that MPI_COMM_WORLD has, which go first: what is gone then is what the tree has. */
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank + 1) % ranks, &turned);
    harness_check(calls_are_right(MPI_COMM_WORLD) && calls_are_right(copy) && calls_are_right(turned),
                  "calls on it, %s, %s", machine, shared);
    MPI_Comm_free(&turned);
    MPI_Comm_free(&copy);
    topo_comm_stop();
    uint64_t has = moved ? (topo_segment_length(bytes) + (size_t)here - 1) / (size_t)here : 0;
    harness_check(room() + has == room_before, "the tables count as shared memory, %s, %s", machine, shared);
    topo_library_stop();
    harness_check(mapped(NULL) == 0, "nothing stays mapped, %s, %s", machine, shared);
}

/* Memory that runs out on one rank, for its notes of the region at last, leaves it its own tables. */
static void no_memory(const char *machine)
{
    enum { MOST = 60 };
    bool good = true;
    int after = 0, all = ranks == 1;
    harness_option("TOPOMPI_SHARED", "64M");
    for (; after < MOST && !all; after++) {
        topo_numbers_short = 1;
        if (!harness_use_machine(machine))
            return;
        topo_memory_fail_after(rank == ranks - 1 ? after : -1);
        topo_world_created();
        topo_memory_fail_after(-1);
        int here = topo_job.node_ranks == 1 || topo_tree_table_bytes(topo_job.tree) == 0;
        PMPI_Allreduce(&here, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
        good &= topo_tree_check(topo_job.tree, NULL) == TOPO_OK && calls_are_right(MPI_COMM_WORLD);
    }
    harness_check(good && all, "no memory, %s, %d times", machine, after);
}

int main(int argc, char **argv)
{
    const char *machine, *last = NULL;
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; (machine = harness_machine(i)); i++) {
        start(machine, "64M", argc > 1 ? EITHER : LENT); /* with an argument /dev/shm is small */
        start(machine, "0", OWN);
        start(machine, "1", OWN);
        last = machine;
    }
    harness_check(ranks < 4 || tried > 0, "some machine has tables");
    no_memory(last);
    return harness_finish();
}
