# Logistic regression by gradient descent, data dealt to the ranks (mpi4py, numpy), and a sort of all scores by samples.
#
#   mpirun -np N python3 mpi4py_learn.py [steps] [features]
#
# Uses what such programs use: pickled objects (bcast, gather, allgather, allreduce) beside buffers (Allreduce, Alltoallv).
# Rank 0 prints the loss at the end and the median of the sorted scores.
import sys

import numpy
from mpi4py import MPI

ROWS = 400  # of all ranks; whole numbers in all sums, so that no sum depends on its order
SCALE = 2 ** 20

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
settings = {"steps": int(sys.argv[1]), "features": int(sys.argv[2]), "rate": 0.5} if rank == 0 else None
settings = comm.bcast(settings)
features = settings["features"]
draw = numpy.random.RandomState(17)
data, hidden = draw.normal(size=(ROWS, features)), draw.normal(size=features)
labels = (data @ hidden > 0).astype(float)
data, labels = data[rank::ranks], labels[rank::ranks]


def scores(weights):
    return 1 / (1 + numpy.exp(-data @ weights))


def fixed(numbers):
    return numpy.rint(numpy.asarray(numbers) * SCALE).astype(numpy.int64)


def sorted_by_samples(values):
    """All ranks' values, sorted: this rank's range of them."""
    values = numpy.sort(values)
    samples = numpy.sort(numpy.concatenate(comm.allgather(values[:: max(1, len(values) // 4)])))
    bounds = samples[:: max(1, len(samples) // ranks)][1:ranks]
    counts = numpy.diff(numpy.concatenate(([0], numpy.searchsorted(values, bounds), [len(values)])))
    counts = numpy.resize(counts, ranks) if len(counts) == ranks else numpy.append(counts, [0] * (ranks - len(counts)))
    other = numpy.empty(ranks, dtype=numpy.int64)
    comm.Alltoall(counts.astype(numpy.int64), other)
    mine = numpy.empty(other.sum(), dtype=numpy.int64)
    comm.Alltoallv([values, counts], [mine, other])
    return numpy.sort(mine)


weights, total = numpy.zeros(features), numpy.empty(features, dtype=numpy.int64)
for step in range(settings["steps"]):
    error = scores(weights) - labels
    comm.Allreduce(fixed(data.T @ error), total)
    weights -= settings["rate"] * total / SCALE / ROWS
    if step % 10 == 0:
        loss = comm.allreduce(int(fixed(numpy.abs(error).sum())))
        settings = comm.bcast({**settings, "rate": 0.5 if loss > 0.2 * ROWS * SCALE else 0.25} if rank == 0 else None)
        mine = sorted_by_samples(fixed(scores(weights)))
        found = comm.gather(mine)
if rank == 0:
    found = numpy.concatenate(found)
    assert len(found) == ROWS and (numpy.diff(found) >= 0).all()
    print("loss %.6f median %d sum %d" % (loss / SCALE / ROWS, found[ROWS // 2], total.sum()))
