! The same from Fortran, in place.
program call
    use mpi_f08
    implicit none
    integer :: rank, i, total
    logical :: good, all
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    good = .true.
    do i = 1, 100
        total = rank + i
        call MPI_Scan(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        good = good .and. total == rank * (rank + 1) / 2 + (rank + 1) * i
    end do
    call MPI_Reduce(good, all, 1, MPI_LOGICAL, MPI_LAND, 0, MPI_COMM_WORLD)
    if (rank == 0 .and. all) print '(a)', 'ok'
    if (rank == 0 .and. .not. all) print '(a)', 'wrong sums'
    call MPI_Finalize()
end program call
