# A small mpi4py program: power iteration on a tridiagonal matrix whose rows are dealt to the ranks in blocks.
# Every step gathers the vector (MPI_Allgather) and adds up norms (MPI_Allreduce).
#
#   mpirun -np N python3 iterate.py [steps] [rows of each rank]
#
# Rank 0 prints the digits of the result, which are the same with any library underneath, and the seconds it took.
import sys
from array import array
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100
rows = int(sys.argv[2]) if len(sys.argv) > 2 else 64
n, first = rows * ranks, rows * rank
x = array('q', [(7 * i + 3) % 101 for i in range(n)])  # integers: sums do not depend on their order
total = array('q', [0])
comm.Barrier()
start = MPI.Wtime()
for step in range(steps):
    own = array('q', [(2 * x[i] + x[i - 1] + x[(i + 1) % n]) % 1000003 for i in range(first, first + rows)])
    comm.Allgather([own, MPI.INT64_T], [x, MPI.INT64_T])
    comm.Allreduce([array('q', [sum(own)]), MPI.INT64_T], [total, MPI.INT64_T])
    assert total[0] == sum(x), 'rank %d, step %d: the sum is not that of the vector' % (rank, step)
seconds = MPI.Wtime() - start
if rank == 0:
    print('result %d %d %d' % (total[0], x[0], x[n // 2]))
    print('seconds %.3f' % seconds)
