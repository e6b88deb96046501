/* Bytes of which only the rank itself knows how many, brought to rank 0: of any length, and where memory is out. */
#include <string.h>

#include "base/memory.h"
#include "job/channel.h"
#include "job/collect.h"
#include "mpi/harness.h"

static int rank, ranks;

static unsigned char value_of(int of, size_t at)
{
    return (unsigned char)((unsigned)of * 37u + (unsigned)(at % 251) * 5u + (unsigned)(at >> 12));
}

/* Rank r has `each` bytes and r * more; the memory of rank `without` is out. */
static void collect(size_t each, size_t more, int without)
{
    size_t bytes = each + (size_t)rank * more, length = 0, at = 0;
    char *all = NULL, *own = rank == without ? NULL : topo_alloc(bytes, 1);
    bool good = true;
    for (size_t i = 0; own && i < bytes; i++)
        own[i] = (char)value_of(rank, i);
    topo_collect_all(own, bytes, &all, &length, &topo_channel_job);
    if (rank > 0 || without >= 0) {
        good = !all;
    } else {
        for (int of = 0; of < ranks; of++)
            for (size_t i = 0; i < each + (size_t)of * more; i++, at++)
                good &= all && at < length && (unsigned char)all[at] == value_of(of, i);
        good &= at == length;
    }
    harness_check(good, "%zu bytes and %zu more a rank, memory out on %d", each, more, without);
    topo_free(all);
}

int main(int argc, char **argv)
{
    static const size_t lengths[] = {1, 100, 65535, 65536, 65537, 131072, 300000};
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (harness_use_machine("auto") && ranks > 1)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (int without = -1; without < ranks; without++) {
                collect(lengths[i], 0, without);
                collect(lengths[i], 777, without);
            }
    return harness_finish();
}
