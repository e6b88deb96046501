#include "mpi/pending.h"

#include "mpi/harness.h"

enum { TOKEN = 1000 };

void test_pending_begin(struct test_pending *pending, MPI_Comm comm)
{
    *pending = (struct test_pending){.comm = comm, .got = -1};
    MPI_Comm_rank(comm, &pending->rank);
    MPI_Comm_size(comm, &pending->ranks);
    MPI_Irecv(&pending->got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &pending->request);
}

void test_pending_end(struct test_pending *pending, bool good, const char *name)
{
    int token = TOKEN + pending->rank, before = (pending->rank + pending->ranks - 1) % pending->ranks;
    MPI_Send(&token, 1, MPI_INT, (pending->rank + 1) % pending->ranks, 1, pending->comm);
    MPI_Wait(&pending->request, MPI_STATUS_IGNORE);
    harness_check(good && pending->got == TOKEN + before, "%s with a receive of anything pending", name);
}
