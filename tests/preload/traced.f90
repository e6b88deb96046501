! Calls of every kind that a trace counts, from Fortran. The module is "mpi" or, when the test says so, "mpi_f08".
program traced
    use MPI_MODULE
    implicit none
    integer :: rank, ranks, i, ierror
    integer, allocatable :: part(:), all(:), counts(:), places(:)
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    allocate(part(ranks), all(ranks), counts(ranks), places(ranks))
    part = rank
    all = 0
    counts = 1
    places = (/ (i, i = 0, ranks - 1) /)
    call MPI_Pcontrol(1)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Allreduce(MPI_IN_PLACE, part, ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Bcast(part, ranks, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call MPI_Allgather(part, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call MPI_Alltoallv(part, counts, places, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call MPI_Sendrecv(part, 1, MPI_INTEGER, mod(rank + 1, ranks), 0, all, 1, MPI_INTEGER, &
                      mod(rank + ranks - 1, ranks), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Pcontrol(0)
    call MPI_Finalize(ierror)
end program traced
