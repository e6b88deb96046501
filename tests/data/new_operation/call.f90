! The same from Fortran.
program call
    use mpi_f08
    implicit none
    integer :: rank, ranks, i, got(2)
    logical :: good, all
    type(MPI_Comm) :: ring
    call MPI_Init()
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, (/ ranks /), (/ .true. /), .false., ring)
    call MPI_Comm_rank(ring, rank)
    good = .true.
    do i = 1, 100
        call MPI_Neighbor_allgather((/ rank + i /), 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring)
        good = good .and. got(1) == modulo(rank - 1, ranks) + i .and. got(2) == modulo(rank + 1, ranks) + i
    end do
    call MPI_Reduce(good, all, 1, MPI_LOGICAL, MPI_LAND, 0, MPI_COMM_WORLD)
    if (rank == 0 .and. all) print '(a)', 'ok'
    if (rank == 0 .and. .not. all) print '(a)', 'wrong numbers'
    call MPI_Finalize()
end program call
