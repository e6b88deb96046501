/* One-sided work on a rank that may be inside a collective. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/traffic.h"

static MPI_Win window = MPI_WIN_NULL;
static long *memory, expected[FUZZ_RANKS_MOST]; /* word 0 counts, word 1 + r is rank r's */

void fuzz_window_open(void)
{
    MPI_Aint bytes = (FUZZ_RANKS_MOST + 1) * (MPI_Aint)sizeof *memory;
    memset(expected, 0, sizeof expected);
    memory = calloc(FUZZ_RANKS_MOST + 1, sizeof *memory);
    MPI_Win_create(memory, bytes, sizeof *memory, MPI_INFO_NULL, fuzz_job.world, &window);
}

void fuzz_window_work(struct fuzz_worker *worker, const struct fuzz_comm *busy)
{
    int origin = fuzz_below(&worker->plan, fuzz_job.ranks);
    int target = busy->world[fuzz_below(&worker->plan, busy->size)];
    long one = 1, before = -1, mark = worker->step;
    expected[target]++;
    if (fuzz_job.rank != origin)
        return;
    fuzz_does(worker, "Fetch_and_op and Put to rank %d", target);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
    MPI_Fetch_and_op(&one, &before, MPI_LONG, target, 0, MPI_SUM, window);
    MPI_Put(&mark, 1, MPI_LONG, target, 1 + origin, 1, MPI_LONG, window);
    MPI_Win_unlock(target, window);
    fuzz_progress();
    if (before < 0) /* ranks that are ahead have counted already */
        fuzz_differ(worker, "Fetch_and_op got %ld", before);
}

void fuzz_window_close(struct fuzz_worker *worker)
{
    fuzz_does(worker, "MPI_Win_free");
    MPI_Barrier(fuzz_job.world);
    MPI_Win_lock(MPI_LOCK_SHARED, fuzz_job.rank, 0, window);
    MPI_Win_unlock(fuzz_job.rank, window);
    if (memory[0] != expected[fuzz_job.rank])
        fuzz_differ(worker, "the counter is %ld, not %ld", memory[0], expected[fuzz_job.rank]);
    MPI_Win_free(&window);
    free(memory);
}
