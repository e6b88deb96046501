# MPI_Allgather, MPI_Allgatherv, MPI_Alltoall, MPI_Bcast, MPI_Reduce, MPI_Reduce_scatter(_block) and MPI_Barrier from Python (mpi4py), which opens libmpi with RTLD_LOCAL. Prints "ok" on rank 0.
from array import array
from mpi4py import MPI

comm = MPI.COMM_WORLD.Dup()
rank, ranks = comm.Get_rank(), comm.Get_size()
own = array('i', [rank, rank * rank])
everything = array('i', [0] * (2 * ranks))
comm.Allgather([own, MPI.INT], [everything, MPI.INT])
good = all(everything[2 * i] == i and everything[2 * i + 1] == i * i for i in range(ranks))
everything[2 * rank] = rank + 5
comm.Allgather(MPI.IN_PLACE, [everything, MPI.INT])
good = good and all(everything[2 * i] == i + 5 for i in range(ranks))
own = array('i', [rank, 40 + rank])
comm.Bcast([own, MPI.INT], root=ranks - 1)
good = good and own[0] == ranks - 1 and own[1] == 39 + ranks
sums = array('i', [0, 0])
comm.Reduce([own, MPI.INT], [sums, MPI.INT] if rank == 0 else None, op=MPI.SUM, root=0)
good = good and (rank > 0 or sums[1] == ranks * (39 + ranks))
comm.Allgatherv([array('i', [rank] * 2), MPI.INT], [everything, ([2] * ranks, None), MPI.INT])
good = good and all(everything[2 * i + 1] == i for i in range(ranks))
numbers = array('i', [0] * ranks)
comm.Alltoall([array('i', [100 * rank + i for i in range(ranks)]), MPI.INT], [numbers, MPI.INT])
good = good and all(numbers[i] == 100 * i + rank for i in range(ranks))
vector = array('i', [rank + i for i in range(ranks)])
part = array('i', [0])
comm.Reduce_scatter_block([vector, MPI.INT], [part, MPI.INT])
good = good and part[0] == ranks * (ranks - 1) // 2 + ranks * rank
comm.Reduce_scatter([vector, MPI.INT], [part, MPI.INT], [1] * ranks, MPI.MAX)
good = good and part[0] == ranks - 1 + rank
comm.Barrier()
comm.Free()
if rank == 0:
    print('ok' if good else 'wrong')
